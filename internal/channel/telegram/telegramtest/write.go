package telegramtest

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

func (s *Server) send(p map[string]string) (any, string) {
	chat, err := strconv.ParseInt(p["chat_id"], 10, 64)
	if err != nil || s.chats[chat] == "" {
		return nil, "chat not found"
	}
	m := &standing{chat: chat, ours: true, silent: p["disable_notification"] == "true"}
	if problem := s.fill(m, p); problem != "" {
		return nil, problem
	}
	if raw := p["reply_parameters"]; raw != "" {
		var r struct {
			ID    int  `json:"message_id"`
			Allow bool `json:"allow_sending_without_reply"`
		}
		if err := json.Unmarshal([]byte(raw), &r); err != nil || !r.Allow {
			s.t.Errorf("reply_parameters %s", raw)
		}
		if to := s.find(chat, r.ID); to != nil {
			m.replyTo, m.topic = r.ID, to.topic
		}
	}
	return s.stand(m).json(s), ""
}

func (s *Server) edit(p map[string]string) (any, string) {
	chat, _ := strconv.ParseInt(p["chat_id"], 10, 64)
	id, _ := strconv.Atoi(p["message_id"])
	if s.chats[chat] == "" {
		return nil, "chat not found"
	}
	m := s.find(chat, id)
	if m == nil || !m.ours {
		return nil, "message to edit not found"
	}
	n := standing{}
	if problem := s.fill(&n, p); problem != "" {
		return nil, problem
	}
	if n.text == m.text && slices.Equal(n.entities, m.entities) && n.keys == m.keys {
		return nil, "message is not modified: specified new message content and reply markup are exactly the same " +
			"as a current content and reply markup of the message"
	}
	m.text, m.entities, m.keys = n.text, n.entities, n.keys // an edit without buttons removes them
	m.edited++
	return m.json(s), ""
}

// fill parses text, entities and buttons, and checks the limits.
func (s *Server) fill(m *standing, p map[string]string) string {
	m.text, m.keys = p["text"], p["reply_markup"]
	if p["link_preview_options"] != `{"is_disabled":true}` {
		s.t.Errorf("link previews are not off: %s", p["link_preview_options"])
	}
	switch n := units(m.text); {
	case strings.TrimSpace(m.text) == "":
		return "message text is empty"
	case n > 4096:
		return "message is too long"
	case !utf8.ValidString(m.text) || m.text != strings.Trim(m.text, " \n") || strings.ContainsAny(m.text, "\t\r\x00"):
		s.t.Errorf("Telegram would change the text %q, and with it the offsets", m.text)
	}
	if raw := p["entities"]; raw != "" {
		if err := json.Unmarshal([]byte(raw), &m.entities); err != nil {
			return "can't parse entities: " + err.Error()
		}
	}
	if err := m.message().Check(); err != nil {
		s.t.Error(err)
		return "can't parse entities: " + err.Error()
	}
	return s.checkKeys(m.keys)
}

func (s *Server) checkKeys(raw string) string {
	for _, b := range keyboard(raw) {
		if len(b) > 3 || b["text"] == "" || len(b["callback_data"]) < 1 || len(b) == 3 && b["style"] != "primary" && b["style"] != "danger" {
			s.t.Errorf("button %v", b)
		}
		if len(b["callback_data"]) > 64 {
			return "BUTTON_DATA_INVALID"
		}
	}
	return ""
}
