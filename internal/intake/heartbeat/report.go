package heartbeat

import (
	"bytes"
	"context"
	"fmt"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/workfile"
)

// Queue implements intake.Reporter. The file shows only results, not who waits, so it only checks the arguments.
func (s *Source) Queue(ctx context.Context, q intake.Query, key string, _ intake.Note) error {
	_, err := s.Read(ctx, q, key)
	return err
}

// locked runs a change with the file's folder open and locked, after recovering from a crash.
func (s *Source) locked(ctx context.Context, q intake.Query, key string, n intake.Note, do func(d *desk, all []workfile.Mark) error) error {
	d, err := s.open(ctx, q)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.checkKey(key); err != nil {
		return err
	}
	if n.TaskID == "" {
		return fault.New(fault.Input, "heartbeat: a note has no task")
	}
	if err := d.Locked(ctx, func(all []workfile.Mark) error { return do(d, all) }); err != nil {
		return fmt.Errorf("heartbeat: %w", err)
	}
	return nil
}

// Claim implements intake.Reporter. The claim holds until Report, even if the file changes.
func (s *Source) Claim(ctx context.Context, q intake.Query, key string, n intake.Note) error {
	return s.locked(ctx, q, key, n, func(d *desk, all []workfile.Mark) error {
		f, err := d.Read(key)
		if err != nil {
			return err
		}
		if m := workfile.Of(all, key, n.Sum); m != nil && m.TaskID == n.TaskID && m.Runs() { // claimed by an earlier call
			return nil
		}
		text := split(f.Data)
		person := bytes.TrimSpace(text.person())
		if text.sum() != n.Sum {
			return fault.New(fault.Conflict, "%s was edited after the task was made", d.Name(key)).WithHint("it is listed again as other work")
		}
		if why := no(f, person); why != "" {
			return fault.New(fault.Conflict, "%s can't be started: %s", d.Name(key), why)
		}
		if !look(person).work() {
			return fault.New(fault.Conflict, "nothing in %s is left to do", d.Name(key))
		}
		m := d.mark(all, n.Sum, n.TaskID)
		m.Began = s.config.Now().UTC()
		return d.Marks.Claim(all, m)
	})
}

// Report implements intake.Reporter. It adds a line to our section. If the task has succeeded and nobody has edited the file since, it
// also takes what the task's branch has made of it.
func (s *Source) Report(ctx context.Context, q intake.Query, key string, n intake.Note) error {
	return s.locked(ctx, q, key, n, func(d *desk, all []workfile.Mark) error {
		var err error
		if n.Sum, err = d.Ending(all, key, n.TaskID, n.Sum); err != nil {
			return err
		}
		if n.Sum == "" {
			return fault.New(fault.Input, "%s: the note does not say which text the task has had", d.Name(key))
		}
		if err := s.end(d, n, all); err != nil {
			return err
		}
		var made result
		if n.Outcome.Good() && n.Branch != "" {
			if made, err = s.result(ctx, d, n.Branch); err != nil {
				return err
			}
		}
		for range attempts {
			done, err := s.write(d, n, made, all)
			if err != nil {
				return err
			}
			if done {
				return s.moveOn(d)
			}
		}
		return fault.New(fault.Infra, "%s: somebody else changes it all the time", d.Name(key))
	})
}

// attempts limits how often a write starts over because somebody has changed the file meanwhile.
const attempts = 20

// write updates the file with the note. It returns false when somebody has changed the file meanwhile.
func (s *Source) write(d *desk, n intake.Note, made result, all []workfile.Mark) (bool, error) {
	f, err := d.Read(d.name)
	if err != nil {
		return false, err
	}
	if f.Size > workfile.Most/2 {
		return false, fault.New(fault.Input, "%s has %d bytes: too many to write progress into it", d.Name(d.name), f.Size).
			WithHint("put less into it")
	}
	now := split(f.Data)
	next := now
	if made.ok && now.sum() == n.Sum {
		next = now.take(made)
	}
	next = next.add(n, s.config.Now())
	if next.sum() != now.sum() && !(look(next.person()).lessThan(look(now.person()))) {
		m := d.mark(all, next.sum(), n.TaskID)
		m.Outcome, m.Ended, m.Over = n.Outcome, s.config.Now().UTC(), false
		if known := workfile.Of(all, d.name, m.Sum); known == nil || known.Over {
			if err := d.Marks.Put(m); err != nil {
				return false, err
			}
		}
	}
	data := next.join()
	if bytes.Equal(data, f.Data) {
		return true, nil
	}
	return d.Replace(d.name, f.Data, data)
}

// take returns the page with what a task has made of it. The task saw the file as it was in its work tree, but its branch began with the one that
// was committed. Where these differ, the branch lacks what was not committed, so only what it has ticked is taken.
func (p page) take(made result) page {
	branch := split(withLineEnd(made.text, lineEnd(p.person())))
	next := p
	if made.began == nil || split(made.began).same(p) {
		next.before, next.after, next.has = branch.before, branch.after, branch.has
	} else {
		next.before, next.after = tick(p.before, branch.person()), tick(p.after, branch.person())
	}
	if next.sum() == p.sum() {
		return p
	}
	return next
}

// same reports whether people have written the same on both pages. Line ends don't count: git may write those of a work tree by its settings.
func (p page) same(q page) bool {
	plain := func(p page) page { return page{before: withLineEnd(p.person(), "\n")} }
	return plain(p).sum() == plain(q).sum()
}

// withLineEnd converts a text's line ends.
func withLineEnd(text []byte, eol string) []byte {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(text, []byte("\n"), []byte(eol))
}
