package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/atomicfile"
	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

func (m *Manager) tasks() string { return filepath.Join(m.config.Dir, "tasks") }

// place is a task's directory. Other packages store files in it too, so it is never removed as a whole.
type place struct{ dir string }

func (m *Manager) place(id string) place { return place{filepath.Join(m.tasks(), id)} }

func (p place) work() string  { return filepath.Join(p.dir, "work") }           // belongs to the agent
func (p place) git() string   { return filepath.Join(p.dir, "git") }            // written only by this package
func (p place) state() string { return filepath.Join(p.dir, "workspace.json") } // written only by this package
func (p place) fence() string { return filepath.Join(p.dir, "fence") }          // written only by this package

// record is the task's state on the remote. It is stored in the fence's commit, where another host can read it.
type record struct {
	Fence      int    `json:"fence"`
	BaseBranch string `json:"baseBranch"`
	Base       string `json:"base,omitempty"`       // commit the task, or this round of it, started from
	Checkpoint string `json:"checkpoint,omitempty"` // value of the checkpoint ref
	Branch     string `json:"branch"`
	Pushed     string `json:"pushed,omitempty"`   // commit that we pushed last to the task's branch, or that was there when we took it over
	Squashed   string `json:"squashed,omitempty"` // last commit before a squash, which no branch holds any more
	Snapshot   string `json:"snapshot,omitempty"` // commit with the work tree since the checkpoint (see PushSnapshot)

	// A remote on a local disk moves refs one by one, so a killed push may leave some of them behind. These fields tell that apart from a
	// write of somebody else.
	Writes   int    `json:"writes,omitempty"`   // counter that makes each fence commit unique
	Before   string `json:"before,omitempty"`   // value of the checkpoint ref before this write
	Replaced string `json:"replaced,omitempty"` // value of the task's branch before Pushed

	// For a task that continues on its branch, or that has merged.
	Trunk  string   `json:"trunk,omitempty"`  // tip of the base branch at the start
	Merged []string `json:"merged,omitempty"` // tips of the base branch merged since
}

// state is what this host knows about a workspace. Its attempt is 0 until the remote has it too.
type state struct {
	TaskID     string           `json:"taskId"`
	Repository task.Repository  `json:"repository"`
	Fork       *task.Repository `json:"fork,omitempty"`
	Format     string           `json:"format"` // sha1 or sha256
	Mirror     string           `json:"mirror"` // name of its folder
	Restored   bool             `json:"restored,omitempty"`
	Rival      string           `json:"rival,omitempty"` // ref on the remote that left no room for the task's branch
	Taken      string           `json:"taken,omitempty"` // snapshot of another host that the work tree was made from
	FenceRef   string           `json:"fenceRef"`        // value of the fence ref
	Record     record           `json:"record"`
	Merging    *merging         `json:"merging,omitempty"`  // merge that waits for its commit
	Step       *step            `json:"step,omitempty"`     // unfinished step, which the next operation completes
	Unfilled   string           `json:"unfilled,omitempty"` // files of Git LFS that are pointers in the work tree
	Submodules submodules       `json:"submodules,omitzero"`
	Made       made             `json:"made,omitzero"`
	Aside      []string         `json:"aside,omitempty"` // stashes and branches of the agent's git that a commit has named; see laidAside

	at place // directory in which it is saved
}

// readState returns fs.ErrNotExist when there is no state. A damaged file is renamed, and the error names it.
func (p place) readState() (state, error) {
	var s state
	data, err := os.ReadFile(p.state())
	if err != nil {
		return s, fmt.Errorf("read workspace state: %w", err)
	}
	if err = json.Unmarshal(data, &s); err == nil && (s.TaskID == "" || s.Record.Branch == "") {
		err = errors.New("fields are missing")
	}
	if err != nil {
		return state{}, putAside(p.state(), err)
	}
	return s, nil
}

func (p place) writeState(s state) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(p.state(), append(data, '\n'))
}

// readFence returns 0 when there is no fence.
func (p place) readFence() (int, error) {
	data, err := os.ReadFile(p.fence())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	} else if err != nil {
		return 0, fmt.Errorf("read fence: %w", err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || n < 1 {
		return 0, putAside(p.fence(), fmt.Errorf("%.20q is not an attempt number", data))
	}
	return n, nil
}

// raiseFence records the attempt, or fails when a later attempt is already recorded.
func (p place) raiseFence(id string, n int) error {
	now, err := p.readFence()
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return err
	}
	switch {
	case now > n:
		return fenced(id, n, now)
	case now == n:
		return nil
	}
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return disk.Fault(fmt.Errorf("make task folder: %w", err), p.dir)
	}
	return writeFile(p.fence(), []byte(strconv.Itoa(n)+"\n"))
}

func fenced(id string, mine, current int) error {
	return fault.New(fault.Fenced, "task %s is at attempt %d; attempt %d came too late to write", id, current, mine)
}

// putAside renames a damaged file so that its content is kept. The workspace can be prepared again from git and the remote.
func putAside(path string, why error) error {
	kept := path + ".damaged"
	for n := 2; ; n++ {
		if _, err := os.Lstat(kept); errors.Is(err, fs.ErrNotExist) {
			break
		}
		kept = fmt.Sprintf("%s.damaged-%d", path, n)
	}
	if err := os.Rename(path, kept); err != nil {
		return fmt.Errorf("%s is damaged (%w) and can't be put aside: %w", path, why, err)
	}
	return fault.New(fault.NotFound, "%s is damaged: %w; its content is kept in %s", path, why, kept).
		WithHint("prepare the workspace again; commits are taken from the task's own git folder or its checkpoint")
}

// writeFile replaces a file atomically and durably: after a crash it has the old or the new content, never a part.
func writeFile(path string, data []byte) error {
	if err := atomicfile.Write(path, data); err != nil {
		return disk.Fault(fmt.Errorf("write %s: %w", path, err), filepath.Dir(path))
	}
	return nil
}
