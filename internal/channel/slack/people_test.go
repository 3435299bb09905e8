package slack

import (
	"net/http"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/slack/slacktest"
)

// asked posts a question with a button.
func asked(t *testing.T, s *Slack) string {
	t.Helper()
	m := channel.Message{Key: "plan", Text: "The **plan**.", Buttons: []channel.Button{{Label: "Edit", Token: "edit.1", Style: channel.Danger}}}
	return mustPost(t, s, room(general, ""), m, false).Message
}

// TestPeopleOverSocket plays a press, a form, a command and a reply, including an outage of Slack.
func TestPeopleOverSocket(t *testing.T) {
	f := newFake(t)
	e := &recorder{answer: channel.Answer{Form: &channel.Question{Title: "Edit", Label: "What?", Token: "form.1"}}}
	s := f.open(func(c *Config) { c.Sleep = nap })
	listen(t, s, e.handle)
	ts := asked(t, s)
	if b := f.Messages(general)[0].Buttons; len(b) != 1 || b[0] != (slacktest.Button{Label: "Edit", Token: "edit.1", Style: "danger"}) {
		t.Errorf("buttons %+v", b)
	}
	connected := func(n int) {
		t.Helper()
		if !f.Socket.Wait(func(is slacktest.State) bool { return is.Open == n }) || f.Connected() != n {
			t.Fatalf("%d connections, want %d", f.Connected(), n)
		}
	}
	connected(1)
	f.Press(t, general, ts, "edit.1", ada.ID)
	eventually(t, "the form", func() bool { open, label := f.View(ada.ID); return open && label == "What?" })
	if open, _ := f.View("U0BOB"); open {
		t.Error("another one has the form")
	}
	e.set(channel.Answer{Text: "Noted."})
	f.Fill(t, "Do less.", ada.ID)
	eventually(t, "the answer", func() bool { return len(f.Ephemeral(ada.ID)) == 1 })
	if open, _ := f.View(ada.ID); open {
		t.Error("the form is still open")
	}
	f.Down(true)
	connected(0)
	if _, err := s.Post(t.Context(), room(general, ""), channel.Message{Key: "x", Text: "x"}, false); err == nil {
		t.Error("a post goes well while Slack is away")
	}
	reply := f.Say(t, general, "U0BOB", "and <more>", ts, false)
	f.Command(general, "U0BOB", "status & more")
	f.Down(false)
	connected(1)
	eventually(t, "what was said meanwhile", func() bool { return len(e.all()) == 4 && len(f.Ephemeral("U0BOB")) == 2 })
	f.Redeliver()
	eventually(t, "the same again", func() bool { return len(e.all()) == 5 })
	last := e.all()[4]
	twice := 0
	for _, ev := range e.all() {
		if ev.ID == last.ID {
			twice++
		}
		if ev.Message == reply && (ev.Text != "and <more>" || ev.ReplyTo != ts || ev.User != slacktest.Person("U0BOB")) {
			t.Errorf("received %+v", ev)
		}
	}
	if twice != 2 || last.Text != "status & more" {
		t.Errorf("delivered again: %+v, received %d times", last, twice)
	}
	if got := f.Ephemeral(ada.ID); len(got) != 1 || got[0] != "Noted." {
		t.Errorf("ada reads %q", got)
	}
}

// TestPeopleOverHTTP plays the same with a webhook, and requests that Slack has not sent.
func TestPeopleOverHTTP(t *testing.T) {
	f := newFake(t)
	e := &recorder{answer: channel.Answer{Form: &channel.Question{Title: "Edit", Label: "What?", Token: "form.1"}}}
	s := f.open(nil)
	url := newCaller(t, s.Handler(e.handle)).server.URL
	ts := asked(t, s)
	want := func(status int) func(int, string) {
		return func(got int, body string) {
			t.Helper()
			if got != status {
				t.Errorf("status %d %q, want %d", got, body, status)
			}
		}
	}
	want(200)(f.PressHTTP(url, general, ts, "edit.1", ada.ID))
	e.set(channel.Answer{Text: "Noted."})
	want(200)(f.FillHTTP(url, "Do less.", ada.ID))
	want(200)(f.CommandHTTP(url, "C0ELSE", "U0BOB", "status"))
	want(200)(f.SayHTTP(url, "D0ADA", ada.ID, "status", "", true))
	body, header := f.LastHTTP()
	want(200)(f.Post(url, body, header))
	want(401)(f.Post(url, body+" ", header))
	want(401)(f.Post(url, body, slacktest.Sign(body, time.Now().Add(-6*time.Minute))))
	want(401)(f.Post(url, body, http.Header{"Content-Type": {"application/json"}}))
	got := e.all()
	if len(got) != 5 || got[3].ID != got[4].ID || got[3].Text != "status" || !got[3].Direct || got[1].Text != "Do less." {
		t.Errorf("received %+v", got)
	}
	eventually(t, "the answers", func() bool {
		return len(f.Ephemeral(ada.ID)) == 1 && len(f.Ephemeral("U0BOB")) == 1 && len(f.Messages("D0ADA")) == 3
	})
	if status, why := f.Post("http://127.0.0.1:1/", body, header); status != 0 || why == "" {
		t.Errorf("nobody there: %d %q", status, why)
	}
}
