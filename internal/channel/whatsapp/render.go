package whatsapp

import (
	"cmp"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/channel"
)

const fence = "```"

// render formats blocks for WhatsApp.
func render(blocks []channel.Block) string { return strings.Trim(channel.Join(blocks, one), "\n") }

// size is the maximum length of a block, including the separator after it. It counts marks that may not be needed, so
// that it never shrinks when the block grows.
func size(b channel.Block) int {
	n := len("\n\n")
	switch b.Kind {
	case channel.Code:
		return n + 2*len(fence) + max(1, channel.Length(b.Code))
	case channel.Rule:
		return n + len("———")
	case channel.Item:
		n += 3*min(b.Level, 8) + channel.Length(b.Mark) + 1
	case channel.Quote:
		n += len("> ")
	}
	for _, s := range b.Spans {
		perLine := 0
		for _, on := range []bool{s.Bold || b.Kind == channel.Heading, s.Italic, s.Strike} {
			if on {
				perLine += 2
			}
		}
		if b.Kind == channel.Quote {
			perLine += len("> ")
		}
		n += channel.Length(s.Text) + perLine*(1+strings.Count(s.Text, "\n"))
		if s.Mono {
			n += 2 * len(fence)
		}
		if s.Link != "" {
			n += channel.Length(target(s.Link))
		}
	}
	return n
}

func one(b channel.Block) string {
	switch b.Kind {
	case channel.Heading:
		bold := make([]channel.Span, len(b.Spans))
		for i, s := range b.Spans {
			s.Bold = !s.Mono
			bold[i] = s
		}
		return spans(bold)
	case channel.Item:
		return strings.Repeat("   ", min(b.Level, 8)) + b.Mark + " " + spans(b.Spans)
	case channel.Quote:
		return "> " + strings.ReplaceAll(spans(b.Spans), "\n", "\n> ")
	case channel.Code:
		return fence + code(b.Code) + fence
	case channel.Rule:
		return "———"
	}
	return spans(b.Spans)
}

// spans formats a run of text. WhatsApp ignores marks next to letters and digits, so a style that begins or ends within
// a word is dropped: its marks would be visible.
func spans(list []channel.Span) string {
	var b strings.Builder
	var before rune
	for i, s := range list {
		after := rune(0)
		if i+1 < len(list) {
			after, _ = utf8.DecodeRuneInString(list[i+1].Text)
		}
		part := span(s, (!word(before) || edge(s.Text, strings.TrimLeft)) && (!word(after) || edge(s.Text, strings.TrimRight)))
		if s.Link != "" && same(s.Text, s.Link) { // a text that is not the address is shown as text: the address follows it
			part = cmp.Or(target(s.Link), part)
		}
		b.WriteString(part)
		if part != "" {
			before, _ = utf8.DecodeLastRuneInString(part)
		}
	}
	return starts.ReplaceAllStringFunc(b.String(), func(mark string) string {
		if mark == ">" {
			return "›"
		}
		return "– "
	})
}

// starts matches what would start a quote or a list. Intended ones are added after it was replaced.
var starts = regexp.MustCompile(`(?m)^(>|- )`)

// edge reports whether a text begins or ends with a space.
func edge(s string, trim func(s, cutset string) string) bool { return trim(s, " \n") != s }

func span(s channel.Span, marks bool) string {
	if s.Mono && s.Link == "" && strings.TrimSpace(s.Text) != "" {
		return fence + code(s.Text) + fence
	}
	out := defuse(s.Text)
	if !marks {
		return out
	}
	var with []string
	for _, m := range []struct {
		on   bool
		mark rune
	}{{s.Strike, '~'}, {s.Italic, '_'}, {s.Bold, '*'}} {
		if m.on {
			out = strings.ReplaceAll(out, string(m.mark), string(alike[m.mark])) // even within a word, since it could end the style
			with = append(with, string(m.mark))
		}
	}
	for _, m := range with {
		out = mark(out, m)
	}
	return out
}

// same reports whether a link's text is its address, except for a trailing slash.
func same(words, link string) bool {
	return strings.TrimSuffix(strings.TrimSpace(words), "/") == strings.TrimSuffix(link, "/")
}

// mark puts marks around the text of each line: they must touch the text, and end with the line.
func mark(s, with string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		core := strings.TrimSpace(line)
		if core == "" {
			continue
		}
		lead, trail, _ := strings.Cut(line, core)
		lines[i] = lead + with + core + with + trail
	}
	return strings.Join(lines, "\n")
}
