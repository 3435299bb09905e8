package telegram

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/channeltest"
	"github.com/longshift/longshift/internal/channel/telegram/telegramtest"
	"github.com/longshift/longshift/task"
)

const (
	group   = int64(-1001234567890)
	private = int64(4242)

	testToken = telegramtest.Token
	botID     = telegramtest.BotID
	botName   = telegramtest.BotName
)

var ada = channel.User{ID: "4242", Name: "ada"}

// quick has the shortest possible pauses.
var quick = Backoff{First: time.Millisecond, Most: 5 * time.Millisecond, Conflict: 3 * time.Millisecond, Tries: 20}

func held(context.Context) (string, error) { return testToken, nil }

func open(t *testing.T, s *telegramtest.Server, change ...func(*Config)) *Telegram {
	t.Helper()
	c := Config{Token: held, BaseURL: s.URL, HTTP: s.Client(), Poll: time.Second, Backoff: quick, Log: slog.New(slog.DiscardHandler)}
	for _, f := range change {
		f(&c)
	}
	x, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func room(id int64) task.Room {
	return task.Room{Channel: channel.Telegram, ID: strconv.FormatInt(id, 10)}
}

func TestConform(t *testing.T) {
	t.Run("group", func(t *testing.T) {
		channeltest.Conform(t, func(t *testing.T) channeltest.Fixture { return fixture(t, group) })
	})
	t.Run("private", func(t *testing.T) {
		channeltest.Conform(t, func(t *testing.T) channeltest.Fixture { return fixture(t, private) })
	})
}

func fixture(t *testing.T, chat int64) channeltest.Fixture {
	s := telegramtest.New(t)
	s.Open(chat)
	x := open(t, s)
	p := &people{Server: s, chat: chat}
	f := channeltest.Fixture{
		Channel: x, Listener: x, Room: room(chat), User: ada, Token: testToken, Limit: mostText,
		Gone: task.MessageRef{Room: room(chat), Message: "99999"}, Private: chat == private, Redelivers: true,
		Shown: p.shown, Mentions: p.mentions, Fail: p.fails, Press: p.press, Say: p.say, Answers: p.answers,
		Redeliver: func(*testing.T) { s.Again() }, Lose: func(*testing.T) { s.Lose() }, Break: func(*testing.T) { s.Break() },
	}
	if chat == group {
		f.Thread = p.topic
	}
	return f
}

// people simulates users.
type people struct {
	*telegramtest.Server
	chat int64
	said []int // ids of messages by people
}

// isAnswer reports whether one of Longshift's messages is an answer.
func (p *people) isAnswer(m telegramtest.Message) bool { return slices.Contains(p.said, m.ReplyTo) }

func (p *people) shown(_ *testing.T, r task.Room) (list []channeltest.Shown) {
	for _, m := range p.Messages(p.chat) {
		if r.ID != room(p.chat).ID || p.isAnswer(m) {
			continue
		}
		s := channeltest.Shown{ID: strconv.Itoa(m.ID), Text: m.Text, Code: m.Code(), Sound: channeltest.Loud}
		if m.Topic != 0 {
			s.Thread = strconv.Itoa(m.Topic)
		}
		if m.Silent {
			s.Sound = channeltest.Silent
		}
		for _, b := range m.Buttons {
			s.Buttons = append(s.Buttons, channeltest.Button{Label: b.Text, Token: b.Data})
		}
		list = append(list, s)
	}
	return list
}

func (p *people) mentions(*testing.T) (n int) {
	for _, m := range p.Messages(p.chat) {
		n += len(m.Live())
	}
	return n
}

func (p *people) fails(_ *testing.T, f channeltest.Failure) {
	p.Fail(map[channeltest.Failure]http.HandlerFunc{
		channeltest.ServerError: gateway,
		channeltest.RateLimit:   telegramtest.Slow(int(channeltest.Wait / time.Second)),
		channeltest.BadToken:    telegramtest.Refuse(401, "Unauthorized"),
		channeltest.NoRoom:      telegramtest.Refuse(400, "Bad Request: chat not found"),
	}[f])
}

func gateway(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "<html>Bad Gateway</html>", http.StatusBadGateway)
}

func (p *people) topic(*testing.T) task.Room {
	r := room(p.chat)
	r.Thread = strconv.Itoa(p.Topic(p.chat))
	return r
}

func (p *people) press(t *testing.T, at task.MessageRef, token string, by channel.User) {
	p.Press(p.chat, number(t, by.ID), by.Name, int(number(t, at.Message)), token)
}

func (p *people) say(t *testing.T, s channeltest.Say) string {
	to := s.ReplyTo
	if to == "" {
		to = s.Room.Thread
	}
	switch s.By {
	case channeltest.Robot:
		return p.program(s.Text, 777, "other_bot")
	case channeltest.Ourselves:
		return p.program(s.Text, botID, botName)
	}
	text := s.Text
	if s.Direct && p.chat == group {
		text = "@" + botName + " " + text
	}
	m := p.Say(p.chat, number(t, s.User.ID), s.User.Name, text, int(number(t, to)))
	p.said = append(p.said, m)
	return strconv.Itoa(m)
}

// program writes a message as another bot.
func (p *people) program(text string, id int64, name string) string {
	kind := "private"
	if p.chat == group {
		kind = "supergroup"
	}
	from := telegramtest.Person(id, name)
	from["is_bot"] = true
	p.Add(map[string]any{"message": map[string]any{"message_id": 50, "date": 1770000000, "text": "@" + botName + " " + text, "from": from,
		"chat":     map[string]any{"id": p.chat, "type": kind},
		"entities": []map[string]any{{"type": "mention", "offset": 0, "length": len("@" + botName)}}}})
	return "50"
}

func (p *people) answers(*testing.T) []string {
	list := p.Alerts(0)
	for _, m := range p.Messages(p.chat) {
		if p.isAnswer(m) {
			list = append(list, m.Text)
		}
	}
	return list
}

// number parses the id of a person or a message; "" is 0.
func number(t *testing.T, id string) int64 {
	t.Helper()
	if id == "" {
		return 0
	}
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// await polls a condition.
func await(t *testing.T, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	over := time.NewTimer(channeltest.Patience)
	defer over.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-over.C:
			t.Fatal("what was waited for did not come")
		}
	}
}
