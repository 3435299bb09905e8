package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
)

// policyRow is a command to decide on, as --jsonl reads it. What a row does not say comes from the flags.
type policyRow struct {
	Command     *string    `json:"command"`
	Role        string     `json:"role"`
	Profiles    stringList `json:"profiles"`
	Destructive *bool      `json:"destructive"`
}

// stringList reads a list, or its items in one text with commas.
type stringList []string

func (l *stringList) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*l = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
		return nil
	}
	return json.Unmarshal(data, (*[]string)(l))
}

// mostRow is how long a row may be, in bytes.
const mostRow = 16 << 20

func (c *policyCheck) rows(ctx context.Context, d decider, o policyOptions) error {
	lines := bufio.NewScanner(c.streams.Until(ctx))
	lines.Buffer(make([]byte, 64<<10), mostRow)
	var wrong []error
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		v, err := d.row(lines.Bytes(), o)
		out := any(v)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("line %d %w", n, err))
			out = wrongRow{n, term.FailureOf(wrong[len(wrong)-1])}
		}
		if err := c.printer.Encode(out, ""); err != nil {
			return fmt.Errorf("write output: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return fault.New(fault.Input, "read standard input: %w", err)
	}
	if len(wrong) > 1 {
		return fmt.Errorf("%d rows are wrong, the first: %w", len(wrong), wrong[0])
	}
	return errors.Join(wrong...)
}

// wrongRow replaces a row that can't be decided on.
type wrongRow struct {
	Line  int          `json:"line"`
	Error term.Failure `json:"error"`
}

// row decides on a line of JSON.
func (d decider) row(line []byte, o policyOptions) (policyVerdict, error) {
	var row policyRow
	if err := json.Unmarshal(line, &row); err != nil {
		return policyVerdict{}, fault.New(fault.Input, "is no row: %s", wrongJSON(err)).
			WithHint(`give one JSON object a line, such as {"command":"ls"}`)
	}
	if row.Command == nil || strings.TrimSpace(*row.Command) == "" {
		return policyVerdict{}, fault.New(fault.Input, "has no command").WithHint(`give one JSON object a line, such as {"command":"ls"}`)
	}
	v, err := d.decide(row, o)
	if err != nil {
		return v, fmt.Errorf("can't be decided on: %w", err)
	}
	return v, nil
}

// wrongJSON says what is wrong with a row, without the names of our types.
func wrongJSON(err error) string {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Sprintf("%q is a %s", kind.Field, kind.Value)
	}
	return err.Error()
}
