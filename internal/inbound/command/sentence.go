package command

import (
	"strings"

	"github.com/longshift/longshift/signals"
)

// IsSentence reports whether the verb is only the first word of a sentence, as in "list all files first". It is for verbs that take no
// sentence.
func (c Command) IsSentence() bool {
	words := len(strings.Fields(c.Text))
	switch c.Verb {
	case Start:
		return true
	case Cron: // followed by none of its own words
		return words > 0
	case Help, List, CronList:
		return words > 0 && !c.Marked
	case Projects:
		return c.isProjectSentence() && !c.Marked
	case Status, Logs:
		return words > 1 && !c.Marked && !strings.HasPrefix(c.Text, "-") && !strings.HasPrefix(c.Text, "—")
	}
	return false
}

// IsAmbiguous reports whether a verb that decides about a task could be the first word of a sentence: "reject empty names too" must not
// end a task.
func (c Command) IsAmbiguous() bool {
	switch c.Verb {
	case signals.Approve, signals.Reject, signals.Abandon, signals.Resume, Cancel:
		return c.Text != "" && !c.Marked
	}
	return false
}

// MayBeText reports whether the word after the verb may be something else than the name of a task.
func (c Command) MayBeText() bool {
	switch c.Verb {
	case signals.Edit, signals.Tell:
		return true
	case signals.Allow, signals.Deny: // the id of a command
		return !strings.ContainsAny(c.Text, " \t\n")
	}
	return false
}
