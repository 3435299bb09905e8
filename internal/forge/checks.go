package forge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/longshift/longshift/task"
)

// warning comes before everything else in a body: the check fails, or there is none.
func (s Summary) warning(l limits) []string {
	if s.Unchecked {
		return []string{"> **Unchecked**: the repository's settings name no check command, so nothing but the review has looked at this change."}
	}
	for _, c := range s.Checks {
		if c.Passed || c.Known {
			if c.ranTooFew(s.RanBefore) {
				line := fmt.Sprintf("> **The check ran %s**: %s proves less than it seems to.", c.Ran, span(c.Command, l.line))
				if s.RanBefore != nil {
					line += fmt.Sprintf(" Before this change it ran %s.", s.RanBefore)
				}
				return []string{line}
			}
			continue
		}
		line := fmt.Sprintf("> **The check fails**: %s ended with exit code %d%s.", span(c.Command, l.line), c.Exit, tests(c.Failing, l))
		if s.Before != nil {
			line += " It failed before this change, too" + tests(s.Before.Failing, l) + "."
		}
		return []string{line, ">", "> This pull request is a draft: mark it as ready yourself when the check passes."}
	}
	return nil
}

// ranTooFew tells whether a check proves less than it seems to: it ran no tests, or fewer than on the base.
func (c Check) ranTooFew(before *task.Ran) bool {
	return c.Ran != nil && c.Ran.N == 0 || c.Ran.Fewer(before)
}

// tests lists names of tests in brackets, with a blank before it.
func tests(names []string, l limits) string {
	if list := testList(names, l); list != "" {
		return " (" + list + ")"
	}
	return ""
}

func testList(names []string, l limits) string {
	var spans []string
	for i, name := range names {
		if i == min(l.rows, 10) {
			spans = append(spans, fmt.Sprintf("and %d more", len(names)-i))
			break
		}
		spans = append(spans, span(name, 100))
	}
	return strings.Join(spans, ", ")
}

func (c Check) verdict() string {
	switch {
	case c.Flaky:
		return "passed when run again"
	case c.Passed:
		return "passed"
	case c.Known:
		return "failed as before"
	}
	return "failed"
}

// proof is what has run on the change and how it ended, what was red before, and what the reviewer says.
func (s Summary) proof(l limits) []string {
	var rows, tails []string
	add := func(c Check, word string) {
		row := fmt.Sprintf("- **%s**: %s", word, span(c.Command, l.line))
		if c.Duration > 0 {
			row += " in " + spell(c.Duration)
		}
		if c.Ran != nil {
			row += ", " + c.Ran.String()
		}
		if c.Flaky {
			row += "; it is flaky"
		}
		rows = append(rows, row+tests(c.Failing, l))
		if strings.TrimSpace(c.Tail) != "" {
			tails = append(tails, fmt.Sprintf("\n<details><summary>End of the output of check %d (%s)</summary>\n\n%s\n\n</details>",
				len(rows), word, block(c.Tail, l.text/2)))
		}
	}
	for i, c := range s.Checks {
		if i == l.rows {
			rows = append(rows, more(len(s.Checks)-i))
			break
		}
		add(c, c.verdict())
	}
	if s.Before != nil {
		add(*s.Before, "failed before this change")
		switch gone := s.noLongerFailing(); {
		case len(gone) > 0 && len(gone) == len(s.Before.Failing):
			rows[len(rows)-1] += "; no longer fails"
		case len(gone) == 1:
			rows[len(rows)-1] += "; " + testList(gone, l) + " no longer fails"
		case len(gone) > 1:
			rows[len(rows)-1] += "; " + testList(gone, l) + " no longer fail"
		}
	}
	if s.Review != nil && s.Review.Approved {
		rows = append(rows, "- **approved** by a reviewer session that can't write")
	}
	return append(rows, tails...)
}

// noLongerFailing returns the tests that failed before the change and fail in none of its checks. It names none where tests
// were removed or skipped, or fewer ran, or where a check fails with other tests or without names: those of before may not have run.
func (s Summary) noLongerFailing() []string {
	if len(s.Checks) == 0 || slices.ContainsFunc(s.Sensitive, func(f task.Finding) bool { return f.Kind == task.TestsFinding }) {
		return nil
	}
	before, failing := s.Before.Failing, []string(nil)
	other := func(name string) bool { return !slices.Contains(before, name) }
	for _, c := range s.Checks {
		if c.ranTooFew(s.RanBefore) || !c.Passed && (len(c.Failing) == 0 || slices.ContainsFunc(c.Failing, other)) {
			return nil
		}
		failing = append(failing, c.Failing...)
	}
	return slices.DeleteFunc(slices.Clone(before), func(name string) bool { return slices.Contains(failing, name) })
}
