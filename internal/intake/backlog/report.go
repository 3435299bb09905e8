package backlog

import (
	"context"
	"fmt"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/workfile"
	"github.com/longshift/longshift/task"
)

// Queue implements intake.Reporter. A folder can't show who waits, so it only checks the arguments.
func (s *Source) Queue(ctx context.Context, q intake.Query, key string, _ intake.Note) error {
	d, err := s.open(ctx, q)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Quiet(ctx); err != nil {
		return fmt.Errorf("backlog: %w", err)
	}
	if _, err := d.read(key); err != nil {
		return fmt.Errorf("backlog: %w", err)
	}
	return nil
}

// locked runs a change with the folder open and locked, after recovering from a crash.
func (s *Source) locked(ctx context.Context, q intake.Query, do func(d *desk, all []workfile.Mark) error) error {
	d, err := s.open(ctx, q)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Locked(ctx, func(all []workfile.Mark) error { return do(d, all) }); err != nil {
		return fmt.Errorf("backlog: %w", err)
	}
	return nil
}

// Claim implements intake.Reporter. The claim holds until Report. If the file changes meanwhile, it is new work after that.
func (s *Source) Claim(ctx context.Context, q intake.Query, key string, n intake.Note) error {
	if err := checkNote(n); err != nil {
		return err
	}
	return s.locked(ctx, q, func(d *desk, all []workfile.Mark) error {
		f, err := d.read(key)
		if err != nil {
			return err
		}
		if m := workfile.Of(all, key, n.Sum); m != nil && m.TaskID == n.TaskID && m.Runs() { // claimed by an earlier call
			return nil
		}
		if f.Sum() != n.Sum {
			return fault.New(fault.Conflict, "%s was edited after the task was made", d.Name(key)).WithHint("it is listed again as other work")
		}
		if why := no(key, f); why != "" {
			return fault.New(fault.Conflict, "%s can't be started: %s", d.Name(key), why)
		}
		return d.Marks.Claim(all, workfile.Mark{ID: d.id(key, n.Sum), Key: key, Sum: n.Sum, TaskID: n.TaskID, Began: s.config.Now().UTC()})
	})
}

func checkNote(n intake.Note) error {
	if n.TaskID == "" {
		return fault.New(fault.Input, "backlog: a note has no task")
	}
	return nil
}

// removes reports whether an outcome removes the file.
func removes(o task.Outcome) bool {
	return o == task.PullRequest || o == task.AlreadyDone || o == task.MaxIterations
}

// Report implements intake.Reporter. The file is removed if the outcome is a pull request, work that was already done, or the end of all
// iterations, and if nobody has edited it since. Otherwise it stays, and the same text is not started again.
func (s *Source) Report(ctx context.Context, q intake.Query, key string, n intake.Note) error {
	if err := checkNote(n); err != nil {
		return err
	}
	return s.locked(ctx, q, func(d *desk, all []workfile.Mark) error {
		err := checkKey(key)
		if err != nil {
			return err
		}
		if n.Sum, err = d.Ending(all, key, n.TaskID, n.Sum); err != nil {
			return err
		}
		if before := workfile.Of(all, key, n.Sum); before != nil && before.TaskID == n.TaskID && !before.Runs() && !before.Removing {
			return nil
		}
		if err := s.end(d, key, n, all); err != nil {
			return err
		}
		return s.sweep(d, all)
	})
}

// end writes the mark first, so that the text is not started again after a crash.
func (s *Source) end(d *desk, key string, n intake.Note, all []workfile.Mark) error {
	f, err := d.read(key)
	gone := fault.KindOf(err) == fault.NotFound
	known := workfile.Of(all, key, n.Sum)
	if err != nil && !(gone && known != nil && known.TaskID == n.TaskID) {
		return err
	}
	if n.Sum == "" {
		return fault.New(fault.Input, "%s: the note does not say which text the task has had", d.Name(key))
	}
	same := !gone && f.Sum() == n.Sum
	m := workfile.Mark{ID: d.id(key, n.Sum), Key: key, Sum: n.Sum, TaskID: n.TaskID, Outcome: n.Outcome, Ended: s.config.Now().UTC()}
	m.Removing = same && removes(n.Outcome)
	if err := d.Marks.End(all, &m); err != nil {
		return err
	}
	if !m.Removing {
		return nil
	}
	removed, err := d.Remove(key, f.Data)
	if err != nil {
		return err
	}
	s.config.Log.Info("backlog: the task of a file has ended", "file", d.Name(key), "outcome", n.Outcome, "removed", removed)
	m.Removing = false
	return d.Marks.Put(m)
}

// sweep drops old marks.
func (s *Source) sweep(d *desk, all []workfile.Mark) error {
	return d.Marks.Sweep(all, s.config.Now(), func(key string) (string, error) {
		f, err := d.read(key)
		if k := fault.KindOf(err); k == fault.NotFound || k == fault.Input {
			return "", nil
		}
		return f.Sum(), err
	})
}
