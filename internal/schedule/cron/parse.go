// Package cron reads the five fields of a classic cron expression and reckons when it comes. It is pure: it asks no clock and no
// server, and it may not know who uses it. What it does not know for sure it refuses, with the field, its value and the way out.
package cron

import (
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// Spec is a parsed expression. Its zero value never comes.
type Spec struct {
	text                                string
	minutes, hours, days, months, weeks set // weeks are the days of the week, Sunday is 0
	either                              bool
}

var aliases = map[string]string{
	"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *",
}

// MaxExpression bounds an expression, in bytes.
const MaxExpression = 200

const fiveFields = `write five: minute, hour, day of the month, month, day of the week, such as "0 9 * * 1-5"`

// Parse reads an expression of five fields, or @hourly, @daily, @weekly, @monthly, @yearly. Errors are faults of kind Input.
func Parse(text string) (Spec, error) {
	text = excerpt.OneLine(text)
	wrong := func(what, way string) (Spec, error) {
		return Spec{}, fault.New(fault.Input, "schedule %s: %s", shown(text), what).WithHint("%s", way)
	}
	switch {
	case text == "":
		return Spec{}, fault.New(fault.Input, "the schedule is missing").WithHint(fiveFields)
	case len(text) > MaxExpression:
		return wrong(fmt.Sprintf("has %d bytes", len(text)), fmt.Sprintf("write at most %d", MaxExpression))
	case strings.HasPrefix(text, "TZ=") || strings.HasPrefix(text, "CRON_TZ="):
		return wrong("a time zone stands before the fields", "take it out and give --timezone "+zoneIn(text))
	case strings.Contains(text, "#"):
		return wrong("holds a comment, or # for a day of the week", "take it out; "+fiveFields)
	case strings.HasPrefix(strings.ToLower(text), "@every"):
		return wrong("@every is no point in time", `write it in fields, such as "*/30 * * * *" for every half hour`)
	}
	expression := text
	if strings.HasPrefix(text, "@") {
		known, ok := aliases[strings.ToLower(text)]
		if !ok {
			return wrong("unknown name", "use @hourly, @daily, @weekly, @monthly or @yearly, or five fields")
		}
		expression = known
	}
	parts := strings.Fields(expression)
	if len(parts) != len(fields) {
		return wrong(fmt.Sprintf("has %s, not five", count(len(parts))), fiveFields)
	}
	s := Spec{text: text}
	for i, into := range []*set{&s.minutes, &s.hours, &s.days, &s.months, &s.weeks} {
		values, err := fields[i].parse(parts[i])
		if err != nil {
			return Spec{}, fault.New(fault.Input, "schedule %s: %w", shown(text), err).WithHint("%s", fault.HintOf(err))
		}
		*into = values
	}
	if s.weeks.has(7) {
		s.weeks = s.weeks&^(1<<7) | 1
	}
	// The old rule: where both name days, one of them is enough. A field that begins with * names none.
	s.either = parts[2][0] != '*' && parts[4][0] != '*'
	if !s.comes() {
		return wrong(fmt.Sprintf("no month in %s has the day %s", shown(parts[3]), shown(parts[2])), "give a day that there is")
	}
	return s, nil
}
