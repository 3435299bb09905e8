package cron

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// set is a bit set of the values of a field.
type set uint64

func (s set) has(v int) bool { return s&(1<<v) != 0 }

// field describes one of the five fields, in their order. Values range from least to most; * means least to top.
type field struct {
	name             string
	least, top, most int
	names            []string // three-letter names of the values, starting at least
	example          string
}

var fields = [5]field{
	{"minute", 0, 59, 59, nil, "0,30 or */15"},
	{"hour", 0, 23, 23, nil, "9 or 8-18/2"},
	{"day of the month", 1, 31, 31, nil, "1 or 1,15"},
	{"month", 1, 12, 12, strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec"), "3 or mar-may"},
	{"day of the week", 0, 6, 7, strings.Fields("sun mon tue wed thu fri sat"), "1-5 or mon,wed"}, // Sunday is both 0 and 7
}

// parse parses one field: values, ranges and steps, separated by commas.
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

// span parses one item of the list. wrong describes an error.
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
			if f.most > f.top && to == f.least && from > to { // Sunday ends the range, so it is 7
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

// value parses a number or a name. wrong describes an error.
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

// shown quotes a value for an error and limits its length.
func shown(text string) string {
	return strconv.Quote(excerpt.Clip(text, 60))
}
