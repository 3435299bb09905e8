package slacktest

import (
	"regexp"
	"strings"
	"unicode"
)

// gap is a zero-width space: an emphasis character between two of them is literal.
const gap = "\u200b"

// look is what people see of blocks.
type look struct {
	text    string
	code    []string
	buttons []Button
	calls   int // effective mentions
}

func show(blocks []block) (l look) {
	var parts []string
	for _, b := range blocks {
		switch b.Type {
		case "header":
			parts = append(parts, b.Text.Text)
		case "rich_text":
			parts = append(parts, b.list())
		case "section":
			parts = append(parts, l.read(b.Text.Text))
		case "context":
			for _, x := range texts(b) {
				parts = append(parts, l.read(x.Text))
			}
		case "actions":
			for _, e := range elements(b) {
				l.buttons = append(l.buttons, Button{Label: e.Text.Text, Token: e.Value, Style: e.Style})
			}
		}
	}
	l.text = strings.Join(parts, "\n")
	return l
}

// read renders Slack's text format: fences are code, angle brackets are references, entities are characters, and
// emphasis characters have an effect outside of words and without surrounding gaps.
func (l *look) read(s string) string {
	var out strings.Builder
	for i, part := range strings.Split(s, "```") {
		if i%2 == 1 {
			code := visibleOnly(unescape(strings.TrimSuffix(strings.TrimPrefix(part, "\n"), "\n")))
			l.code = append(l.code, code)
			out.WriteString(code)
			continue
		}
		out.WriteString(visibleOnly(unescape(references.ReplaceAllStringFunc(emphasis(part), l.reference))))
	}
	return out.String()
}

var references = regexp.MustCompile(`<[^<>]*>`)

func (l *look) reference(s string) string {
	target, words, _ := strings.Cut(s[1:len(s)-1], "|")
	switch {
	case strings.HasPrefix(target, "!date^"):
		return words
	case strings.HasPrefix(target, "https://"), strings.HasPrefix(target, "http://"):
		return words
	}
	l.calls++
	return target
}

func visibleOnly(s string) string { return strings.ReplaceAll(s, gap, "") }

// emphasis removes effective emphasis characters, but not those in code, references and words.
func emphasis(s string) string {
	r := []rune(s)
	at := func(i int) rune {
		if i < 0 || i >= len(r) {
			return ' '
		}
		return r[i]
	}
	var out strings.Builder
	code, reference := false, false
	for i, c := range r {
		free := string(at(i-1)) == gap && string(at(i+1)) == gap
		switch {
		case c == '<':
			reference = true
		case c == '>':
			reference = false
		}
		switch {
		case reference:
		case c == '`' && !free:
			code = !code
			continue
		case code || free:
		case strings.ContainsRune("*_~", c) && !(letter(at(i-1)) && letter(at(i+1))):
			continue
		}
		out.WriteRune(c)
	}
	return out.String()
}

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Slack's text knows three entities.
var (
	fromEntities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
	toEntities   = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
)

func unescape(s string) string { return fromEntities.Replace(s) }
func entities(s string) string { return toEntities.Replace(s) }
