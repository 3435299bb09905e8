package listen

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// mostShown bounds the commands of one answer, in bytes as they are shown: no channel may have to cut one.
const mostShown = 6000

// questionsText shows the commands that wait, each as a whole, for nobody may allow what they could read only the half of. The id by
// which it is allowed stands behind the command: where an answer is cut all the same, it is missing.
func (e *Ear) questionsText(all []signals.Question) string {
	var b strings.Builder
	left, commands := 0, false
	for i, q := range all {
		command := task.Fenced(visible(e.c.Redact(q.Command)))
		if i > 0 && b.Len()+len(command) > mostShown {
			left = len(all) - i
			break
		}
		if q.Push() {
			fmt.Fprintf(&b, "\n\nA push waits: %s\n\n%s\nIts id is %s: write `allow` or `deny`, and the id.", e.literal(q.Reason, 300), command, e.mono(q.ID))
			continue
		}
		dir := "the workspace's root"
		if q.Dir != "" {
			dir = "the folder " + e.literal(q.Dir, 200)
		}
		fmt.Fprintf(&b, "\n\nA command waits, in %s", dir)
		if q.Rule != "" {
			fmt.Fprintf(&b, " (rule %s)", e.mono(q.Rule))
		}
		if q.Reason != "" {
			fmt.Fprintf(&b, ": %s", e.literal(q.Reason, 300))
		}
		if bound := q.Bound(); bound != "" {
			fmt.Fprintf(&b, "\n\n%s", e.literal(bound, mostShown))
		}
		fmt.Fprintf(&b, "\n\n%s\nIts id is %s: write `allow` or `deny`, and the id.", command, e.mono(q.ID))
		commands = true
	}
	if commands {
		fmt.Fprintf(&b, "\n\nAllowed, a command may run once; `allow` with `--for-task` lets it run in this task %s.", signals.ForTask)
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n\n%d more wait; they are shown here when these have their decision.", left)
	}
	return b.String()
}

// visible writes out what nobody would see in a command, or would read in another order than it runs.
func visible(s string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '\n' || r == '\t' || r == ' ':
			b.WriteRune(r)
		case !unicode.IsPrint(r), unicode.Is(unicode.Variation_Selector, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
