package heartbeat

import (
	"bytes"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/workfile"
)

// write updates the file with the note. It returns false when somebody has changed the file meanwhile.
func (s *Source) write(d *desk, n intake.Note, theirs []byte, take bool, all []workfile.Mark) (bool, error) {
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
	if take && now.sum() == n.Sum {
		branch := split(withLineEnd(theirs, lineEnd(now.person())))
		next.before, next.after, next.has = branch.before, branch.after, branch.has
		if next.sum() == now.sum() {
			next = now
		}
	}
	next = next.add(n, s.config.Now())
	if next.sum() != now.sum() && !(look(next.person()).lessThan(look(now.person()))) {
		m := workfile.Mark{ID: d.id(next.sum()), Key: d.name, Sum: next.sum(), TaskID: n.TaskID, Outcome: n.Outcome, Ended: s.config.Now().UTC()}
		if workfile.Of(all, d.name, m.Sum) == nil {
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

// withLineEnd converts a text's line ends.
func withLineEnd(text []byte, eol string) []byte {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(text, []byte("\n"), []byte(eol))
}
