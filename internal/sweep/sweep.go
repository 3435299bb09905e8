// Package sweep removes what ended tasks have left in a data folder: workspaces, sessions, logs, caches, and their refs on remotes. Nothing
// goes of a task that is not known to have ended, and no work that is nowhere else. When it runs and what a workflow is, callers say.
package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/remove"
)

// Spaces are the workspaces of the data folder.
type Spaces interface {
	Unsaved(ctx context.Context, taskID string) (why string, alone bool, err error)
	Remove(ctx context.Context, taskID string, keepRemote bool) error
}

// Sweeper looks through one data folder.
type Sweeper struct {
	Tasks  string        // the folder that holds one for each task
	Keep   time.Duration // how long what an ended task leaves is kept; 0 for ever
	Size   int64         // bytes that ended tasks may take; above it the oldest go first; 0 for no limit
	Spaces Spaces
	Ended  func(context.Context, Owner) (bool, error) // whether the server knows the workflow, and that it has ended
	Now    func() time.Time
	Log    *slog.Logger

	remove func(path string) error // for tests that die in it; nil for remove.All
}

// gone begins the name of a folder that is being removed. It was the task's: what is left of it when we die says nothing any more.
const gone = ".gone-"

// Leftover is the folder of a task.
type Leftover struct {
	Task  string    `json:"task"`
	Bytes int64     `json:"bytes"`
	Ended time.Time `json:"ended,omitzero"`
	Stays string    `json:"stays,omitempty"` // why; "" when it goes

	owner Owner
	alone bool // its checkpoint on the remote stays
}

// Find tells of each folder whether it goes. It removes nothing.
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
		if l.Stays, l.alone, err = s.Spaces.Unsaved(ctx, l.Task); err != nil { // asked last: it asks the remote
			l.Stays = err.Error()
		}
		if l.Stays == "" {
			total -= l.Bytes
		}
	}
	return all, nil
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
		var ended bool
		if ended, err = s.Ended(ctx, l.owner); err == nil && !ended {
			l.Stays = "the task runs, or the server does not know it"
			return l
		} else if err == nil {
			l.owner.Ended = s.Now().UTC().Round(0)
			err = Note(dir, l.owner)
		}
	}
	l.Ended = l.owner.Ended
	if err != nil {
		l.Stays = err.Error()
	}
	return l
}

// Clear removes what goes, and gives how much that was. A folder that is in use again since the look stays. What an earlier call was
// removing when it died is removed first.
func (s *Sweeper) Clear(ctx context.Context, all []Leftover) (freed int64, err error) {
	begun, _ := filepath.Glob(filepath.Join(s.Tasks, gone+"*"))
	for _, dir := range begun {
		err = errors.Join(err, s.discard(dir))
	}
	for _, l := range all {
		if l.Stays != "" || ctx.Err() != nil {
			continue
		}
		if one := s.clear(ctx, l); one != nil {
			err = errors.Join(err, fmt.Errorf("remove what task %s has left: %w", l.Task, one))
			continue
		}
		freed += l.Bytes
		s.Log.InfoContext(ctx, "Removed what an ended task had left", "task", l.Task, "bytes", l.Bytes)
	}
	return freed, err
}

func (s *Sweeper) clear(ctx context.Context, l Leftover) error {
	dir := filepath.Join(s.Tasks, l.Task)
	if now, known, err := ownerOf(dir); err != nil || !known || now != l.owner {
		return errors.Join(err, errors.New("it is in use again"))
	}
	if err := s.Spaces.Remove(ctx, l.Task, l.alone); err != nil {
		return err
	}
	aside := filepath.Join(s.Tasks, gone+l.Task)
	if err := os.Rename(dir, aside); err != nil {
		return err
	}
	return s.discard(aside)
}

func (s *Sweeper) discard(dir string) error {
	if s.remove != nil {
		return s.remove(dir)
	}
	return remove.All(dir)
}

func sizeOf(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what can't be read is not counted
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
		return nil
	})
	return n
}
