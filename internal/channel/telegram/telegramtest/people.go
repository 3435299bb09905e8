package telegramtest

import (
	"fmt"
	"slices"
	"strings"
)

// Open creates chats that the bot may write to: a positive id is a private chat, a negative one a group.
func (s *Server) Open(chats ...int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range chats {
		s.open(c)
	}
}

func (s *Server) open(chat int64) {
	switch {
	case chat > 0:
		s.chats[chat] = "private"
	case chat > -1_000_000_000_000:
		s.chats[chat] = "group"
	default:
		s.chats[chat] = "supergroup"
	}
}

// Topic opens a topic in a group and returns its id, which is that of the message that opened it.
func (s *Server) Topic(chat int64) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open(chat)
	m := s.stand(&standing{chat: chat, from: Person(1, "owner"), opens: true})
	m.topic = m.id
	return m.id
}

// Say writes a message as a user, and returns its id. replyTo is the message or topic that it answers, 0 for none. The
// bot's name after an @ is a mention, as in the apps. The bot receives all messages, as without privacy mode.
func (s *Server) Say(chat, user int64, name, text string, replyTo int) (message int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open(chat)
	m := &standing{chat: chat, from: Person(user, name), text: text, replyTo: replyTo}
	if to := s.find(chat, replyTo); to != nil {
		m.topic = to.topic
	} else if replyTo != 0 {
		s.t.Errorf("%s answers message %d in chat %d, which is not there", name, replyTo, chat)
	}
	s.stand(m)
	j := m.json(s)
	if at := strings.Index(text, "@"+BotName); at >= 0 {
		j["entities"] = []map[string]any{{"type": "mention", "offset": units(text[:at]), "length": len("@" + BotName)}}
	}
	s.add(map[string]any{"message": j})
	return m.id
}

// Press presses a button of a message, which need not exist, since apps may send anything. alerts returns the alerts
// that the user has seen for it so far.
func (s *Server) Press(chat, user int64, name string, message int, data string) (alerts func() []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var j map[string]any
	if m := s.find(chat, message); m != nil {
		j = m.json(s)
	} else { // too old to be included in full
		j = map[string]any{"message_id": message, "date": 0, "chat": map[string]any{"id": chat, "type": s.chats[chat]}}
	}
	id := fmt.Sprint("query", len(s.presses)+1)
	s.presses[id], s.waits[id] = user, true
	s.add(map[string]any{"callback_query": map[string]any{
		"id": id, "from": Person(user, name), "message": j, "chat_instance": "1", "data": data,
	}})
	return func() []string { return s.shown(func(a alert) bool { return a.query == id }) }
}

// Alerts returns the alerts that a user has seen, oldest first; user 0 means everybody.
func (s *Server) Alerts(user int64) []string {
	return s.shown(func(a alert) bool { return user == 0 || a.user == user })
}

func (s *Server) shown(which func(alert) bool) (texts []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.alerts {
		if which(a) {
			texts = append(texts, a.text)
		}
	}
	return texts
}

// Waiting counts unanswered presses, whose buttons show a progress indicator.
func (s *Server) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waits)
}

// Again delivers the latest update once more after it was confirmed, as if the confirmation was lost.
func (s *Server) Again() {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.queue, func(q queued) bool { return q.id == s.last.id })
	if i >= 0 {
		s.queue[i].again++
		return
	}
	s.put(s.last)
}

// Add queues an update of any form, without an id, and returns its id.
func (s *Server) Add(update map[string]any) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.add(update)
}

// Person is a user in an update. name is the username.
func Person(id int64, name string) map[string]any {
	return map[string]any{"id": id, "is_bot": false, "first_name": "Ada", "last_name": "Lovelace", "username": name}
}
