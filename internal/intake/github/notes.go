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

// withdraw takes back what an earlier attempt of a task has left at an issue that it can't have, and returns why: nobody reports the end of a task
// that has not begun. The label stays for another task at work. It goes before the note, because a note without a label is no claim.
func (s *Source) withdraw(ctx context.Context, q intake.Query, number int, n intake.Note, notes []forge.Note, why error) error {
	mine, others := false, false
	for _, o := range notes {
		own := o.Key == ours+n.TaskID
		mine = mine || own && o.State == working
		others = others || !own && o.State == working
	}
	if !mine {
		return why
	}
	if !others {
		if err := s.hub.SetLabel(ctx, q.Repository, number, s.claim, false); err != nil {
			return fmt.Errorf("release issue #%d of %s: %w", number, q.Repository.Text, err)
		}
	}
	if err := s.rest(ctx, q, number, ours+n.TaskID, intake.UnwantedText); err != nil {
		return err
	}
	return why
}

func (s *Source) notes(ctx context.Context, q intake.Query, number int) ([]forge.Note, error) {
	all, err := s.hub.Notes(ctx, q.Repository, number)
	if err != nil {
		return nil, fmt.Errorf("read what stands at issue #%d of %s: %w", number, q.Repository.Text, err)
	}
	return slices.DeleteFunc(slices.Clone(all), func(n forge.Note) bool { return !strings.HasPrefix(n.Key, ours) }), nil
}
