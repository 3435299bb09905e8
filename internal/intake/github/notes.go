package github

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/intake"
)

func (s *Source) check(q intake.Query, key string, n intake.Note) (int, error) {
	if n.TaskID == "" || strings.TrimSpace(n.Text) == "" {
		return 0, fault.New(fault.Internal, "a note at an issue needs the id of its task and a text")
	}
	if _, err := s.query(q); err != nil {
		return 0, err
	}
	return numberOf(key)
}

func (s *Source) show(ctx context.Context, q intake.Query, number int, n intake.Note, state string) error {
	err := s.hub.SetNote(ctx, q.Repository, number, forge.Note{Key: ours + n.TaskID, State: state, Text: n.Text})
	if err != nil {
		return fmt.Errorf("write at issue #%d of %s: %w", number, q.Repository.Text, err)
	}
	return nil
}

// rest marks a note so that it no longer counts as a claim.
func (s *Source) rest(ctx context.Context, q intake.Query, number int, key, text string) error {
	if err := s.hub.SetNote(ctx, q.Repository, number, forge.Note{Key: key, State: left, Text: text}); err != nil {
		return fmt.Errorf("release issue #%d of %s: %w", number, q.Repository.Text, err)
	}
	return nil
}

func (s *Source) notes(ctx context.Context, q intake.Query, number int) ([]forge.Note, error) {
	all, err := s.hub.Notes(ctx, q.Repository, number)
	if err != nil {
		return nil, fmt.Errorf("read what stands at issue #%d of %s: %w", number, q.Repository.Text, err)
	}
	return slices.DeleteFunc(slices.Clone(all), func(n forge.Note) bool { return !strings.HasPrefix(n.Key, ours) }), nil
}
