package slack

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/channeltest"
	"github.com/longshift/longshift/internal/task"
)

var ada = channel.User{ID: "U0ADA", Name: "ada"}

func TestConformOverSocketMode(t *testing.T) {
	channeltest.Conform(t, func(t *testing.T) channeltest.Fixture {
		f := newFake(t)
		s := f.open(nil)
		p := &people{fake: f, via: func(kind string, payload any) { f.socket.deliver(kind, flat(payload)) }}
		x := fixture(p, s)
		x.Listener = s
		x.Redelivers = true
		x.Break = func(t *testing.T) { f.socket.drop() }
		return x
	})
}

func TestConformOverHTTP(t *testing.T) {
	channeltest.Conform(t, func(t *testing.T) channeltest.Fixture {
		f := newFake(t)
		s := f.open(nil)
		p := &people{fake: f}
		x := fixture(p, s)
		x.Webhook = s
		x.Serve = func(t *testing.T, h http.Handler) {
			c := newCaller(t, h)
			p.via = func(kind string, payload any) { c.call(kind, payload) }
		}
		return x
	})
}

func fixture(p *people, s *Slack) channeltest.Fixture {
	f := p.fake
	general := task.Room{Channel: channel.Slack, ID: general}
	return channeltest.Fixture{Channel: s, Room: general, User: ada, Token: botToken, Gone: task.Place{Room: general, Message: "1.000001"},
		Limit: 7000, Searchable: true,
		Shown: func(t *testing.T, room task.Room) (list []channeltest.Shown) {
			f.mu.Lock()
			defer f.mu.Unlock()
			for _, m := range f.messages {
				if m.channel == room.ID && m.user == botUser {
					l := showBlocks(m.blocks)
					list = append(list, channeltest.Shown{ID: m.ts, Thread: m.thread, Text: l.text, Code: l.code, Buttons: l.buttons})
				}
			}
			return list
		},
		Thread: func(t *testing.T) task.Room {
			f.mu.Lock()
			defer f.mu.Unlock()
			m := &stored{channel: general.ID, ts: f.stamp(), user: ada.ID, text: "A thread."}
			f.messages = append(f.messages, m)
			return task.Room{Channel: channel.Slack, ID: general.ID, Thread: m.ts}
		},
		Mentions: func(t *testing.T) (n int) {
			f.mu.Lock()
			defer f.mu.Unlock()
			for _, m := range f.messages {
				l := showBlocks(m.blocks)
				l.read(m.text)
				n += l.calls
			}
			return n
		},
		Fail:      func(t *testing.T, kind channeltest.Failure) { f.mu.Lock(); f.failNext = kind; f.mu.Unlock() },
		Lose:      func(t *testing.T) { f.mu.Lock(); f.loseNext = true; f.mu.Unlock() },
		Press:     p.press,
		Say:       p.say,
		Redeliver: func(t *testing.T) { p.last() },
		Answers: func(t *testing.T) []string {
			f.mu.Lock()
			defer f.mu.Unlock()
			return append([]string(nil), f.answers...)
		},
		Fill: p.fill,
	}
}

// flat gives a form as Socket Mode carries it, as JSON.
func flat(payload any) any {
	form, ok := payload.(url.Values)
	if !ok {
		return payload
	}
	out := map[string]string{}
	for k := range form {
		out[k] = form.Get(k)
	}
	return out
}

// eventually waits for something that comes after an acknowledgement.
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
