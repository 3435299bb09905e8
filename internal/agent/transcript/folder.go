package transcript

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/longshift/longshift/task"
)

// Folder is the folder of a session on its host, as far as it concerns the session's conversation.
type Folder string

// SessionsIn is where the folder of a task has those of its sessions, named by their ids.
func SessionsIn(task string) string { return filepath.Join(task, "sessions") }

// Store is where the conversation is.
func (f Folder) Store() Store { return Store{Dir: filepath.Join(string(f), "conversation")} }

// Started is the file with what the session has begun with.
func (f Folder) Started() string { return filepath.Join(string(f), "started.json") }

// Result is the file with what an ask of the session, from 1, has come to.
func (f Folder) Result(ask int) string {
	return filepath.Join(string(f), fmt.Sprintf("result-%d.json", ask))
}

// Kinds of acts: a call of the model, and calls of tools.
const (
	Ask = "ask"
	Run = "run"
)

// Act is the file with what is kept of an act that goes on with a conversation.
func (f Folder) Act(head, kind string) string {
	return filepath.Join(string(f), "acts", fmt.Sprintf("%.32s-%s.json", head, kind))
}

// Allowed is the file with what people have allowed the calls of such an act.
func (f Folder) Allowed(head string) string { return f.Act(head, "allowed") }

// About is what a session is, and where it has begun, of all that is kept about that.
type About struct {
	N      int       `json:"n"` // number of the session in its task, from 1
	Role   task.Role `json:"role"`
	Ask    int       `json:"ask"`   // that has begun last, from 1
	Begun  string    `json:"begun"` // the last entry of the conversation then
	Prompt struct {
		Deliverable *task.Deliverable `json:"deliverable"`
	} `json:"prompt"`
}

// About reads what the session is. Its errors wrap fs.ErrNotExist for a folder in which no session of Longshift's own agent has begun.
func (f Folder) About() (a About, err error) {
	return a, readFile(f.Started(), &a)
}

// readFile reads a file of the folder. Its errors name the file.
func readFile(file string, into any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("the file %s is damaged: %w", filepath.Base(file), err)
	}
	return nil
}
