package forge

import (
	"fmt"
	"strings"
)

// warning comes before everything else in a body: the check fails, or there is none.
func (s Summary) warning(l limits) []string {
	if s.Unchecked {
		return []string{"> **Unchecked**: the repository's settings name no check command, so nothing but the review has looked at this change."}
	}
	for _, c := range s.Checks {
		if c.Passed || c.Known {
			continue
		}
		line := fmt.Sprintf("> **The check fails**: %s ended with exit code %d%s.", span(c.Command, l.line), c.Exit, tests(c.Failing, l))
		if s.Before != nil {
			line += " It failed before this change, too" + tests(s.Before.Failing, l) + "."
		}
		return []string{line, ">", "> This is a draft until it passes."}
	}
	return nil
}

func tests(names []string, l limits) string {
	var spans []string
	for i, name := range names {
		if i == min(l.rows, 10) {
			spans = append(spans, fmt.Sprintf("and %d more", len(names)-i))
			break
		}
		spans = append(spans, span(name, 100))
	}
	if len(spans) == 0 {
		return ""
	}
	return " (" + strings.Join(spans, ", ") + ")"
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

func (s Summary) checks(l limits) []string {
	var rows, tails []string
	add := func(c Check, word string) {
		row := fmt.Sprintf("- **%s**: %s", word, span(c.Command, l.line))
		if c.Duration > 0 {
			row += " in " + spell(c.Duration)
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
	}
	return append(rows, tails...)
}
