package workfile

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/longshift/longshift/internal/atomicfile"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/filelock"
	"github.com/longshift/longshift/task"
)

// Mark records that a task is working, or has worked, on a text. A text has one mark; the mark of its next task takes the place of one that
// is over.
type Mark struct {
	ID       string       `json:"id"`  // of the work: intake.Item.ID
	Key      string       `json:"key"` // name of the file
	Sum      string       `json:"sum"` // checksum of its text
	TaskID   string       `json:"taskId"`
	Began    time.Time    `json:"began,omitzero"`
	Ended    time.Time    `json:"ended,omitzero"` // zero while the task runs
	Outcome  task.Outcome `json:"outcome,omitempty"`
	Removing bool         `json:"removing,omitempty"` // the file is being removed
	Tasks    int          `json:"tasks,omitempty"`    // how many tasks the text has had before this one
	Over     bool         `json:"over,omitempty"`     // the file has moved on from the text: if it comes back, it is new work
}

// Runs reports whether the task has not ended.
func (m Mark) Runs() bool { return m.Ended.IsZero() }

// Marks stores the marks for the files of one folder. They lie outside of the work tree, so that nobody commits them.
type Marks struct{ dir string }

// NewMarks returns the marks of that name in a worker's state folder. It creates nothing.
func NewMarks(state, name string) *Marks { return &Marks{filepath.Join(state, name)} }

const markEnd = ".json"

// All reads all marks.
func (m *Marks) All() (all []Mark, err error) {
	entries, err := os.ReadDir(m.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, m.fault("read", err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || !strings.HasSuffix(e.Name(), markEnd) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(m.dir, e.Name()))
		if errors.Is(err, fs.ErrNotExist) { // removed meanwhile
			continue
		}
		if err != nil {
			return nil, m.fault("read", err)
		}
		var one Mark
		if err := json.Unmarshal(data, &one); err != nil || one.ID == "" || one.Key == "" || one.Sum == "" {
			return nil, fault.New(fault.Changed, "the mark %s in the worker's state folder can't be read", e.Name()).
				WithHint("remove it; the work that it was about may then begin again")
		}
		all = append(all, one)
	}
	return all, nil
}

// Put atomically replaces the mark with this ID.
func (m *Marks) Put(one Mark) error {
	data, err := json.MarshalIndent(one, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(m.dir, 0o700); err != nil {
		return m.fault("make", err)
	}
	if err := atomicfile.Write(m.file(one.ID), append(data, '\n')); err != nil {
		return m.fault("write to", err)
	}
	return m.sync()
}

// Drop removes a mark if it exists.
func (m *Marks) Drop(id string) error {
	if err := os.Remove(m.file(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return m.fault("write to", err)
	}
	return nil
}

// file returns a file name without colons, which some file systems do not allow.
func (m *Marks) file(id string) string {
	return filepath.Join(m.dir, strings.ReplaceAll(id, ":", ".")+markEnd)
}

func (m *Marks) sync() error {
	dir, err := os.Open(m.dir)
	if err != nil {
		return m.fault("write to", err)
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return m.fault("write to", err)
	}
	return nil
}

func (m *Marks) fault(what string, err error) error {
	if err = Fault(what, "the worker's state folder", err); fault.KindOf(err) == fault.NotFound {
		return fault.New(fault.Infra, "%w", err)
	}
	return err
}

// Lock locks marks and files on this machine, between processes too, until release is called or the process ends.
func (m *Marks) Lock(ctx context.Context) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(m.dir, 0o700); err != nil {
		return nil, m.fault("make", err)
	}
	release, err = filelock.Take(ctx, filepath.Join(m.dir, "lock"), os.O_CREATE)
	if err != nil && ctx.Err() == nil {
		return nil, m.fault("lock", err)
	}
	return release, err
}
