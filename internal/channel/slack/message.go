package slack

import (
	"fmt"
	"strings"
	"time"

	slackgo "github.com/slack-go/slack"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
)

const (
	sectionLimit = 2900 // encoded characters; Slack's limit is 3000
	sections     = 3    // per message: Slack refuses messages with more than about ten thousand characters in blocks
	messages     = 4    // a message is split into at most this many; the last one notes what is omitted
	noticeLimit  = 300  // characters of a notification
	footLimit    = 500  // encoded characters of the foot
	maxButtons   = 3    // as in channel.Message
)

type content struct {
	notice string // text of the notification
	blocks []slackgo.Block
}

// build renders m as at most n messages. The last one has the countdown and the buttons.
func build(m channel.Message, n int, now time.Time) ([]content, error) {
	title, body := titled(channel.Read(m.Text))
	texts := channel.Fit(body, size, sectionLimit, sections*n)
	if len(texts) == 0 {
		return nil, fault.New(fault.Input, "message %q has no text", m.Key).WithHint("give the message a text")
	}
	if len(m.Buttons) > maxButtons {
		return nil, fault.New(fault.Input, "message %q has %d buttons, and may have %d", m.Key, len(m.Buttons), maxButtons)
	}
	for _, b := range m.Buttons {
		if b.Label == "" || !token(b.Token) {
			return nil, fault.New(fault.Input, "button %q of message %q has no label or no proper token", b.Label, m.Key)
		}
	}
	var out []content
	for len(texts) > 0 {
		take := min(sections, len(texts))
		out = append(out, page(title, texts[:take]))
		title, texts = "", texts[take:]
	}
	last := &out[len(out)-1]
	if small := smallPrint(m, now); len(small) > 0 {
		last.blocks = append(last.blocks, slackgo.NewContextBlock("", small...))
	}
	if len(m.Buttons) > 0 {
		last.blocks = append(last.blocks, actions(m.Buttons))
	}
	return out, nil
}

// size is the length of a block, as channel.Fit wants it.
func size(b channel.Block) int { return channel.Length(mrkdwn(b)) + 2 }

func page(title string, texts [][]channel.Block) content {
	c := content{notice: literal(channel.Shorten(strings.TrimSpace(title+"\n"+channel.Plain(texts[0])), noticeLimit), true)}
	if title != "" {
		c.blocks = append(c.blocks, header(title))
	}
	for _, t := range texts {
		c.blocks = append(c.blocks, layout(t)...)
	}
	return c
}

// smallPrint is the foot and the countdown.
func smallPrint(m channel.Message, now time.Time) (small []slackgo.MixedElement) {
	if foot := channel.Fit(channel.Read(m.Foot), size, footLimit, 1); len(foot) > 0 {
		small = append(small, text(channel.Join(foot[0], mrkdwn)))
	}
	if words := until(m, now); words != "" {
		small = append(small, text(words))
	}
	return small
}

// text is verbatim mrkdwn: Slack does not turn names or addresses into links.
func text(s string) *slackgo.TextBlockObject {
	return slackgo.NewTextBlockObject(slackgo.MarkdownType, s, false, true)
}

// until describes what happens automatically, in each reader's time zone. Clients that can't show the date show
// channel.Countdown.
func until(m channel.Message, now time.Time) string {
	if m.Until.IsZero() {
		return ""
	}
	fallback := channel.Countdown(m, now)
	then := m.Then
	if then == "" {
		then = "continues automatically"
	}
	when := "{time} ({ago})"
	if m.Until.Sub(now) > 12*time.Hour {
		when = "{date_short_pretty}, " + when
	}
	return fmt.Sprintf("⏳ %s <!date^%d^%s|%s>", literal(then, false), m.Until.Unix(), when, entities(fallback))
}

func actions(buttons []channel.Button) *slackgo.ActionBlock {
	var elements []slackgo.BlockElement
	for _, b := range buttons {
		e := slackgo.NewButtonBlockElement(b.Token, b.Token, plain(channel.Shorten(b.Label, 75)))
		e.Style = slackgo.Style(b.Style)
		elements = append(elements, e)
	}
	return slackgo.NewActionBlock(actionsID, elements...)
}

// actionsID identifies the block of buttons; presses on other elements are ignored.
const actionsID = "longshift"

func plain(s string) *slackgo.TextBlockObject {
	return slackgo.NewTextBlockObject(slackgo.PlainTextType, s, false, false)
}

// token reports whether a button's token has the form that channel.Button gives it.
func token(s string) bool {
	if s == "" || len(s) > 60 {
		return false
	}
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-') {
			return false
		}
	}
	return true
}
