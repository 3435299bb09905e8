package listen

import (
	"regexp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// Verbs that are no message to a task.
const (
	Run    = "run"
	Status = "status"
	Logs   = "logs"
	List   = "list"
	Cancel = "cancel"
	Help   = "help"
	Start  = "start" // binds a chat with a one-time code
	Cron   = "cron"  // with one of the words behind it that follow

	Workspaces = "workspaces" // shows the projects, and chooses one
)

// Verbs lists every verb.
func Verbs() []string {
	return []string{Run, Status, signals.Approve, signals.Edit, signals.Reject, signals.Tell, signals.Resume, signals.Abandon, Cancel,
		Logs, List, signals.Allow, signals.Deny, Workspaces, Cron, Help, Start}
}

// Command is what a text asks for.
type Command struct {
	Verb    string
	Task    string            // id of the task or a part of it, from --task or Named; empty for the one that is clear from the place
	Text    string            // what follows the verb, without the options
	Marked  bool              // a mark stands between verb and text, as in "reject: we drop this": the verb is no word of a sentence
	Options map[string]string // by name, without hyphens; repeated ones are joined by commas
}

// maxCommand bounds a command in bytes: a task's text, and room for its options.
const maxCommand = 40 << 10

// ParseCommand reads a text that begins with a verb, such as "approve", "edit x1y2z3 one commit only" or
// "run acme/web fix the login --budget 5". Options stand at the end and mean what they mean on the command line. Case of the verb
// does not count. What is wrong comes as one fault of kind Input, or NotFound when there is no such verb.
func ParseCommand(text string) (Command, error) {
	if len(text) > maxCommand {
		return Command{}, fault.New(fault.Input, "the text has %d bytes", len(text)).WithHint("write at most %d", maxCommand)
	}
	c, ok := cutVerb(text)
	if !ok {
		word, _, _ := strings.Cut(oneLine(text), " ")
		return Command{}, fault.New(fault.NotFound, "%q is no command", clip(word, 40)).WithHint("use one of %s", strings.Join(Verbs(), ", "))
	}
	return c.parsed()
}

// verbForm is a verb, perhaps behind the slash of a bot's command and before its name or a mark.
var verbForm = regexp.MustCompile(`^(/?)([A-Za-z]+)(@[A-Za-z0-9_]+)?([:,.!?]*)(\s|$)`)

// cutVerb takes the verb off the beginning of a text. Text is all of the rest.
func cutVerb(text string) (Command, bool) {
	text = strings.TrimSpace(text)
	if inner, ok := enclosed(text, "`"); ok { // copied together with the signs around it
		text = strings.TrimSpace(inner)
	}
	m := verbForm.FindStringSubmatch(text)
	if m == nil || m[3] != "" && m[1] == "" {
		return Command{}, false
	}
	verb := strings.ToLower(m[2])
	if !slices.Contains(Verbs(), verb) {
		return Command{}, false
	}
	c := Command{Verb: verb, Text: strings.TrimSpace(text[len(m[0]):]), Marked: m[4] != "" || m[5] == "\n"}
	if verb == Cron {
		c = c.ofCron()
	}
	return c, true
}

// enclosed gives what stands between two equal signs around the whole text.
func enclosed(text, sign string) (string, bool) {
	if len(text) < 2*len(sign) || !strings.HasPrefix(text, sign) || !strings.HasSuffix(text, sign) {
		return "", false
	}
	inner := text[len(sign) : len(text)-len(sign)]
	return inner, !strings.Contains(inner, sign)
}

// parsed takes the options off the end of the text.
func (c Command) parsed() (Command, error) {
	rest, given := cutOptions(c.Text)
	c.Text = unquoted(rest)
	c.Options = map[string]string{}
	for _, g := range given {
		if err := c.set(g); err != nil {
			return Command{}, err
		}
	}
	c.Task = c.Options[optTask]
	delete(c.Options, optTask)
	return c, nil
}

// Named gives the command with the first word of its text as the task.
func (c Command) Named() Command {
	if c.Task == "" {
		c.Task, c.Text = cutWord(c.Text)
		c.Text = unquoted(c.Text)
	}
	return c
}

func cutWord(text string) (word, rest string) {
	end := strings.IndexAny(text, " \t\n")
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimSpace(text[end:])
}

// quotes are the signs that phones and keyboards put around a text.
var quotes = []struct{ open, close string }{{`"`, `"`}, {"'", "'"}, {"“", "”"}, {"„", "“"}, {"«", "»"}}

// unquoted takes away quotes around the whole of a text.
func unquoted(text string) string {
	text = strings.TrimSpace(text)
	for _, q := range quotes {
		if len(text) < len(q.open)+len(q.close) || !strings.HasPrefix(text, q.open) || !strings.HasSuffix(text, q.close) {
			continue
		}
		if inner := text[len(q.open) : len(text)-len(q.close)]; !strings.Contains(inner, q.open) && !strings.Contains(inner, q.close) {
			return strings.TrimSpace(inner)
		}
	}
	return text
}
