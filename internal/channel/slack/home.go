package slack

import (
	"context"
	"fmt"
	"strings"
	"time"

	slackgo "github.com/slack-go/slack"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/task"
)

const (
	homeBlocks = 100  // Slack's own limit
	entryLimit = 1000 // encoded characters of an entry
)

// publish shows a person their home: the page of an answer, or its text.
func (s *Slack) publish(ctx context.Context, user string, a channel.Answer) error {
	self, err := s.whoami(ctx)
	if err != nil {
		return err
	}
	var blocks []slackgo.Block
	if a.Page == nil {
		c, err := build(channel.Message{Text: a.Text}, 1, s.now())
		if err != nil {
			return err
		}
		blocks = c[0].blocks
	} else {
		blocks = home(*a.Page, self, s.now())
	}
	api, err := s.bot(ctx)
	if err != nil {
		return err
	}
	_, err = api.PublishViewContext(ctx, slackgo.PublishViewContextRequest{UserID: user,
		View: slackgo.HomeTabViewRequest{Type: slackgo.VTHomeTab, Blocks: slackgo.Blocks{BlockSet: blocks}}})
	return problem(ctx, "show a home in Slack", err)
}

// home renders a page, with the time that it shows: Slack shows it until it is opened again, and longer if that fails.
func home(p channel.Page, self identity, now time.Time) (blocks []slackgo.Block) {
	asOf := slackgo.NewContextBlock("", text(fmt.Sprintf(
		"As of <!date^%d^{date_short_pretty}, {time}|%s>; open this tab again to see what is new",
		now.Unix(), now.UTC().Format("2006-01-02 15:04 UTC"))))
	for _, part := range p.Parts {
		blocks = append(blocks, header(part.Title))
		for _, e := range part.Entries {
			if len(blocks) >= homeBlocks-2 {
				return append(blocks[:homeBlocks-2], slackgo.NewSectionBlock(text("… and more"), nil, nil), asOf)
			}
			if fit := channel.Fit(self.entry(e), size, entryLimit, 1); len(fit) > 0 {
				blocks = append(blocks, section(fit[0]))
			}
		}
	}
	return append(blocks, asOf)
}

// entry is the text of an entry, followed by a link to its message. It is no Markdown, which would show the address too.
func (me identity) entry(e channel.Entry) []channel.Block {
	body := channel.Read(e.Text)
	if link := me.link(e.At); link != "" && len(body) > 0 {
		last := &body[len(body)-1]
		last.Spans = append(last.Spans, channel.Span{Text: " · "}, channel.Span{Text: "Thread", Link: link})
	}
	return body
}

// link is the address of a message in Slack; "" if it is not known.
func (me identity) link(at *task.MessageRef) string {
	if at == nil || at.Room.Channel != channel.Slack || address(me.url) == "" {
		return ""
	}
	return strings.TrimSuffix(me.url, "/") + "/archives/" + at.Room.ID + "/p" + strings.ReplaceAll(at.Message, ".", "")
}
