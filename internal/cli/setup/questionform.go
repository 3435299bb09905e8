package setup

import (
	"context"
	"errors"
	"fmt"
	"io"

	"charm.land/huh/v2"

	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/task"
)

// form asks on a terminal: one question at a time, with the value of today filled in, and a way back to the one before.
type form struct {
	in  *term.FormInput
	out io.Writer
}

func (f form) ask(ctx context.Context, questions []question) ([]string, error) {
	answers := make([]string, len(questions))
	var groups []*huh.Group
	for i, q := range questions {
		answers[i] = q.text()
		groups = append(groups, huh.NewGroup(q.field(&answers[i])))
	}
	if err := f.run(ctx, groups...); err != nil {
		return nil, err
	}
	for i, q := range questions {
		if q.manyLines() && answers[i] == "" {
			answers[i] = q.text()
		}
	}
	return answers, nil
}

// field is the question as a part of the form.
func (q question) field(answer *string) huh.Field {
	title := fmt.Sprintf("%d/%d %s", q.number, q.of, q.key.Path)
	switch q.key.Type {
	case task.ChoiceKey:
		return huh.NewSelect[string]().Title(title).Description(q.key.Doc).Options(huh.NewOptions(q.key.Choices...)...).Value(answer)
	case task.FlagKey:
		return huh.NewSelect[string]().Title(title).Description(q.key.Doc).Options(huh.NewOptions("true", "false")...).Value(answer)
	}
	input := huh.NewInput().Title(title).Description(q.key.Doc)
	if q.manyLines() { // one line can't hold it, and would change it
		*answer = ""
		input.Placeholder("empty keeps " + q.shown())
	}
	return input.Value(answer).Validate(func(text string) error {
		if text == "" && q.manyLines() {
			return nil
		}
		if _, err := q.value(text); err != nil {
			return errors.New(mistake(err))
		}
		return nil
	})
}

func (f form) confirm(ctx context.Context, what string) (bool, error) {
	yes := true
	err := f.run(ctx, huh.NewGroup(huh.NewConfirm().Title(term.Plain(what)).Value(&yes)))
	return yes && err == nil, err
}

// run shows the form until it is answered. Ctrl-C ends it.
func (f form) run(ctx context.Context, groups ...*huh.Group) error {
	done := make(chan struct{})
	defer close(done)
	err := huh.NewForm(groups...).WithInput(f.in.Until(done)).WithOutput(f.out).RunWithContext(ctx)
	switch {
	case errors.Is(err, huh.ErrUserAborted) || ctx.Err() != nil:
		return term.ErrInterrupted
	case err != nil:
		return fmt.Errorf("ask on the terminal: %w", err)
	}
	return nil
}
