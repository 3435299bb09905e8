package linear

import (
	"context"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
)

const maxNote = 16 << 10 // bytes

func (l *Linear) Queue(ctx context.Context, q intake.Query, key string, n intake.Note) error {
	return l.show(ctx, q, key, n)
}

// Report implements intake.Reporter. It does not move the issue. After success Linear's own integration with the forge moves it with the
// pull request. Otherwise a person decides, and finds the reason on the issue, in the state that the claim has set.
func (l *Linear) Report(ctx context.Context, q intake.Query, key string, n intake.Note) error {
	return l.show(ctx, q, key, n)
}

func (l *Linear) show(ctx context.Context, q intake.Query, key string, n intake.Note) error {
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
	if i.gone() {
		return fault.New(fault.NotFound, "Linear: issue %s is thrown away: %s", key, i.no(q, key))
	}
	m, err := s.marks(ctx, i.Id, n.TaskID)
	if err != nil {
		return err
	}
	return s.keep(ctx, i.Id, m, n)
}

func checkNote(q intake.Query, key string, n intake.Note) error {
	if err := check(q, key); err != nil {
		return err
	}
	if n.TaskID == "" || strings.TrimSpace(n.Text) == "" {
		return fault.New(fault.Internal, "a note needs a task and a text")
	}
	return nil
}

// body is a note's text in the form for Linear.
func body(n intake.Note) string {
	text := strings.TrimSpace(strings.NewReplacer("\r\n", "\n", "\x00", "").Replace(strings.ToValidUTF8(n.Text, "\uFFFD")))
	return excerpt.Clip(text, maxNote)
}

// keep creates or updates the task's note. m is updated.
func (s *session) keep(ctx context.Context, issue string, m *marks, n intake.Note) error {
	text := body(n)
	for range noteIDs {
		if m.note == "" {
			if _, err := s.make(ctx, issue, m, n); err != nil {
				return err
			}
		}
		if m.body == text {
			return nil
		}
		err := s.repeat(ctx, "edit our comment", func() error {
			got, err := editNote(ctx, s, m.note, text)
			return done(err, got != nil && got.CommentUpdate.Success)
		})
		if err == nil {
			m.body = text
			return nil
		}
		if fault.KindOf(err) != fault.NotFound {
			return err
		}
		m.note = "" // deleted meanwhile
	}
	return fault.New(fault.Conflict, "Linear: our comment is deleted again and again")
}

// make creates the task's note. If it can't know whether an earlier request has succeeded, it checks first. If the id belongs to a
// comment that was deleted, it uses the next id.
func (s *session) make(ctx context.Context, issue string, m *marks, n intake.Note) (bool, error) {
	text := body(n)
	for k := 0; k < noteIDs; {
		new := noteID(issue, n.TaskID, k)
		got, err := createNote(ctx, s, new, issue, text)
		if err = done(err, got != nil && got.CommentCreate.Success); err == nil {
			m.note, m.body = new, text
			return true, nil
		}
		taken := is(err, fault.Input)
		if !taken {
			if again, err := s.again(ctx, "write our comment", err); !again {
				return false, err
			}
		}
		now, lookErr := s.marks(ctx, issue, n.TaskID)
		if lookErr != nil {
			return false, lookErr
		}
		if now.note != "" {
			*m = *now
			return true, nil
		}
		if k == noteIDs-1 && taken {
			return false, s.fault("write our comment", err)
		}
		if taken {
			k++
		}
	}
	return false, fault.New(fault.Internal, "Linear: no id is left for a comment")
}
