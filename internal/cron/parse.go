// Package cron reads the five fields of a classic cron expression and reckons when it comes. It is pure: it asks no clock and no
// server, and it may not know who uses it. What it does not know for sure it refuses, with the field, its value and the way out.
package cron

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// Spec is a parsed expression. Its zero value never comes.
type Spec struct {
	text                                string
	minutes, hours, days, months, weeks set // weeks are the days of the week, Sunday is 0
	either                              bool
}

// set has a bit for each value of a field.
type set uint64

func (s set) has(v int) bool { return s&(1<<v) != 0 }

// field is one of the five, in their order. Values lie in least to most; * is least to top.
type field struct {
	name             string
	least, top, most int
	names            []string // of the values from least up, in three letters
	example          string
}

var fields = [5]field{
	{"minute", 0, 59, 59, nil, "0,30 or */15"},
	{"hour", 0, 23, 23, nil, "9 or 8-18/2"},
	{"day of the month", 1, 31, 31, nil, "1 or 1,15"},
	{"month", 1, 12, 12, strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec"), "3 or mar-may"},
	{"day of the week", 0, 6, 7, strings.Fields("sun mon tue wed thu fri sat"), "1-5 or mon,wed"}, // Sunday is 0 and 7
}

var aliases = map[string]string{
	"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *",
}

// MaxExpression bounds an expression, in bytes.
const MaxExpression = 200

const fiveFields = `write five: minute, hour, day of the month, month, day of the week, such as "0 9 * * 1-5"`

// Parse reads an expression of five fields, or @hourly, @daily, @weekly, @monthly, @yearly. Errors are faults of kind Input.
func Parse(text string) (Spec, error) {
	text = strings.Join(strings.Fields(text), " ")
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

// parse reads one field: values, ranges and steps, separated by commas.
func (f field) parse(text string) (all set, err error) {
	for _, part := range strings.Split(text, ",") {
		from, to, by, wrong := f.span(part)
		if wrong != "" {
			if part != text {
				wrong = shown(part) + " " + wrong
			}
			return 0, fault.New(fault.Input, "the %s %s %s", f.name, shown(text), wrong).WithHint("write it like %s", f.example)
		}
		for v := from; v <= to; v += by {
			all |= 1 << v
		}
	}
	return all, nil
}

// span reads what stands between commas. wrong says what is the matter with it.
func (f field) span(part string) (from, to, by int, wrong string) {
	body, step, stepped := strings.Cut(part, "/")
	first, last, ranged := strings.Cut(body, "-")
	from, to, by = f.least, f.top, 1
	if body != "*" {
		if from, wrong = f.value(first); wrong != "" {
			return
		}
		to = from
		if ranged {
			if to, wrong = f.value(last); wrong != "" {
				return
			}
			if f.most > f.top && to == f.least && from > to { // Sunday as the end of a week
				to = f.most
			}
		}
	}
	switch n, err := strconv.Atoi(step); {
	case stepped && (err != nil || n < 1 || step[0] == '+'):
		wrong = "has a step that is no number from 1 up"
	case stepped && body != "*" && !ranged:
		wrong = fmt.Sprintf("has a step behind a single value; a range such as %s-%d/%d is meant", body, f.top, n)
	case from > to:
		wrong = fmt.Sprintf("runs backwards; %s-%d,%d-%s goes over the end", first, f.top, f.least, last)
	case stepped && n > 1 && n > to-from:
		wrong = fmt.Sprintf("has a step that leads out of %d-%d at once", from, to)
	case stepped:
		by = n
	}
	return
}

// value reads a number or a name. wrong says what is the matter with it.
func (f field) value(text string) (v int, wrong string) {
	for i, name := range f.names {
		if strings.EqualFold(text, name) {
			return f.least + i, ""
		}
	}
	v, err := strconv.Atoi(text)
	switch {
	case text == "":
		return 0, "lacks a value"
	case err != nil || text[0] == '+' || len(text) > 2:
		if f.names != nil {
			return 0, fmt.Sprintf("has %s, which is neither a number nor a name such as %s", shown(text), f.names[1])
		}
		return 0, fmt.Sprintf("has %s, which is no number", shown(text))
	case v < f.least || v > f.most:
		return 0, fmt.Sprintf("is not within %d-%d", f.least, f.most)
	}
	return v, ""
}

func count(n int) string {
	if n == 1 {
		return "one field"
	}
	return strconv.Itoa(n) + " fields"
}

// shown is a value as an error shows it: quoted, and not longer than a line.
func shown(text string) string {
	if r := []rune(text); len(r) > 60 {
		text = string(r[:60]) + "…"
	}
	return strconv.Quote(text)
}
