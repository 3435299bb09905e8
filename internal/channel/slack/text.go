package slack

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/channel"
)

// gap is a zero-width space. Slack's format has no escape for emphasis characters, so literal ones are surrounded with
// gaps, and real ones are separated from words by them.
const gap = "\u200b"

// mrkdwn renders a block in Slack's text format.
func mrkdwn(b channel.Block) string {
	switch b.Kind {
	case channel.Code:
		// A fence inside would end the block, and the rest would be formatted.
		return "```\n" + entities(strings.ReplaceAll(b.Code, "```", "`"+gap+"`"+gap+"`")) + "\n```"
	case channel.Rule:
		return "———"
	case channel.Heading:
		bold := make([]channel.Span, len(b.Spans))
		for i, s := range b.Spans {
			s.Bold = true
			bold[i] = s
		}
		return runs(bold)
	case channel.Item:
		indent := strings.Repeat("    ", b.Level)
		return indent + entities(b.Mark) + " " + strings.ReplaceAll(runs(b.Spans), "\n", "\n"+indent+"  ")
	case channel.Quote:
		return "> " + strings.ReplaceAll(runs(b.Spans), "\n", "\n> ")
	}
	return runs(b.Spans)
}

// runs renders spans. All spans of a link become one link without emphasis, since Slack would show the emphasis
// characters.
func runs(spans []channel.Span) string {
	var s strings.Builder
	for i := 0; i < len(spans); i++ {
		sp := spans[i]
		if to := address(sp.Link); to != "" {
			for i+1 < len(spans) && spans[i+1].Link == sp.Link {
				i++
				sp.Text += spans[i].Text
			}
			write(&s, "<"+to+"|"+label(sp.Text)+">", sp, false)
			continue
		}
		for n, line := range strings.Split(sp.Text, "\n") { // emphasis ends with the line
			if n > 0 {
				s.WriteString("\n")
			}
			last, _ := utf8.DecodeLastRuneInString(s.String())
			text := literal(line, s.Len() == 0 || last == '\n')
			if sp.Mono {
				text = entities(strings.ReplaceAll(line, "`", "ˋ")) // Slack can't show a backquote inside code
			}
			write(&s, text, sp, sp.Mono)
		}
	}
	return s.String()
}

// write surrounds a text without line ends with emphasis characters. They must touch the words, or Slack ignores them.
func write(s *strings.Builder, text string, look channel.Span, mono bool) {
	open := ""
	for _, m := range []struct {
		on   bool
		sign string
	}{{look.Bold, "*"}, {look.Italic, "_"}, {look.Strike, "~"}, {mono, "`"}} {
		if m.on {
			open += m.sign
		}
	}
	words := strings.TrimFunc(text, unicode.IsSpace)
	if open == "" || words == "" {
		s.WriteString(text)
		return
	}
	before, after, _ := strings.Cut(text, words)
	s.WriteString(before)
	if last, _ := utf8.DecodeLastRuneInString(s.String()); s.Len() > 0 && !unicode.IsSpace(last) {
		s.WriteString(gap)
	}
	s.WriteString(open + words)
	for i := len(open) - 1; i >= 0; i-- {
		s.WriteByte(open[i])
	}
	s.WriteString(gap + after)
}
