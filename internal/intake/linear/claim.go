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

// claimHolds is how long a claim counts although the issue was not moved. It is longer than a call with all its retries.
const claimHolds = 15 * time.Minute

// Claim implements intake.Reporter. It creates the note, claims the issue on it, sets the issue's state and updates the note's text, in
// this order:
//
//   - The claim decides. Its id is the same for all tasks and can be used only once: the task that has created it may continue, in this
//     call or after a crash, and every other task is refused. A note alone proves nothing, because Queue writes one too. A state alone
//     does not say who has set it.
//   - If the state were set first, a crash after it would leave an issue in progress without a known owner, and the retry would be
//     refused.
//   - If the note's text were written first, a losing task would claim to work on the issue. So an existing note is edited last, and a
//     note that was created for a lost claim is deleted.
//   - A task that crashes before it moves the issue would hold its claim forever. So a claim expires after claimHolds if the issue was
//     not moved. It also ends when the issue was moved back later, by a person. The next claim then uses the next number.
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
		return s.keep(ctx, i.Id, m, n)
	case no != "":
		if mine && !i.gone() { // an earlier attempt has said that it works; its claim ends by itself
			if err := s.keep(ctx, i.Id, m, intake.Note{TaskID: n.TaskID, Text: intake.UnwantedText}); err != nil {
				return err
			}
		}
		return fault.New(fault.Conflict, "Linear: issue %s is not to be begun: %s", key, no)
	case !mine:
		if err := s.take(ctx, i, m, n); err != nil {
			return err
		}
	}
	if err := s.begin(ctx, i); err != nil {
		return err
	}
	return s.keep(ctx, i.Id, m, n)
}

// take creates the claim.
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
			k++ // the claim with this number was deleted with its comment
		}
	}
	return fault.New(fault.Conflict, "Linear: issue %s was claimed %d times", i.Identifier, claimIDs).WithHint("open a new issue for the work")
}

// released reports whether the last claim has ended.
func (s *session) released(ctx context.Context, i *issue, m *marks) (bool, error) {
	last, claimed := m.last()
	if !claimed || s.date.Sub(last.at) >= claimHolds {
		return true, nil
	}
	moved := false
	_, err := s.history(ctx, i.Id, func(e event) { moved = moved || e.ToStateId != "" && e.CreatedAt.After(last.at) })
	return moved, err
}

// lose removes what a losing claim has left. A failure is ignored, because the note does no harm.
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

// begin moves the issue to the first of its team's started states. It is idempotent.
func (s *session) begin(ctx context.Context, i *issue) error {
	got, err := read(ctx, s, "read the states of a team", func() (*startedStatesResponse, error) { return startedStates(ctx, s, i.Team.Id) })
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
