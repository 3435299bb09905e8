package github

import (
	"context"
	"fmt"
	"slices"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/task"
)

// A claim consists of the claim label and a note of ours in state working. People see the label. Once they have removed it, another task
// may claim the issue; it does not begin by itself, `/longshift run` starts it. The note says which task has claimed the issue. Each task has
// one note, found by its TaskID, so that a retry finds its own.
//
// The order makes a crash at any point harmless:
//
//  1. Read the notes, then the issue with its labels. A note of another task in state working counts only while the label is set. The
//     label is set before the note is written, so a note without a label means that somebody has removed the label. That claim has ended,
//     and its note is retired so that it does not count later.
//  2. Set the label. After a crash here the issue is no longer listed and has no working note: the retry of this task continues, and a
//     person may start another.
//  3. Write the note in state working. After a crash here the retry finds its own note.
//  4. Read the notes again. A task that finds an earlier working note of another task has lost: two simultaneous claims both see the
//     first one. The loser withdraws its own claim and reports a conflict.
//
// GitHub's timestamps are in whole seconds and it has no conditional writes, so one gap remains: two tasks, of which one had a note
// before (from Queue), and whose claims fall into the same second, may both win. They would have to belong to two installations with one
// account, because within one installation the workflow id keeps them apart.
const (
	working = "working"
	ended   = "ended"
	left    = "left" // no claim: withdrawn, released by a person, or never made
)

// ours is the prefix of our notes' keys.
const ours = "work/"

const takenText = "Another task has taken this issue, so this one does not begin."

func (s *Source) Queue(ctx context.Context, q intake.Query, key string, n intake.Note) error {
	number, err := s.check(q, key, n)
	if err != nil {
		return err
	}
	return s.show(ctx, q, number, n, "")
}

func (s *Source) Claim(ctx context.Context, q intake.Query, key string, n intake.Note) error {
	number, err := s.check(q, key, n)
	if err != nil {
		return err
	}
	if err := s.free(ctx, q, number, n); err != nil {
		return err
	}
	if err := s.hub.SetLabel(ctx, q.Repository, number, s.claim, true); err != nil {
		return fmt.Errorf("claim issue #%d of %s: %w", number, q.Repository.Text, err)
	}
	if err := s.show(ctx, q, number, n, working); err != nil {
		return err
	}
	return s.settle(ctx, q, number, n)
}

// free fails if the issue is not wanted or another task has it, and retires notes that a person has released.
func (s *Source) free(ctx context.Context, q intake.Query, number int, n intake.Note) error {
	notes, err := s.notes(ctx, q, number)
	if err != nil {
		return err
	}
	asked, err := s.query(q)
	if err != nil {
		return err
	}
	a, err := s.hub.Asked(ctx, q.Repository, number, asked)
	switch {
	case err != nil:
		return fmt.Errorf("read issue #%d of %s: %w", number, q.Repository.Text, err)
	case !a.Open:
		return s.withdraw(ctx, q, number, n, notes, fault.New(fault.Conflict, "issue #%d of %s is closed", number, q.Repository.Text))
	case !a.Fits:
		return s.withdraw(ctx, q, number, n, notes,
			fault.New(fault.Conflict, "issue #%d of %s is not asked for any more: %s", number, q.Repository.Text, want(q)))
	}
	for _, o := range notes {
		switch {
		case o.Key == ours+n.TaskID && o.State == ended:
			return fault.New(fault.Conflict, "task %.100q has ended and can't claim issue #%d", n.TaskID, number)
		case o.Key == ours+n.TaskID || o.State != working:
		case s.isClaimed(a):
			return s.taken(number, q)
		default:
			if err := s.rest(ctx, q, number, o.Key, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle decides between simultaneous claims: the earlier note wins.
func (s *Source) settle(ctx context.Context, q intake.Query, number int, n intake.Note) error {
	notes, err := s.notes(ctx, q, number)
	if err != nil {
		return err
	}
	var mine *forge.Note
	for i := range notes {
		if notes[i].Key == ours+n.TaskID {
			mine = &notes[i]
		}
	}
	// The list may lag behind what was just written. A person may also have deleted the note, but an issue is released by its label alone. So
	// the claim is made once more: the next attempt finds the note, or writes it again.
	if mine == nil || mine.State == "" {
		return fault.New(fault.Infra, "the claim on issue #%d of %s does not show there yet", number, q.Repository.Text)
	}
	if mine.State != working { // retired meanwhile: somebody has released the issue
		return fault.New(fault.Conflict, "the claim on issue #%d of %s was taken back", number, q.Repository.Text)
	}
	for _, o := range notes {
		if o.Key == mine.Key || o.State != working || !before(o, *mine) {
			continue
		}
		if err := s.rest(ctx, q, number, mine.Key, takenText); err != nil {
			return err
		}
		return s.taken(number, q)
	}
	return nil
}

func before(a, b forge.Note) bool {
	if !a.Changed.Equal(b.Changed) {
		return a.Changed.Before(b.Changed)
	}
	return a.ID < b.ID
}

func (s *Source) taken(number int, q intake.Query) error {
	return fault.New(fault.Conflict, "another task has claimed issue #%d of %s", number, q.Repository.Text).
		WithHint("to let another task have it, take the label %q off the issue and write `/longshift run` there", s.claim)
}

// Report implements intake.Reporter. The claim label is set whatever else the outcome is: a merge closes the issue, and failed work does not
// start again by itself. A person can restart it with `/longshift run`. A task that declines has set the label by its claim, unless it was
// refused the issue: then nobody works on it, or another task, which has set the label.
func (s *Source) Report(ctx context.Context, q intake.Query, key string, n intake.Note) error {
	number, err := s.check(q, key, n)
	if err != nil {
		return err
	}
	state, err := s.endOf(ctx, q, number, n)
	if err != nil {
		return err
	}
	if err := s.show(ctx, q, number, n, state); err != nil || n.Outcome == task.Declined {
		return err
	}
	if err := s.hub.SetLabel(ctx, q.Repository, number, s.claim, true); err != nil {
		return fmt.Errorf("mark issue #%d of %s: %w", number, q.Repository.Text, err)
	}
	return nil
}

// endOf returns the state of the note of a task that has ended. One that had waited, and was then refused the issue, has never claimed it.
func (s *Source) endOf(ctx context.Context, q intake.Query, number int, n intake.Note) (string, error) {
	if n.Outcome != task.Declined {
		return ended, nil
	}
	notes, err := s.notes(ctx, q, number)
	for _, o := range notes {
		if o.Key == ours+n.TaskID && (o.State == "" || o.State == left) {
			return left, nil
		}
	}
	return ended, err
}

// Record sets the claim label on an issue whose task has left no claim there, as tasks that people start do. An issue with a note of a
// claim is left alone: it has had the label, and a person has taken it off. So the label is set only once: Record writes a note too.
func (s *Source) Record(ctx context.Context, q intake.Query, key string, n intake.Note) error {
	number, err := s.check(q, key, n)
	if err != nil {
		return err
	}
	notes, err := s.notes(ctx, q, number)
	if err != nil || slices.ContainsFunc(notes, func(o forge.Note) bool { return o.State == working || o.State == ended }) {
		return err
	}
	if err := s.hub.SetLabel(ctx, q.Repository, number, s.claim, true); err != nil {
		return fmt.Errorf("mark issue #%d of %s: %w", number, q.Repository.Text, err)
	}
	return s.show(ctx, q, number, n, ended)
}
