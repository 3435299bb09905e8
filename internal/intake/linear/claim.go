package linear

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/intake"
)

// claimHolds is how long a claim counts while the issue has not been moved: longer than a call with all its retries goes on.
const claimHolds = 15 * time.Minute

// Claim implements intake.Reporter. Its steps are the note, the claim on it, the issue's state, and the note's text, in this order:
//
//   - The claim is what decides, for its id is the same for all tasks and is given once: who has made it may go on, in this call or in a
//     later one after a crash, and everybody else is refused. A note alone says nothing, since Queue writes one too; a state alone says
//     nothing about who has set it.
//   - Were the state first, a crash behind it would leave an issue that is begun by nobody we can name: the retry would be refused.
//   - Were the note's text first, a task that loses would say that it works on the issue. So an old note is edited at the end, and a
//     note that was made for a claim that is lost is deleted.
//   - A claim whose task died before it moved the issue would hold it forever. It counts for a quarter of an hour; after that, and when
//     the issue was moved since, which means that a person has put it back, the next number is free.
func (l *Linear) Claim(ctx context.Context, q intake.Query, key string, n intake.Note) error {
	if err := checkNote(q, key, n); err != nil {
		return err
	}
	s, err := l.session(ctx)
	if err != nil {
		return err
	}
	i, err := s.issue(ctx, key)
	if err != nil {
		return err
	}
	m, err := s.marks(ctx, i.Id, n.TaskID)
	if err != nil {
		return err
	}
	last, claimed := m.last()
	mine := claimed && ours(last, i.Id, n.TaskID)
	switch no := i.no(q, key); {
	case mine && i.State.Type == started && !i.gone():
		_, err = s.keep(ctx, i.Id, m, n)
		return err
	case no != "":
		return fault.New(fault.Conflict, "Linear: issue %s is not to be begun: %s", key, no)
	case !mine:
		if err := s.take(ctx, i, m, n); err != nil {
			return err
		}
	}
	if err := s.begin(ctx, i); err != nil {
		return err
	}
	_, err = s.keep(ctx, i.Id, m, n)
	return err
}

// take makes the claim.
func (s *session) take(ctx context.Context, i *issue, m *marks, n intake.Note) error {
	free, err := s.released(ctx, i, m)
	if err != nil {
		return err
	}
	if !free {
		return s.taken(i)
	}
	made := false
	if m.note == "" {
		if made, err = s.make(ctx, i.Id, m, n); err != nil {
			return err
		}
	}
	last, _ := m.last()
	for k := last.n + 1; k < claimIDs; {
		got, err := createClaim(ctx, s, claimID(i.Id, k), m.note)
		if err = done(err, got != nil && got.ReactionCreate.Success); err == nil {
			return nil
		}
		used := is(err, fault.Input)
		if !used && !is(err, fault.NotFound) {
			if again, err := s.again(ctx, "claim an issue", err); !again {
				return err
			}
		}
		now, lookErr := s.marks(ctx, i.Id, n.TaskID)
		if lookErr != nil {
			return lookErr
		}
		if c, ok := now.find(k); ok && ours(c, i.Id, n.TaskID) {
			return nil
		} else if ok {
			return s.lose(ctx, i, m, made)
		}
		if now.note == "" {
			return fault.New(fault.Infra, "Linear: our comment on %s was deleted while it was claimed", i.Identifier)
		}
		if used {
			k++ // the claim of that number is gone with its comment
		}
	}
	return fault.New(fault.Conflict, "Linear: issue %s was claimed %d times", i.Identifier, claimIDs).WithHint("open a new issue for the work")
}

// released tells whether the last claim counts no more.
func (s *session) released(ctx context.Context, i *issue, m *marks) (bool, error) {
	last, claimed := m.last()
	if !claimed || s.date.Sub(last.at) >= claimHolds {
		return true, nil
	}
	moved := false
	_, err := s.history(ctx, i.Id, func(e event) { moved = moved || e.ToStateId != "" && e.CreatedAt.After(last.at) })
	return moved, err
}

// lose takes back what a claim that came too late has left. It may fail: the note does no harm.
func (s *session) lose(ctx context.Context, i *issue, m *marks, made bool) error {
	if made {
		if _, err := deleteNote(ctx, s, m.note); err != nil {
			s.log.Warn("Linear: a comment for a claim that was lost stays", "issue", i.Identifier, "error", err)
		}
	}
	return s.taken(i)
}

func (s *session) taken(i *issue) error {
	return fault.New(fault.Conflict, "Linear: another task has claimed issue %s", i.Identifier)
}

// begin moves the issue to the first of its team's states for work that goes on. Moving it twice is moving it once.
func (s *session) begin(ctx context.Context, i *issue) error {
	var got *startedStatesResponse
	err := s.repeat(ctx, "read the states of a team", func() (err error) {
		got, err = startedStates(ctx, s, i.Team.Id)
		return err
	})
	if err != nil {
		return err
	}
	all := got.Team.States.Nodes
	if len(all) == 0 {
		return fault.New(fault.Input, "Linear: team %s has no state of type %q", forge.CleanLine(i.Team.Key, maxName), started).
			WithHint("add one, such as \"In Progress\", in the team's workflow")
	}
	first := slices.MinFunc(all, func(a, b workflow) int { return cmp.Compare(a.Position, b.Position) })
	return s.repeat(ctx, "move an issue", func() error {
		got, err := moveIssue(ctx, s, i.Id, first.Id)
		return done(err, got != nil && got.IssueUpdate.Success)
	})
}
