package slack

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
)

// An app that was installed before it needed the scope is told which one it lacks, and what to do.
func TestFileWithoutScope(t *testing.T) {
	f := newFake(t)
	f.Refuse("files.getUploadURLExternal", "missing_scope")
	err := f.open(nil).Attach(t.Context(), room(general, ""), channel.File{Key: "k", Name: "x.diff", Text: "x"}, false)
	if fault.KindOf(err) != fault.Denied || !strings.Contains(err.Error(), "missing_scope, needs files:write") ||
		!strings.Contains(fault.HintOf(err), "install the app again") {
		t.Errorf("%v (%s): %s", err, fault.KindOf(err), fault.HintOf(err))
	}
}

// The token goes to Slack's hosts and the one of the base URL only.
func TestMayUpload(t *testing.T) {
	f := newFake(t)
	s := f.open(nil)
	for address, want := range map[string]bool{"https://files.slack.com/upload/v1/x": true, "https://files.slack-gov.com/upload/v1/x": true,
		strings.TrimSuffix(f.URL, "/api") + "/upload/F1": true,
		"http://files.slack.com/x":                       false, "https://files.slack.com.evil.example/x": false, "https://evilslack.com/x": false,
		"https://u@files.slack.com/x": false, "": false, "https://evil.example/.slack.com": false} {
		if got := s.mayUpload(address); got != want {
			t.Errorf("%q: %v", address, got)
		}
	}
}
