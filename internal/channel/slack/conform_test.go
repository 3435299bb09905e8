package slack

import (
	"cmp"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/channeltest"
	"github.com/longshift/longshift/internal/channel/slack/slacktest"
	"github.com/longshift/longshift/task"
)

var ada = channel.User{ID: "U0ADA", Name: "ada"}

func TestConformOverSocketMode(t *testing.T) {
	channeltest.Conform(t, func(t *testing.T) channeltest.Fixture {
		f := newFake(t)
		s := f.open(nil)
		x := fixture(f, s)
		x.Listener = s
		x.Redelivers = true
		x.Break = func(*testing.T) { f.Socket.Drop() }
		x.Press = func(t *testing.T, at task.MessageRef, token string, by channel.User) {
			f.Press(t, at.ID, at.Message, token, by.ID)
		}
		x.Fill = func(t *testing.T, text string, by channel.User) { f.Fill(t, text, by.ID) }
		x.Redeliver = func(*testing.T) { f.Redeliver() }
		x.Say = func(t *testing.T, say channeltest.Say) string {
			if say.By != channeltest.Person {
				f.Socket.Deliver(slacktest.Event, slacktest.Echo(say.By, say.Room.ID, say.Text, echoTS))
				return echoTS
			}
			return f.Say(t, say.Room.ID, say.User.ID, say.Text, cmp.Or(say.ReplyTo, say.Room.Thread), say.Direct)
		}
		return x
	})
}

// echoTS is the timestamp of a message that no person wrote.
const echoTS = "1760000009.000100"

func TestConformOverHTTP(t *testing.T) {
	channeltest.Conform(t, func(t *testing.T) channeltest.Fixture {
		f := newFake(t)
		s := f.open(nil)
		var url string
		x := fixture(f, s)
		x.Webhook = s
		x.Redelivers = true
		x.Serve = func(t *testing.T, h http.Handler) { url = newCaller(t, h).server.URL }
		x.Press = func(_ *testing.T, at task.MessageRef, token string, by channel.User) {
			f.PressHTTP(url, at.ID, at.Message, token, by.ID)
		}
		x.Fill = func(_ *testing.T, text string, by channel.User) { f.FillHTTP(url, text, by.ID) }
		x.Redeliver = func(*testing.T) { body, header := f.LastHTTP(); f.Post(url, body, header) }
		x.Say = func(_ *testing.T, say channeltest.Say) string {
			if say.By != channeltest.Person {
				f.Send(url, slacktest.Event, slacktest.Echo(say.By, say.Room.ID, say.Text, echoTS))
				return echoTS
			}
			f.SayHTTP(url, say.Room.ID, say.User.ID, say.Text, cmp.Or(say.ReplyTo, say.Room.Thread), say.Direct)
			all := f.Messages(say.Room.ID)
			for i := len(all) - 1; ; i-- { // an answer may follow it by now
				if all[i].User == say.User.ID {
					return all[i].TS
				}
			}
		}
		return x
	})
}

func fixture(f *fake, s *Slack) channeltest.Fixture {
	general := task.Room{Channel: channel.Slack, ID: general}
	return channeltest.Fixture{Channel: s, Room: general, User: ada, Token: botToken, Gone: task.MessageRef{Room: general, Message: "1.000001"},
		Limit: 7000, Searchable: true,
		Shown: func(_ *testing.T, room task.Room) (list []channeltest.Shown) {
			for _, m := range f.Messages(room.ID) {
				if m.User == botUser {
					list = append(list, shown(m))
				}
			}
			return list
		},
		Thread: func(*testing.T) task.Room {
			root := f.Put(slacktest.Post{Channel: general.ID, User: ada.ID, Text: "A thread."})
			return task.Room{Channel: channel.Slack, ID: general.ID, Thread: root}
		},
		Files: func(_ *testing.T, room task.Room) (list []channeltest.File) {
			for _, x := range f.Files(room.ID) {
				list = append(list, channeltest.File{Thread: x.Thread, Name: x.Name, Note: x.Comment, Text: x.Text})
			}
			return list
		},
		Mentions: func(*testing.T) (n int) {
			for _, m := range f.Messages(general.ID) {
				if m.User == botUser {
					n += m.Mentions
				}
			}
			return n
		},
		Fail:    func(_ *testing.T, kind channeltest.Failure) { f.Fail(kind) },
		Lose:    func(*testing.T) { f.Lose() },
		Answers: func(*testing.T) []string { return f.answers() },
	}
}

func shown(m slacktest.Message) channeltest.Shown {
	s := channeltest.Shown{ID: m.TS, Thread: m.Thread, Text: m.Text, Code: m.Code}
	for _, b := range m.Buttons {
		s.Buttons = append(s.Buttons, channeltest.Button{Label: b.Label, Token: b.Token})
	}
	return s
}

// eventually waits for something that follows an acknowledgement.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(10 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("%s does not come", what)
		}
	}
}

func holds(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%q does not hold %q", text, w)
		}
	}
}
