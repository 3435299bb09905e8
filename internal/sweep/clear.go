package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/remove"
)

// Clear removes the removable folders and returns how much it has removed. It keeps a folder that is in use again since
// Find, and notes in Stays why it has not removed one. It first removes what an interrupted Clear and other killed processes
// have left.
func (s *Sweeper) Clear(ctx context.Context, all []Leftover) (freed int64, err error) {
	begun, _ := filepath.Glob(filepath.Join(s.Tasks, gone+"*"))
	for _, dir := range begun {
		err = errors.Join(err, s.discard(dir))
	}
	for _, prefix := range s.Temporary {
		err = errors.Join(err, s.clearTemporary(prefix))
	}
	for i := range all {
		l := &all[i]
		if l.Stays != "" {
			continue
		}
		if one := s.clear(ctx, *l); one != nil {
			if l.Stays = one.Error(); ctx.Err() != nil {
				l.Stays = "interrupted"
			}
			err = errors.Join(err, fmt.Errorf("remove what task %s has left: %w", l.Task, one))
			continue
		}
		freed += l.Bytes
		s.Log.InfoContext(ctx, "Removed what an ended task had left", "task", l.Task, "bytes", l.Bytes)
	}
	return freed, err
}

// abandonedAfter is the age at which no process uses a temporary folder any more.
const abandonedAfter = time.Hour

func (s *Sweeper) clearTemporary(prefix string) (err error) {
	parent, name := filepath.Split(prefix)
	list, _ := os.ReadDir(parent)
	for _, d := range list {
		if !d.IsDir() || !strings.HasPrefix(d.Name(), name) {
			continue
		}
		if info, failed := d.Info(); failed == nil && s.Now().Sub(info.ModTime()) > abandonedAfter {
			err = errors.Join(err, s.discard(filepath.Join(parent, d.Name())))
		}
	}
	return err
}

func (s *Sweeper) clear(ctx context.Context, l Leftover) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	aside, err := s.setAside(ctx, l)
	if err != nil {
		return err
	}
	return s.discard(aside)
}

// setAside removes the workspace, and renames the task's folder to one that nobody uses.
func (s *Sweeper) setAside(ctx context.Context, l Leftover) (aside string, err error) {
	dir := filepath.Join(s.Tasks, l.Task)
	release, err := holdOf(ctx, dir, l.owner)
	if err != nil {
		return "", err
	}
	defer release()
	if err := s.Spaces.Remove(ctx, l.Task, l.alone); err != nil {
		return "", err
	}
	aside = filepath.Join(s.Tasks, gone+l.Task)
	return aside, os.Rename(dir, aside)
}

func (s *Sweeper) discard(dir string) error {
	if s.remove != nil {
		return s.remove(dir)
	}
	return remove.All(dir)
}
