package setup

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// question is one setting that a person is asked about.
type question struct {
	key        task.ConfigKey
	today      any // string, int, float64 or bool
	number, of int

	check func(answer string) error // of a text that is no key of .longshift.yaml; nil for those that are
}

// asker asks a person. An answer is a text as the person gave it; today's text keeps the value.
type asker interface {
	ask(ctx context.Context, questions []question) (answers []string, err error)
	confirm(ctx context.Context, what string) (bool, error)
}

// newAsker returns the form on a terminal that can show one, else plain lines.
func newAsker(u Uses) asker {
	terminal, is := u.Streams.In.(*os.File)
	if kind := u.Env.Get("TERM"); is && u.Printer.Interactive() && kind != "" && kind != "dumb" {
		return form{u.Input.Forms(terminal), u.Streams.Err}
	}
	return lineAsker{u.Input.Lines(), u.Streams}
}

// text is the value of today as an answer.
func (q question) text() string {
	switch v := q.today.(type) {
	case int:
		return strconv.Itoa(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case string:
		return v
	}
	return ""
}

// shown is the value of today for people, in one line.
func (q question) shown() string {
	if q.text() == "" {
		return "none"
	}
	return excerpt.Clip(term.OneLine(q.text()), 60)
}

// manyLines tells that the value of today is nothing that can be typed into one line.
func (q question) manyLines() bool { return strings.IndexFunc(q.text(), unicode.IsControl) >= 0 }

// about says what the key is for, and which values it takes.
func (q question) about() string {
	about := q.key.Doc
	switch q.key.Type {
	case task.ChoiceKey:
		about += " (" + strings.Join(q.key.Choices, ", ") + ")"
	case task.FlagKey:
		about += " (true, false)"
	}
	return about
}

// value reads an answer with the checks of the file. Keeping today's text always passes.
func (q question) value(answer string) (any, error) {
	answer = strings.TrimSpace(answer)
	if answer == strings.TrimSpace(q.text()) {
		return q.today, nil
	}
	if q.check != nil {
		return answer, q.check(answer)
	}
	value, err := command.ParseAs(q.key.Type, answer)
	if err != nil {
		value = answer // the checks say what is wrong with it
	}
	o := command.Overrides{}
	o.Put(q.key.Path, value)
	encoded, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	literal, err := task.ReadJSON(encoded)
	if err != nil {
		return nil, fault.New(fault.Input, "%s: %w", q.key.Path, err)
	}
	c, err := task.DecodeConfig(literal, "")
	if err != nil {
		return nil, err
	}
	value, _ = c.Lookup(q.key.Path)
	return value, nil
}

// same tells whether a value means what holds today.
func (q question) same(value any) bool {
	if q.key.Type == task.DurationKey {
		a, errA := time.ParseDuration(fmt.Sprint(value))
		b, errB := time.ParseDuration(q.text())
		return errA == nil && errB == nil && a == b
	}
	return value == q.today
}

// mistake is an error as a person who types reads it: what is wrong, and the way out.
func mistake(err error) string {
	text := term.OneLine(err.Error())
	if hint := fault.HintOf(err); hint != "" {
		text += "; " + term.OneLine(hint)
	}
	return text
}
