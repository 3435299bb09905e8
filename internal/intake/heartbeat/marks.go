package heartbeat

import (
	"fmt"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/workfile"
)

// mark returns a mark of a task for a text, without its times. The id is the workflow id of that one task. A text that comes back after
// the file had moved on from it gets another task, so its id counts the tasks that it has had.
func (d *desk) mark(all []workfile.Mark, sum, taskID string) workfile.Mark {
	m := workfile.Mark{ID: fmt.Sprintf("heartbeat:%s:%.8s", d.ID, sum), Key: d.name, Sum: sum, TaskID: taskID}
	known := workfile.Of(all, d.name, sum)
	switch {
	case known == nil:
	case known.Over && known.TaskID != taskID:
		m.Tasks = known.Tasks + 1
		m.ID += fmt.Sprintf(":%d", m.Tasks+1)
	default:
		m.ID, m.Tasks, m.Over = known.ID, known.Tasks, known.Over
	}
	return m
}

// end marks the text as done before anything is written, so that it is not started again after a crash.
func (s *Source) end(d *desk, n intake.Note, all []workfile.Mark) error {
	known := workfile.Of(all, d.name, n.Sum)
	m := d.mark(all, n.Sum, n.TaskID)
	m.Outcome, m.Ended = n.Outcome, s.config.Now().UTC()
	if known != nil && known.TaskID == n.TaskID && !known.Runs() {
		m.Ended = known.Ended
	}
	return d.Marks.End(all, &m)
}

// moveOn marks the texts that have ended well and that the file no longer has: if a person writes one again, by removing the ticks of work
// that is due again, it gets another task. It looks when a task reports, so what a person changes back before is not seen. It also drops old marks.
func (s *Source) moveOn(d *desk) error {
	sum, err := d.sum(d.name)
	if err != nil {
		return err
	}
	all, err := d.Marks.All()
	if err != nil {
		return err
	}
	for i := range all {
		m := &all[i]
		if sum == "" { // the file is away, perhaps for a moment
			break
		}
		if m.Key != d.name || m.Sum == sum || m.Runs() || m.Over || !m.Outcome.Good() {
			continue
		}
		m.Over = true
		if err := d.Marks.Put(*m); err != nil {
			return err
		}
	}
	return d.Marks.Sweep(all, s.config.Now(), d.sum)
}

// sum returns the checksum of a file's text, "" if there is no file.
func (d *desk) sum(name string) (string, error) {
	f, err := d.Read(name)
	if fault.KindOf(err) == fault.NotFound {
		return "", nil
	}
	return split(f.Data).sum(), err
}
