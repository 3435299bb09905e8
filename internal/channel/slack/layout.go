package slack

import (
	"strconv"
	"strings"

	slackgo "github.com/slack-go/slack"

	"github.com/longshift/longshift/internal/channel"
)

const (
	headerLimit = 150 // characters, Slack's own limit
	textBlocks  = 15  // at most that many blocks for a text, so that a message has fewer than Slack's 50
	deepest     = 6   // level of a list that is shown as such
)

// titled separates a heading of the first level at the beginning, if something follows it.
func titled(blocks []channel.Block) (title string, body []channel.Block) {
	if len(blocks) < 2 || blocks[0].Kind != channel.Heading || blocks[0].Level != 1 {
		return "", blocks
	}
	return strings.TrimSpace(channel.Plain(blocks[:1])), blocks[1:]
}

func header(title string) slackgo.Block {
	for most := headerLimit; ; most-- {
		if short := channel.Shorten(title, most); channel.Length(short) <= headerLimit {
			return slackgo.NewHeaderBlock(plain(short))
		}
	}
}

// layout renders a text that fits into one section: its lists as lists, the rest as sections. A text with too many changes
// between them becomes one section.
func layout(t []channel.Block) (out []slackgo.Block) {
	for rest := t; len(rest) > 0; {
		n, items := 1, rest[0].Kind == channel.Item
		for n < len(rest) && (rest[n].Kind == channel.Item) == items {
			n++
		}
		if items {
			out = append(out, lists(rest[:n]))
		} else {
			out = append(out, section(rest[:n]))
		}
		rest = rest[n:]
	}
	if len(out) > textBlocks {
		return []slackgo.Block{section(t)}
	}
	return out
}

func section(t []channel.Block) slackgo.Block {
	return slackgo.NewSectionBlock(text(channel.Join(t, mrkdwn)), nil, nil)
}

// lists renders items. Those of one level and kind that follow each other are one list.
func lists(items []channel.Block) slackgo.Block {
	var all []slackgo.RichTextElement
	var last *slackgo.RichTextList
	next := 0 // number of the next item of last, if it is ordered
	for _, b := range items {
		style, number := slackgo.RTEListBullet, 0
		if n, err := strconv.Atoi(strings.TrimSuffix(b.Mark, ".")); err == nil {
			style, number = slackgo.RTEListOrdered, max(n, 1)
		}
		indent := min(b.Level, deepest)
		if last == nil || last.Style != style || last.Indent != indent || number != next {
			last = slackgo.NewRichTextList(style, indent)
			last.Offset = max(number-1, 0)
			all = append(all, last)
		}
		if next = 0; number > 0 {
			next = number + 1
		}
		last.Elements = append(last.Elements, item(b, number > 0))
	}
	return slackgo.NewRichTextBlock("", all...)
}

// item renders the text of an item. A box is part of it, because Slack's lists have none.
func item(b channel.Block, ordered bool) *slackgo.RichTextSection {
	var all []slackgo.RichTextSectionElement
	if !ordered && b.Mark != "•" {
		all = append(all, slackgo.NewRichTextSectionTextElement(b.Mark+" ", nil))
	}
	for _, s := range b.Spans {
		if s.Text == "" {
			continue
		}
		var style *slackgo.RichTextSectionTextStyle
		if s.Bold || s.Italic || s.Strike || s.Mono {
			style = &slackgo.RichTextSectionTextStyle{Bold: s.Bold, Italic: s.Italic, Strike: s.Strike, Code: s.Mono}
		}
		if address(s.Link) != "" {
			all = append(all, slackgo.NewRichTextSectionLinkElement(s.Link, s.Text, style))
		} else {
			all = append(all, slackgo.NewRichTextSectionTextElement(s.Text, style))
		}
	}
	if len(all) == 0 { // Slack refuses an empty text
		all = append(all, slackgo.NewRichTextSectionTextElement(" ", nil))
	}
	return slackgo.NewRichTextSection(all...)
}
