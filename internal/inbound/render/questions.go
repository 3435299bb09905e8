package render

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// maxCommands bounds the commands of one answer in bytes, as rendered, so that no channel has to cut one.
const maxCommands = 6000

// questions renders the commands that wait, each as a whole: nobody may allow a command that they could read only in part. The id that
// allows it follows the command, so that an answer that is cut anyway does not show it.
func (m Markdown) questions(all []signals.Question) string {
	var b strings.Builder
	left, commands := 0, false
	for i, q := range all {
		command := task.Fenced(visible(m.Redact(q.Command)))
		if i > 0 && b.Len()+len(command) > maxCommands {
			left = len(all) - i
			break
		}
		if q.Push() {
			fmt.Fprintf(&b, "\n\nA push waits: %s\n\n%s\nIts id is %s: write `allow` or `deny`, and the id.",
				m.Literal(q.Reason, 300), command, m.Mono(q.ID))
			continue
		}
		dir := "the workspace's root"
		if q.Dir != "" {
			dir = "the folder " + m.Literal(q.Dir, 200)
		}
		fmt.Fprintf(&b, "\n\nA command waits, in %s", dir)
		if q.Rule != "" {
			fmt.Fprintf(&b, " (rule %s)", m.Mono(q.Rule))
		}
		if q.Reason != "" {
			fmt.Fprintf(&b, ": %s", m.Literal(q.Reason, 300))
		}
		if bound := q.Bound(); bound != "" {
			fmt.Fprintf(&b, "\n\n%s", m.Literal(bound, maxCommands))
		}
		fmt.Fprintf(&b, "\n\n%s\nIts id is %s: write `allow` or `deny`, and the id.", command, m.Mono(q.ID))
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

// visible spells out the characters of a command that are invisible, or that change the order in which it is read.
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
