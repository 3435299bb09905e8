package render

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Markdown renders answers. All fields but Redact may be empty.
type Markdown struct {
	Redact    func(string) string // removes secrets
	WebURL    string              // of Temporal Web; without it there are no links to it
	Namespace string              // of the Temporal server
}

var mention = regexp.MustCompile(`(^|[^\pL\pN_])@([\pL\pN_])`)

// Literal renders a text of others on one line of at most n bytes, without effect: no markup, and nobody is mentioned.
func (m Markdown) Literal(s string, n int) string {
	s = Line(m.Redact(s), n)
	return mention.ReplaceAllString(strings.ReplaceAll(task.Literally(s), "]", `\]`), "$1＠$2")
}

// Name renders a user's name, or the id when nothing of the name is left. Users choose their names, and others read them: markup and
// mentions are removed.
func (m Markdown) Name(name, id string) string {
	for _, given := range []string{name, id} {
		plain := OneLine(strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || strings.ContainsRune(" .,'-_+", r) {
				return r
			}
			if unicode.IsSpace(r) {
				return ' '
			}
			return -1
		}, Readable(m.Redact(given))))
		if plain = strings.Trim(excerpt.Clip(plain, 80), " _"); plain != "" {
			return plain
		}
	}
	return "someone"
}

var idForm = regexp.MustCompile(`^[A-Za-z0-9._:+@=/-]{1,200}$`)

// Mono renders an id as code, so that people can copy it.
func (m Markdown) Mono(id string) string {
	if !idForm.MatchString(id) {
		return m.Literal(id, 100)
	}
	return "`" + m.Redact(id) + "`"
}

// Repository renders a repository's name. The path of one on this machine can hold what only its owner should read.
func (m Markdown) Repository(repository string) string { return m.Literal(repository, 200) }

// Error renders an error for the person whose request failed: what went wrong, then the hint.
func (m Markdown) Error(err error) string {
	text := Sentence(m.Literal(err.Error(), 600))
	if hint := fault.HintOf(err); hint != "" {
		text += " " + Sentence(m.Literal(hint, 300))
	}
	return text
}

var safeLink = regexp.MustCompile(`^https?://[A-Za-z0-9.:-]+(/[A-Za-z0-9._~%/:@+,=&?#-]*)?$`)

// Link renders a link. It is empty when the address is not a plain http or https URL, or holds a secret.
func (m Markdown) Link(words, address string) string {
	if !safeLink.MatchString(address) || m.Redact(address) != address {
		return ""
	}
	return "[" + words + "](" + address + ")"
}

// Web renders the link to a workflow's page in Temporal Web. It is empty when the address of Temporal Web is not set.
func (m Markdown) Web(id, run string) string {
	return m.Link("Temporal Web", signals.WebURL(m.WebURL, m.Namespace, id, run))
}

// NotCurrent says that a button or a message is out of date. what begins the sentence; an empty why is replaced by a general one.
func (m Markdown) NotCurrent(what, why string) string {
	if why == "" {
		why = "this was settled already"
	}
	return what + " is no longer current: " + m.Literal(why, 300)
}
