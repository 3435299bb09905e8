// Package cron parses classic cron expressions of five fields and says which values each field matches. When that is, the server
// computes: the package is pure, uses no clock, and must not know its callers. It rejects everything ambiguous, with an error that names the
// field, its value and a correction.
package cron

import (
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// Spec is a parsed expression. Its zero value never matches.
type Spec struct {
	text                                string
	minutes, hours, days, months, weeks set // days of the week start with Sunday as 0
	either                              bool
}

var aliases = map[string]string{
	"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *",
}

// MaxExpression is the maximum length of an expression in bytes.
const MaxExpression = 200

const fiveFields = `write five: minute, hour, day of the month, month, day of the week, such as "0 9 * * 1-5"`

// Parse parses an expression of five fields, or @hourly, @daily, @weekly, @monthly, @yearly. Errors are faults of kind Input.
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
		return wrong("a time zone precedes the fields", "take it out and give --timezone "+zoneIn(text))
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
	// Classic cron: when both day fields are restricted, one match is enough. A field that begins with * is unrestricted.
	s.either = parts[2][0] != '*' && parts[4][0] != '*'
	if !s.comes() {
		return wrong(fmt.Sprintf("no month in %s has the day %s", shown(parts[3]), shown(parts[2])), "give a day that there is")
	}
	return s, nil
}
