package listen

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// readable takes out of a text what nobody sees: control characters, direction overrides, zero-width and tag characters. They
// could say something to an agent that the person did not read. Line ends and tabs stay.
func readable(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(s, "\uFFFD"))
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && task.Hidden(r) {
			return -1
		}
		return r
	}, s))
}

func oneLine(s string) string { return strings.Join(strings.Fields(readable(s)), " ") }

// clip cuts a text to n bytes, at a rune's boundary, and marks the cut.
func clip(s string, n int) string {
	const mark = "…"
	if len(s) <= n {
		return s
	}
	cut := max(n-len(mark), 0)
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strings.TrimRight(s[:cut], " ") + mark
}

var mention = regexp.MustCompile(`(^|[^\pL\pN_])@([\pL\pN_])`)

// literal is a text of others as one line of Markdown that says just that: no markup, and nobody is called by it.
func (e *Ear) literal(s string, n int) string {
	s = clip(oneLine(e.c.Redact(s)), n)
	return mention.ReplaceAllString(strings.ReplaceAll(task.Literally(s), "]", `\]`), "$1＠$2")
}

// name is how people know a user. Names can be chosen, and they stand in messages to others: markup and mentions are left out.
func (e *Ear) name(u channel.User) string {
	for _, given := range []string{u.Name, u.ID} {
		plain := oneLine(strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || strings.ContainsRune(" .,'-_+", r) {
				return r
			}
			if unicode.IsSpace(r) {
				return ' '
			}
			return -1
		}, readable(e.c.Redact(given))))
		if plain = strings.Trim(clip(plain, 80), " _"); plain != "" {
			return plain
		}
	}
	return "someone"
}

var idForm = regexp.MustCompile(`^[A-Za-z0-9._:+@=/-]{1,200}$`)

// mono is an id in the letters of code, so that it can be copied.
func (e *Ear) mono(id string) string {
	if !idForm.MatchString(id) {
		return e.literal(id, 100)
	}
	return "`" + e.c.Redact(id) + "`"
}

// said is an error for the one who asked: what went wrong, then the way out.
func (e *Ear) said(err error) string {
	text := sentence(e.literal(err.Error(), 600))
	if hint := fault.HintOf(err); hint != "" {
		text += " " + sentence(e.literal(hint, 300))
	}
	return text
}

// sentence begins with a capital and ends with a stop, unless it begins with something that must stay as it is.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	word, _, _ := strings.Cut(s, " ")
	if !strings.ContainsAny(word, "-/.:") {
		s = string(unicode.ToUpper(first)) + s[size:]
	}
	if !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "!") && !strings.HasSuffix(s, "?") {
		s += "."
	}
	return s
}

var safeLink = regexp.MustCompile(`^https?://[A-Za-z0-9.:-]+(/[A-Za-z0-9._~%/:@+,=&?#-]*)?$`)

// link is words that lead to an address, or nothing when it is no address to lead people to.
func (e *Ear) link(words, address string) string {
	if !safeLink.MatchString(address) || e.c.Redact(address) != address {
		return ""
	}
	return "[" + words + "](" + address + ")"
}

// web is the link to a workflow's page in Temporal Web, empty when there is none.
func (e *Ear) web(id, run string) string {
	return e.link("Temporal Web", signals.WebURL(e.c.WebURL, e.c.Namespace, id, run))
}
