package listen

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/signals"
)

// isSentence tells whether a text only happens to begin with a verb that takes no sentence, as in "list all files first".
func isSentence(c Command) bool {
	words := len(strings.Fields(c.Text))
	switch c.Verb {
	case Start:
		return true
	case Cron: // followed by none of its words
		return words > 0
	case cronList:
		return words > 0 && !c.Marked
	case Help, List:
		return words > 0 && !c.Marked
	case Workspaces:
		return isSpaceSentence(c.Text) && !c.Marked
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

// codeElsewhere says where one-time codes are taken.
const codeElsewhere = "Codes are taken in a private chat with me only, as a message that answers none and stands in no thread. " +
	"Please send it there, and ask for a new one if others could read this one."

// askBack asks whether a command was meant.
func (e *Ear) askBack(ctx context.Context, ev channel.Event, d deed) channel.Answer {
	return e.refuse(ctx, ev, d, "not clear", fmt.Sprintf("Did you mean the command? Write `%s` alone, or `%s: …` with your words behind the colon. "+
		"To ask for a change write `edit …`; to leave a message write `tell …`.", d.verb, d.verb))
}

var (
	codeGroups = regexp.MustCompile(`\b[A-Za-z0-9]{4}(?:-[A-Za-z0-9]{4})+\b`)  // as codes are shown
	codePlain  = regexp.MustCompile(`^(?:[A-Za-z0-9]{12}|[A-Z2-7 -]{12,20})$`) // without their hyphens, or with spaces
	codeSpaced = regexp.MustCompile(`^[A-Za-z0-9]{4}(?: +[A-Za-z0-9]{4})+$`)
)

// holdsCode tells whether what stands behind "start" could be a one-time code. A sentence that looks like one is only asked about;
// a code that is taken for a sentence would go to the task, its history and the agent.
func holdsCode(text string) bool {
	text = strings.Trim(oneLine(text), "`\"'“”.,!? ")
	return codeGroups.MatchString(text) || codePlain.MatchString(text) || codeSpaced.MatchString(text)
}
