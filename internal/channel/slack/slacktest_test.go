package slack

import (
	"testing"

	library "github.com/slack-go/slack/slacktest"

	"github.com/longshift/longshift/internal/channel"
)

// TestAgainstSlacktest uses the library's own test server, which is independent of the fake.
func TestAgainstSlacktest(t *testing.T) {
	server := library.NewTestServer()
	server.Start()
	defer server.Stop()
	s, err := New(Config{BotToken: fixed("TEST_TOKEN"), APIURL: server.GetAPIURL()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.http.CloseIdleConnections()
	at := mustPost(t, s, room("C024BE91L", ""), channel.Message{Key: "k", Text: "The **plan**.", Buttons: []channel.Button{{Label: "Yes", Token: "yes"}}}, false)
	if at.ID != "C024BE91L" || at.Message == "" {
		t.Errorf("place %+v", at)
	}
	self, err := s.whoami(t.Context())
	if err != nil || self.user == "" {
		t.Errorf("self %+v, %v", self, err)
	}
	h := &received{event: channel.Event{ID: "x", Room: room("C024BE91L", ""), User: ada}}
	if err := s.whisper(t.Context(), h, "Only **you** see this."); err != nil {
		t.Error(err)
	}
}
