package whatsapp

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
)

// TestPeople checks that deliveries become the right events.
func TestPeople(t *testing.T) {
	s := stage(t, nil)
	s.At(noon)
	url := s.hook.url
	if !s.Confirm(url, verify) || s.Confirm(url, "wrong") {
		t.Error("the webhook is confirmed by the wrong token, or not by the right one")
	}
	if status := s.Say(url, ada, "Ada", "status", "wamid.ours"); status != http.StatusOK {
		t.Errorf("Say: %d", status)
	}
	said := s.Last().Message
	if status := s.Press(url, ada, "Ada", "wamid.ours", "yes.1", "Yes"); status != http.StatusOK {
		t.Errorf("Press: %d", status)
	}
	d := s.Last()
	if status := s.Post(url, d.Body, d.Signature); status != http.StatusOK {
		t.Errorf("again: %d", status)
	}
	if status := s.Post(url, d.Body, sign(d.Body, "forged")); status != http.StatusUnauthorized {
		t.Errorf("forged: %d", status)
	}
	user := channel.User{ID: ada, Name: "Ada"}
	press := channel.Event{Kind: channel.Press, User: user, Room: room, Direct: true, Token: "yes.1", Message: "wamid.ours", At: noon}
	want := []channel.Event{{Kind: channel.Said, User: user, Room: room, Direct: true, Text: "status", ReplyTo: "wamid.ours", Message: said, At: noon},
		press, press}
	heard := s.take()
	if len(heard) != 3 || heard[1].ID != heard[2].ID || heard[0].ID == heard[1].ID {
		t.Fatalf("heard %+v", heard)
	}
	for i := range heard {
		heard[i].ID = ""
	}
	if diff := cmp.Diff(want, heard); diff != "" {
		t.Error(diff)
	}
}

// TestOutage checks that sending during an outage fails with a temporary error.
func TestOutage(t *testing.T) {
	s := stage(t, nil)
	w := open(t, s.Server, nil)
	s.Down(true)
	if _, err := w.Post(t.Context(), room, channel.Message{Text: "x"}, false); fault.KindOf(err) != fault.Infra {
		t.Errorf("down: %v", err)
	}
	s.Down(false)
	if at := post(t, w, room, channel.Message{Text: "x"}); s.Messages(ada)[0].ID != at.Message {
		t.Errorf("at %+v stands %+v", at, s.Messages(ada))
	}
}
