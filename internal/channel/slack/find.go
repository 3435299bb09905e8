package slack

import (
	"context"
	"fmt"

	slackgo "github.com/slack-go/slack"

	"github.com/longshift/longshift/task"
)

const (
	eventType = "longshift" // of our messages' metadata
	pageSize  = 200
	pages     = 10 // the calls of one search: a call that may have gone through was made a short while ago
)

// part says which of several messages one is.
type part struct{ number, of int }

func (p part) metadata(key string) slackgo.MsgOption {
	return slackgo.MsgOptionMetadata(slackgo.SlackMetadata{EventType: eventType,
		EventPayload: map[string]any{"key": key, "part": p.String()}})
}

// String gives "2/3".
func (p part) String() string { return fmt.Sprintf("%d/%d", p.number, p.of) }

// stands is what is in a room of the message with a key.
type stands struct {
	parts map[part]string // ids
	last  string          // id of the last part; then all of them were written
}

// find looks for a key among the latest messages of a room or a thread. A message counts only if we wrote it: other apps can give
// theirs the same metadata.
func (s *Slack) find(ctx context.Context, api *slackgo.Client, in task.Room, key string) (stands, error) {
	found := stands{parts: map[part]string{}}
	self, err := s.whoami(ctx)
	if err != nil {
		return found, err
	}
	cursor := ""
	for range pages {
		messages, next, err := history(ctx, api, in, cursor)
		if err != nil {
			return found, problem(ctx, "look for the message in Slack channel "+in.ID, err)
		}
		for _, m := range messages {
			if self.wrote(m) && (in.Thread != "" || !reply(m)) {
				found.note(m, key)
			}
		}
		if found.last != "" || next == "" {
			break
		}
		cursor = next
	}
	return found, nil
}

func (me identity) wrote(m slackgo.Message) bool {
	return me.user != "" && m.User == me.user || me.bot != "" && m.BotID == me.bot
}

// reply tells whether a message stands in a thread: a channel's history has those that are shown there too, and another message of the
// channel may bear the same key.
func reply(m slackgo.Message) bool {
	return m.ThreadTimestamp != "" && m.ThreadTimestamp != m.Timestamp
}

// note takes a message in if it bears the key.
func (f *stands) note(m slackgo.Message, key string) {
	if m.Metadata.EventType != eventType || m.Metadata.EventPayload["key"] != key {
		return
	}
	text, _ := m.Metadata.EventPayload["part"].(string)
	var p part
	if _, err := fmt.Sscanf(text, "%d/%d", &p.number, &p.of); err != nil {
		return
	}
	f.parts[p] = m.Timestamp
	if p.number == p.of {
		f.last = m.Timestamp
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
