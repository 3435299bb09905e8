package slack

import (
	"context"
	"fmt"

	slackgo "github.com/slack-go/slack"

	"github.com/longshift/longshift/task"
)

const (
	eventType = "longshift" // type of the messages' metadata
	pageSize  = 200
	pages     = 10 // requests per search; the message it looks for is recent
)

// part is the position of a message in a split one.
type part struct{ number, of int }

func (p part) metadata(key string) slackgo.MsgOption {
	return slackgo.MsgOptionMetadata(slackgo.SlackMetadata{EventType: eventType,
		EventPayload: map[string]any{"key": key, "part": p.String()}})
}

func (p part) String() string { return fmt.Sprintf("%d/%d", p.number, p.of) }

// existing is the part of a message that already exists in a room.
type existing struct {
	parts map[part]string // ids
	last  string          // id of the last part, which means that all parts were written
	of    int             // number of parts, when the last one is known
}

// ids are the ids of the parts that were found, in order. The last part must be known.
func (f existing) ids() (list []string) {
	for n := 1; n < f.of; n++ {
		if id := f.parts[part{n, f.of}]; id != "" {
			list = append(list, id)
		}
	}
	return append(list, f.last)
}

// find searches a room or thread for a key. Only the bot's own messages count, since other apps can set the same metadata.
func (s *Slack) find(ctx context.Context, api *slackgo.Client, in task.Room, key string) (existing, error) {
	found := existing{parts: map[part]string{}}
	err := s.each(ctx, api, in, func(m slackgo.Message) (enough bool) {
		found.note(m, key)
		return found.last != "" && len(found.ids()) == found.of
	})
	return found, err
}

// each calls use for the bot's latest messages in a room or thread, until it has seen enough.
func (s *Slack) each(ctx context.Context, api *slackgo.Client, in task.Room, use func(m slackgo.Message) (enough bool)) error {
	self, err := s.whoami(ctx)
	if err != nil {
		return err
	}
	cursor := ""
	for range pages {
		messages, next, err := history(ctx, api, in, cursor)
		if err != nil {
			return problem(ctx, "look for the message in Slack channel "+in.ID, err)
		}
		for _, m := range messages {
			if self.wrote(m) && (in.Thread != "" || !reply(m)) && use(m) {
				return nil
			}
		}
		if next == "" {
			break
		}
		cursor = next
	}
	return nil
}

func (me identity) wrote(m slackgo.Message) bool {
	return me.user != "" && m.User == me.user || me.bot != "" && m.BotID == me.bot
}

// reply reports whether a message belongs to a thread: a channel's history includes broadcast replies, and another
// message of the channel may have the same key.
func reply(m slackgo.Message) bool {
	return m.ThreadTimestamp != "" && m.ThreadTimestamp != m.Timestamp
}

// note records a message that has the key.
func (f *existing) note(m slackgo.Message, key string) {
	if m.Metadata.EventType != eventType || m.Metadata.EventPayload["key"] != key {
		return
	}
	text, _ := m.Metadata.EventPayload["part"].(string)
	var p part
	if _, err := fmt.Sscanf(text, "%d/%d", &p.number, &p.of); err != nil {
		return
	}
	f.parts[p] = m.Timestamp
	if p.number == p.of && f.last == "" {
		f.last, f.of = m.Timestamp, p.of
	}
}

func history(ctx context.Context, api *slackgo.Client, in task.Room, cursor string) ([]slackgo.Message, string, error) {
	if in.Thread != "" {
		m, _, next, err := api.GetConversationRepliesContext(ctx, &slackgo.GetConversationRepliesParameters{ChannelID: in.ID,
			Timestamp: in.Thread, Cursor: cursor, Limit: pageSize, IncludeAllMetadata: true})
		return m, next, err
	}
	r, err := api.GetConversationHistoryContext(ctx, &slackgo.GetConversationHistoryParameters{ChannelID: in.ID,
		Cursor: cursor, Limit: pageSize, IncludeAllMetadata: true})
	if err != nil {
		return nil, "", err
	}
	return r.Messages, r.ResponseMetaData.NextCursor, nil
}
