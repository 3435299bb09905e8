// Package command is the grammar of what people write to Longshift: a verb, a text and options. It parses a text to a Command, checks
// the options, and makes of a Command the configuration of a task or the payload of an update. It is pure: it makes no calls, and it
// knows neither who wrote a command nor which task is meant.
package command

import (
	"regexp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/inbound/render"
	"github.com/longshift/longshift/signals"
)

// Verbs that are not updates of a task.
const (
	Run      = "run"
	Status   = "status"
	Logs     = "logs"
	List     = "list"
	Cancel   = "cancel"
	Help     = "help"
	Start    = "start"      // binds a chat with a one-time code
	Cron     = "cron"       // followed by create, list or delete
	Projects = "workspaces" // shows the projects, and chooses one
)

func Verbs() []string {
	return []string{Run, Status, signals.Approve, signals.Edit, signals.Reject, signals.Tell, signals.Resume, signals.Abandon, Cancel,
		Logs, List, signals.Allow, signals.Deny, Projects, Cron, Help, Start}
}

type Command struct {
	Verb    string
	Task    string            // id of the task or a part of it, from --task or Named; empty when the room tells which task is meant
	Text    string            // follows the verb, without the options
	Marked  bool              // a mark or a line end follows the verb, as in "reject: we drop this": it is no word of a sentence
	Options map[string]string // by name, without hyphens; the values of repeated ones are joined by commas
}

// MaxLength bounds a command in bytes: a task's text, and room for its options.
const MaxLength = 40 << 10

// Parse reads a text that begins with a verb, such as "approve", "edit x1y2z3 one commit only" or
// "run acme/web fix the login --budget 5". Options follow the text and mean the same as on the command line. The case of the verb does
// not matter. Errors are faults of kind Input, or NotFound when the first word is not a verb.
func Parse(text string) (Command, error) {
	if len(text) > MaxLength {
		return Command{}, fault.New(fault.Input, "the text has %d bytes", len(text)).WithHint("write at most %d", MaxLength)
	}
	c, ok := Cut(text)
	if !ok {
		word, _, _ := strings.Cut(render.OneLine(text), " ")
		return Command{}, fault.New(fault.NotFound, "%q is no command", excerpt.Clip(word, 40)).
			WithHint("use one of %s", strings.Join(Verbs(), ", "))
	}
	return c.WithOptions()
}

// verbForm is a verb, with an optional slash and name of a bot, and an optional mark. Phones write blanks that are no ASCII.
var verbForm = regexp.MustCompile(`^(/?)([A-Za-z]+)(@[A-Za-z0-9_]+)?([:,.!?]*)([\s\v\x{85}\p{Z}]|$)`)

// Cut splits the verb from a text. The Text of the command is all of the rest, options included. ok is false when the text begins with
// no verb.
func Cut(text string) (c Command, ok bool) {
	text = strings.TrimSpace(text)
	if inner, ok := enclosed(text, "`"); ok { // copied with the backticks around it
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
	c = Command{Verb: verb, Text: strings.TrimSpace(text[len(m[0]):]), Marked: m[4] != "" || m[5] == "\n"}
	if verb == Cron {
		c = c.cutCron()
	}
	return c, true
}

// enclosed returns the text between two equal signs, when they enclose all of it.
func enclosed(text, sign string) (string, bool) {
	if len(text) < 2*len(sign) || !strings.HasPrefix(text, sign) || !strings.HasSuffix(text, sign) {
		return "", false
	}
	inner := text[len(sign) : len(text)-len(sign)]
	return inner, !strings.Contains(inner, sign)
}

// WithOptions splits the options from the end of the text and checks them. Errors are faults of kind Input.
func (c Command) WithOptions() (Command, error) {
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

// Named takes the first word of the text as the task, unless an option has named it.
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

// unquoted removes quotes that enclose all of a text.
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
