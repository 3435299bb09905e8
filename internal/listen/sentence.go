package listen

import (
	"strings"

	"github.com/longshift/longshift/signals"
)

// isSentence tells whether a text only happens to begin with a verb that takes no sentence, as in "list all files first".
func isSentence(c Command) bool {
	words := len(strings.Fields(c.Text))
	switch c.Verb {
	case Start:
		return true
	case Help, List:
		return words > 0 && !c.Marked
	case Status, Logs:
		return words > 1 && !c.Marked && !strings.HasPrefix(c.Text, "-") && !strings.HasPrefix(c.Text, "—")
	}
	return false
}

// isLoose tells whether a verb that decides about a task could be the first word of a sentence: "reject empty names too" must not
// end a task.
func isLoose(c Command) bool {
	switch c.Verb {
	case signals.Approve, signals.Reject, signals.Abandon, signals.Resume, Cancel:
		return c.Text != "" && !c.Marked
	}
	return false
}
