package telegramtest

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Message is the current state of one of the bot's messages.
type Message struct {
	ID       int
	Text     string // as people see it: without markup and invisible characters
	Sent     string // as it was sent; entities refer to it
	Entities []Entity
	Buttons  []Button // row by row
	ReplyTo  int      // the message that it answers, or the one that opened the topic; 0 for none
	Topic    int      // 0 for none
	Silent   bool
	Edited   int // number of edits
}

type Button struct{ Text, Data string }

// Messages returns the bot's messages in a chat, oldest first.
func (s *Server) Messages(chat int64) (list []Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.stands {
		if m.chat == chat && m.ours {
			list = append(list, m.message())
		}
	}
	return list
}

type standing struct {
	id       int
	chat     int64
	topic    int
	opens    bool // opens a topic
	replyTo  int
	ours     bool
	from     map[string]any
	text     string
	entities []Entity
	keys     string
	silent   bool
	edited   int
}

func (m *standing) message() Message {
	out := Message{ID: m.id, Text: strings.ReplaceAll(m.text, "\u2060", ""), Sent: m.text, Entities: slices.Clone(m.entities),
		ReplyTo: m.replyTo, Topic: m.topic, Silent: m.silent, Edited: m.edited}
	for _, b := range keyboard(m.keys) {
		out.Buttons = append(out.Buttons, Button{Text: b["text"], Data: b["callback_data"]})
	}
	return out
}

func keyboard(raw string) []map[string]string {
	var k struct {
		Rows [][]map[string]string `json:"inline_keyboard"`
	}
	if raw != "" && json.Unmarshal([]byte(raw), &k) != nil {
		return []map[string]string{{}}
	}
	return slices.Concat(k.Rows...)
}

// stand assigns an id to a message and adds it to its chat.
func (s *Server) stand(m *standing) *standing {
	s.nextID++
	m.id = s.nextID
	s.stands = append(s.stands, m)
	return m
}

func (s *Server) find(chat int64, id int) *standing {
	i := slices.IndexFunc(s.stands, func(m *standing) bool { return m.chat == chat && m.id == id })
	if i < 0 {
		return nil
	}
	return s.stands[i]
}

func (m *standing) json(s *Server) map[string]any {
	out := map[string]any{"message_id": m.id, "date": time.Now().Unix(), "text": m.text, "from": m.from,
		"chat": map[string]any{"id": m.chat, "type": s.chats[m.chat], "is_forum": true}}
	if m.ours {
		out["from"] = map[string]any{"id": BotID, "is_bot": true, "first_name": "Longshift", "username": BotName}
	}
	if m.topic != 0 {
		out["message_thread_id"], out["is_topic_message"] = m.topic, true
	}
	if r := s.find(m.chat, m.replyTo); r != nil {
		reply := *r
		reply.replyTo = 0
		j := reply.json(s)
		if r.opens {
			j["forum_topic_created"] = map[string]any{"name": "topic"}
		}
		j["forward_origin"] = map[string]any{"type": "brand_new", "date": 1} // a kind that the library does not know
		out["reply_to_message"] = j
	}
	return out
}
