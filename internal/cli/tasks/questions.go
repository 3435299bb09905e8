package tasks

import (
	"fmt"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/signals"
)

// questionsText shows the commands that wait for a person.
func questionsText(status *signals.Status, now time.Time) string {
	var b strings.Builder
	for _, q := range status.Questions {
		id, rule := term.OneLine(q.ID), term.OneLine(q.Rule)+": "+term.OneLine(q.Reason)
		if q.Push() {
			changes := term.Indent(term.Plain(q.Command), 2)
			fmt.Fprintf(&b, "%s  the branch would be pushed with these changes\n  %s\n  rule %s\n", id, changes, rule)
			continue
		}
		in := "the workspace"
		if q.Dir != "" {
			in = term.OneLine(q.Dir)
		}
		fmt.Fprintf(&b, "%s  %s\n  in %s, asked by session %d (%s), rule %s\n",
			id, term.OneLine(q.Command), in, q.Session, term.OneLine(string(q.Role)), rule)
		if bound := q.Bound(); bound != "" {
			fmt.Fprintf(&b, "  %s\n", term.OneLine(bound))
		}
		if left := q.Expires.Sub(now); left > 0 {
			fmt.Fprintf(&b, "  no answer in %s is a no\n", term.Remaining(left))
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
