// Package sweep removes what ended tasks have left in a data folder: workspaces, sessions, logs, caches, and their refs
// on remotes; and temporary folders of processes that were killed. It may not remove anything of a task that is not known to
// have ended, nor work that exists nowhere else. Callers decide when it runs, and tell it whether a workflow has ended.
package sweep

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// Spaces manages the workspaces of the data folder.
type Spaces interface {
	Unsaved(ctx context.Context, taskID string) (why string, alone bool, err error)
	Remove(ctx context.Context, taskID string, keepRemote bool) error
}

// Sweeper cleans one data folder.
type Sweeper struct {
	Tasks  string        // the folder with a subfolder for each task
	Keep   time.Duration // how long ended tasks are kept; 0 means for ever
	Size   int64         // maximum bytes of ended tasks; beyond it the oldest are removed first; 0 means no limit
	Spaces Spaces
	Asked  func(context.Context, Owner) (State, error) // what the server says of the workflow
	Now    func() time.Time
	Log    *slog.Logger

	Temporary []string // how the paths of folders begin that are used for minutes, and stay when their process is killed

	remove func(path string) error // lets tests simulate a crash; nil means remove.All
}

// State is what the server knows of a workflow.
type State struct {
	Known bool   // it knows the owner's run; if not, this may be another server
	Runs  string // the workflow's run that is running now, "" for none
}

// gone is the name prefix of a folder that is being removed. If the process dies meanwhile, its remaining content has no
// meaning.
const gone = ".gone-"

// Leftover is the folder of a task.
type Leftover struct {
	Task  string    `json:"task"`
	Bytes int64     `json:"bytes"`
	Ended time.Time `json:"ended,omitzero"`
	Stays string    `json:"stays,omitempty"` // why it is kept; "" if it can be removed

	owner Owner
	alone bool // keep its checkpoint on the remote
}

// Find determines for each folder whether it can be removed. It removes nothing.
func (s *Sweeper) Find(ctx context.Context) ([]Leftover, error) {
	dirs, err := os.ReadDir(s.Tasks)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fault.New(fault.Infra, "look for what tasks have left: %w", err)
	}
	var all []Leftover
	for _, d := range dirs {
		if !d.IsDir() || strings.HasPrefix(d.Name(), gone) {
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		all = append(all, s.look(ctx, d.Name()))
	}
	slices.SortStableFunc(all, func(a, b Leftover) int { return cmp.Or(a.Ended.Compare(b.Ended), cmp.Compare(a.Task, b.Task)) })
	var total int64
	for _, l := range all {
		if !l.Ended.IsZero() {
			total += l.Bytes
		}
	}
	for i := range all {
		l := &all[i]
		if l.Stays != "" {
			continue
		}
		old := s.Keep > 0 && s.Now().Sub(l.Ended) >= s.Keep
		if large := s.Size > 0 && total > s.Size; !old && !large {
			l.Stays = "its time has not come"
			continue
		}
		if s.again(ctx, l) {
			continue
		}
		if l.Stays, l.alone, err = s.Spaces.Unsaved(ctx, l.Task); err != nil { // last, because it asks the remote
			l.Stays = err.Error()
		}
		if l.Stays == "" {
			total -= l.Bytes
		}
	}
	return all, ctx.Err() // what was asked meanwhile has no answer
}

func (s *Sweeper) look(ctx context.Context, id string) Leftover {
	dir := filepath.Join(s.Tasks, id)
	l := Leftover{Task: id, Bytes: sizeOf(dir)}
	var known bool
	var err error
	if l.owner, known, err = ownerOf(dir); err == nil && !known {
		l.Stays = "nobody knows whose it is"
		return l
	}
	if err == nil && l.owner.Ended.IsZero() {
		var now State
		switch now, err = s.Asked(ctx, l.owner); {
		case err != nil:
		case now.Known && now.Runs == "":
			err = s.markEnded(ctx, dir, &l.owner)
		default:
			l.Stays = "the task runs, or the server does not know it"
			if now.Known && now.Runs != l.owner.Run { // the server forgets the runs before it
				err = s.note(ctx, dir, &l.owner, Owner{Workflow: l.owner.Workflow, Run: now.Runs})
			}
		}
	}
	l.Ended = l.owner.Ended
	if err != nil {
		l.Stays = err.Error()
	}
	return l
}

// again tells whether a task that has ended runs again, as one does that was reset. Then it ends later than was noted.
func (s *Sweeper) again(ctx context.Context, l *Leftover) bool {
	now, err := s.Asked(ctx, l.owner)
	switch {
	case err != nil:
		l.Stays = err.Error()
	case now.Runs != "":
		l.Stays = "the task runs again"
		if err := s.markEnded(ctx, filepath.Join(s.Tasks, l.Task), &l.owner); err != nil {
			l.Stays = err.Error()
		}
	}
	return l.Stays != ""
}

// markEnded writes down that the owner has ended.
func (s *Sweeper) markEnded(ctx context.Context, dir string, o *Owner) error {
	return s.note(ctx, dir, o, Owner{Workflow: o.Workflow, Run: o.Run, Ended: s.Now().UTC().Round(0)})
}

// note replaces the note of an owner. The server's answer takes time, in which another may have come.
func (s *Sweeper) note(ctx context.Context, dir string, o *Owner, by Owner) error {
	release, err := holdOf(ctx, dir, *o)
	if err != nil {
		return err
	}
	defer release()
	*o = by
	return writeNote(dir, by)
}

func sizeOf(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // unreadable files are not counted
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
		return nil
	})
	return n
}
