package workfile

import (
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// Keep is how long a mark is kept after its file or text is gone. A file may come back, for example when somebody checks out another
// branch.
const Keep = 7 * 24 * time.Hour

// KeepOver is how long a mark that is over, or comes after one, is kept. It counts the tasks of its text, and the server refuses a task the id
// of an earlier one for as long as it remembers that one.
const KeepOver = 365 * 24 * time.Hour

// Hides returns the mark that prevents work on a file with this text: that of a task that is working on the file, whatever its text is
// now, or that of a task that has had this text. It returns nil if there is none.
func Hides(all []Mark, key, sum string) *Mark {
	if m := Running(all, key); m != nil {
		return m
	}
	if m := Of(all, key, sum); m != nil && !m.Over {
		return m
	}
	return nil
}

// Of returns the newest mark for a text, or nil.
func Of(all []Mark, key, sum string) (newest *Mark) {
	for i := range all {
		if m := &all[i]; m.Key == key && m.Sum == sum && (newest == nil || m.Tasks > newest.Tasks) {
			newest = m
		}
	}
	return newest
}

// Running returns the mark of the task that is working on a file, or nil.
func Running(all []Mark, key string) *Mark {
	for i := range all {
		if all[i].Key == key && all[i].Runs() {
			return &all[i]
		}
	}
	return nil
}

// Claim marks a text as claimed by a task. The caller holds the lock and has checked that the file has this text.
func (m *Marks) Claim(all []Mark, want Mark) error {
	switch other := Hides(all, want.Key, want.Sum); {
	case other == nil:
		return m.Put(want)
	case other.TaskID == want.TaskID && other.Sum == want.Sum:
		return nil
	default:
		return fault.New(fault.Conflict, "%s: %s", want.Key, other.Why()).WithHint("%s", other.WayOut())
	}
}

// Ending returns the checksum of the text whose task ends now: the given one, or else that of its claim. It is a Conflict when another
// task works on the file.
func (d *MarkedFolder) Ending(all []Mark, key, taskID, sum string) (string, error) {
	running := Running(all, key)
	switch {
	case running == nil:
		return sum, nil
	case running.TaskID != taskID:
		return "", fault.New(fault.Conflict, "%s: %s", d.Name(key), running.Why())
	case sum == "":
		return running.Sum, nil
	}
	return sum, nil
}

// End marks the text of a task that has ended and drops the task's mark on any other text. The caller holds the lock.
func (m *Marks) End(all []Mark, one *Mark) error {
	if known := Of(all, one.Key, one.Sum); known != nil && known.ID == one.ID {
		one.Began = known.Began
	}
	if err := m.Put(*one); err != nil {
		return err
	}
	if running := Running(all, one.Key); running != nil && running.ID != one.ID {
		return m.Drop(running.ID)
	}
	return nil
}

// Why says why work on the file must not start.
func (m Mark) Why() string {
	if m.Runs() {
		return "task " + m.TaskID + " works on it"
	}
	return "its task has ended with this text: " + outcome(m)
}

// WayOut says what a person can do about it.
func (m Mark) WayOut() string {
	if m.Runs() {
		return "wait for the task to end, or give the file another name"
	}
	return "edit the file to have it worked on again"
}

func outcome(m Mark) string {
	if m.Outcome == "" {
		return "no outcome"
	}
	return string(m.Outcome)
}

// Sweep drops marks that are older than Keep, or KeepOver if they count tasks, and whose text no longer exists, and those whose text has a newer
// one. says returns the checksum of a file's text, "" if there is none. The caller holds the lock.
func (m *Marks) Sweep(all []Mark, now time.Time, says func(key string) (string, error)) error {
	for _, one := range all {
		stale, err := one.stale(all, now, says)
		if err == nil && stale {
			err = m.Drop(one.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m Mark) stale(all []Mark, now time.Time, says func(key string) (string, error)) (bool, error) {
	if Of(all, m.Key, m.Sum).Tasks > m.Tasks { // the newer one counts the tasks
		return true, nil
	}
	since, keep := m.Ended, Keep
	switch {
	case m.Runs():
		since = m.Began
	case m.Over || m.Tasks > 0:
		keep = KeepOver
	}
	if now.Sub(since) < keep {
		return false, nil
	}
	sum, err := says(m.Key)
	return err == nil && (sum == "" || !m.Runs() && sum != m.Sum), err
}
