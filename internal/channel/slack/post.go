package slack

import (
	"context"
	"strings"

	slackgo "github.com/slack-go/slack"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/clock"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// Post writes a message, split into up to four if it is long. Each has the key in its metadata, so that Post with again
// finds the existing ones and writes only the missing. In Slack each person chooses their notifications; Loud broadcasts
// a reply to the channel, for people who do not follow the thread. If the message was split, that is the last part,
// which has the buttons.
func (s *Slack) Post(ctx context.Context, to task.Room, m channel.Message, again bool) (task.MessageRef, error) {
	parts, err := build(m, messages, s.now())
	if err != nil {
		return task.MessageRef{}, err
	}
	api, err := s.bot(ctx)
	if err != nil {
		return task.MessageRef{}, err
	}
	var found existing
	if again {
		found, err = s.find(ctx, api, to, m.Key)
		if to.Thread != "" && fault.KindOf(err) == fault.NotFound { // its root was deleted: Slack posts replies to it in the channel itself
			to.Thread = ""
			found, err = s.find(ctx, api, to, m.Key)
		}
		if err != nil {
			return task.MessageRef{}, err
		}
		if found.last != "" {
			return channel.Ref(to, found.ids()), nil
		}
	}
	at, ids := task.MessageRef{Room: to}, []string(nil)
	for i, c := range parts {
		mark := part{i + 1, len(parts)}
		if at.Message = found.parts[mark]; at.Message != "" {
			ids = append(ids, at.Message)
			continue
		}
		show := m.Loud && mark.number == mark.of && to.Thread != "" && !private(to.ID)
		if at, err = s.send(ctx, api, to, c, show, m.Key, mark); err != nil {
			return task.MessageRef{}, err
		}
		ids = append(ids, at.Message)
	}
	return channel.Ref(at.Room, ids), nil
}

// private reports whether a conversation is with one person, given by its own id or the person's.
func private(id string) bool { return id != "" && strings.ContainsRune("DUW", rune(id[0])) }

func (s *Slack) send(
	ctx context.Context, api *slackgo.Client, to task.Room, c content, show bool, key string, p part,
) (task.MessageRef, error) {
	options := append(c.options(), p.metadata(key), slackgo.MsgOptionDisableLinkUnfurl(), slackgo.MsgOptionDisableMediaUnfurl())
	if to.Thread != "" {
		options = append(options, slackgo.MsgOptionTS(to.Thread))
	}
	if show {
		options = append(options, slackgo.MsgOptionBroadcast())
	}
	if err := clock.Late(ctx); err != nil { // another worker has posted it, or will
		return task.MessageRef{}, problem(ctx, "post to Slack channel "+to.ID, err)
	}
	room, ts, err := api.PostMessageContext(ctx, to.ID, options...)
	if err != nil {
		return task.MessageRef{}, problem(ctx, "post to Slack channel "+to.ID, err)
	}
	if ts == "" {
		return task.MessageRef{}, fault.New(fault.Infra, "post to Slack channel %s: the answer names no message", to.ID)
	}
	if room != "" {
		to.ID = room // edits need the conversation's id
	}
	return task.MessageRef{Room: to, Message: ts}, nil
}

// options are those of a post or an edit. Nothing in the notification becomes a mention or a link.
func (c content) options() []slackgo.MsgOption {
	return []slackgo.MsgOption{
		slackgo.MsgOptionText(c.notice, false),
		slackgo.MsgOptionBlocks(c.blocks...),
		slackgo.MsgOptionParse(false),
		slackgo.MsgOptionLinkNames(false),
	}
}

// Edit replaces the text of one message, truncated to what one can hold. A broadcast reply stays one, and Loud has no
// effect: Slack has no call that edits an old reply and broadcasts it.
func (s *Slack) Edit(ctx context.Context, at task.MessageRef, m channel.Message) error {
	parts, err := build(m, 1, s.now())
	if err != nil {
		return err
	}
	api, err := s.bot(ctx)
	if err != nil {
		return err
	}
	options := parts[0].options()
	if m.Key != "" {
		options = append(options, part{1, 1}.metadata(m.Key))
	}
	if err = clock.Late(ctx); err == nil { // what another worker has written is newer
		_, _, _, err = api.UpdateMessageContext(ctx, at.ID, at.Message, options...)
	}
	return problem(ctx, "edit message "+at.Message+" in Slack channel "+at.ID, err)
}
