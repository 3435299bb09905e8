package telegram

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/task"
)

// update has the used fields of an update. The library's type fails if any part of an update is newer than the library,
// and the update would be lost.
type update struct {
	ID      int64    `json:"update_id"`
	Message *message `json:"message"`
	Press   *press   `json:"callback_query"`
}

type message struct {
	ID         int64           `json:"message_id"`
	Date       int64           `json:"date"`
	Topic      int64           `json:"message_thread_id"`
	InTopic    bool            `json:"is_topic_message"`
	From       *user           `json:"from"`
	SenderChat json.RawMessage `json:"sender_chat"`
	Via        *user           `json:"via_bot"`
	Chat       chat            `json:"chat"`
	Text       string          `json:"text"`
	Entities   []entity        `json:"entities"`
	Caption    string          `json:"caption"`
	CaptionEnt []entity        `json:"caption_entities"`
	ReplyTo    *message        `json:"reply_to_message"`
	Opens      json.RawMessage `json:"forum_topic_created"`
	forward
}

type user struct {
	ID       int64  `json:"id"`
	Bot      bool   `json:"is_bot"`
	First    string `json:"first_name"`
	Last     string `json:"last_name"`
	Username string `json:"username"`
}

type chat struct {
	ID   int64  `json:"id"`
	Type string `json:"type"`
}

type entity struct {
	Type   string `json:"type"`
	Offset int    `json:"offset"`
	Length int    `json:"length"`
	User   *user  `json:"user"`
}

type press struct {
	ID      string   `json:"id"`
	From    user     `json:"from"`
	Message *message `json:"message"`
	Data    string   `json:"data"`
}

var (
	tokens  = regexp.MustCompile(`^[A-Za-z0-9.-]{1,64}$`)
	command = regexp.MustCompile(`^/([A-Za-z0-9_]{1,64})(?:@([A-Za-z0-9_]+))?(?:\s|$)`)
)

// event converts an update to an event. It returns false for updates that are ignored: those of programs, channels and
// anonymous admins, which have no accountable author, conversations among people, and forwarded messages, whose words
// are another's. Quotes in a reply are not part of its text.
func (u update) event(me user) (channel.Event, bool) {
	e, ok := channel.Event{}, false
	switch {
	case u.Press != nil:
		e, ok = u.Press.event()
	case u.Message != nil:
		e, ok = u.Message.event(me)
	}
	e.ID = fmt.Sprintf("telegram-%d-%d", me.ID, u.ID)
	return e, ok
}

// event converts a press. The user's app supplies the token, so it may be anything. Telegram does not send the time (see presses).
func (p press) event() (channel.Event, bool) {
	if p.Message == nil || p.From.Bot || p.From.ID == 0 || !tokens.MatchString(p.Data) {
		return channel.Event{}, false
	}
	return channel.Event{
		Kind: channel.Press, User: p.From.person(), Room: p.Message.room(), Direct: true,
		Token: p.Data, Message: strconv.FormatInt(p.Message.ID, 10),
	}, true
}

func (m message) event(me user) (channel.Event, bool) {
	if m.From == nil || m.From.Bot || m.From.ID == 0 || m.Via != nil || len(m.SenderChat) > 0 || m.Chat.Type == "channel" || m.forwarded() {
		return channel.Event{}, false
	}
	text, entities := m.Text, m.Entities
	if text == "" {
		text, entities = m.Caption, m.CaptionEnt
	}
	if text == "" {
		return channel.Event{}, false
	}
	text, mentioned := withoutMention(text, entities, me)
	e := channel.Event{
		Kind: channel.Said, User: m.From.person(), Room: m.room(), Direct: mentioned || m.Chat.Type == "private",
		Text: text, Message: strconv.FormatInt(m.ID, 10), At: time.Unix(m.Date, 0).UTC(),
		Files: m.Text == "", // a caption is that of a picture or another file
	}
	// In a topic, a message that is not a reply is sent as one to the message that opened the topic.
	if r := m.ReplyTo; r != nil && len(r.Opens) == 0 {
		e.ReplyTo = strconv.FormatInt(r.ID, 10)
		e.Direct = e.Direct || r.From != nil && r.From.ID == me.ID
	}
	if c := command.FindStringSubmatch(text); c != nil {
		if c[2] != "" && !strings.EqualFold(c[2], me.Username) {
			return channel.Event{}, false // for another bot
		}
		e.Direct = true
		e.Text = c[1] + strings.TrimPrefix(text[1+len(c[1]):], "@"+c[2])
	}
	return e, e.Direct
}

// room returns a message's room. A topic is the thread of the message that opened it.
func (m message) room() task.Room {
	r := task.Room{Channel: channel.Telegram, ID: strconv.FormatInt(m.Chat.ID, 10)}
	if m.InTopic && m.Topic != 0 {
		r.Thread = strconv.FormatInt(m.Topic, 10)
	}
	return r
}

func (u user) person() channel.User {
	id := strconv.FormatInt(u.ID, 10)
	for _, name := range []string{u.Username, strings.TrimSpace(u.First + " " + u.Last)} {
		if name != "" {
			return channel.User{ID: id, Name: name}
		}
	}
	return channel.User{ID: id, Name: id}
}

// withoutMention removes mentions of the bot. Telegram marks them as entities, in UTF-16 code units.
func withoutMention(text string, entities []entity, me user) (string, bool) {
	units, found := utf16.Encode([]rune(text)), false
	for i := len(entities) - 1; i >= 0; i-- {
		e := entities[i]
		if e.Offset < 0 || e.Length <= 0 || e.Offset > len(units) || e.Length > len(units)-e.Offset {
			continue
		}
		name := string(utf16.Decode(units[e.Offset : e.Offset+e.Length]))
		byName := e.Type == "mention" && me.Username != "" && strings.EqualFold(name, "@"+me.Username)
		if !byName && (e.Type != "text_mention" || e.User == nil || e.User.ID != me.ID) {
			continue
		}
		after := units[e.Offset+e.Length:]
		if len(after) > 0 && after[0] == ' ' && (e.Offset == 0 || units[e.Offset-1] == ' ') {
			after = after[1:] // keep one space where the name was
		}
		units, found = append(units[:e.Offset:e.Offset], after...), true
	}
	return strings.TrimSpace(string(utf16.Decode(units))), found
}
