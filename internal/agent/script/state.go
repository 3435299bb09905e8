package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// stateFile keeps where a session stands, in its state folder.
const stateFile = "script.json"

// state is where a session stands. It is written after every step.
type state struct {
	Entry  int             `json:"entry"` // of the scenario
	Steps  string          `json:"steps"` // digest of its steps, to notice a scenario that was changed
	Next   int             `json:"next"`  // the step to do
	Usage  task.Usage      `json:"usage"`
	Turns  int             `json:"turns"`
	Text   string          `json:"text,omitempty"` // said last
	Answer json.RawMessage `json:"answer,omitempty"`
	Ended  *agent.Outcome  `json:"ended,omitempty"` // how the last attempt ended
}

// read gives false when there is no state: the session has not begun.
func (s *state) read(file string) (bool, error) { return readJSON(file, s) }

// readJSON reads a file of ours and tells whether it is there. One that can't be read is a fault that a person must mend.
func readJSON(file string, into any) (bool, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fault.New(fault.Infra, "read state: %w", err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return false, fault.New(fault.Input, "%s is damaged: %w", file, err).WithHint("move it away to start the session afresh")
	}
	return true, nil
}

// writeJSON replaces a file as a whole, so that a crash leaves the old content or the new one.
func writeJSON(file string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("write state: %w", err)
	}
	if err := replace(file, append(data, '\n')); err != nil {
		return fault.New(fault.Infra, "write state: %w", err)
	}
	return nil
}

func replace(file string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
