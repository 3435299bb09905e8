package workflows_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
)

// Chats are told what checks and people say at the open pull request, by name. Who wants no progress sees it on the card alone.
func TestNewsOfThePullRequestReachChats(t *testing.T) {
	review := forge.Item{Key: "review:4", Kind: forge.ReviewItem, By: "bob", Text: "no", Last: 4, Change: true}
	for progress, subject := range map[bool]signals.Subject{true: signals.SubjectNews, false: ""} {
		w := newWorld(t)
		w.settings.Notify.Progress = progress
		var told []signals.Notice
		w.env.OnSignalExternalWorkflow(mock.Anything, mock.Anything, mock.Anything, signals.Notify, mock.Anything).Return(
			func(_, id, _, _ string, arg any) error {
				if n := arg.(signals.Notice); n.Kind == "round" {
					told = append(told, n)
				}
				return nil
			})
		w.lookAfter(t, until(30*time.Minute, open(failing("unit", "s"), failing("lint", "s"), thread(3, "x"), review), merged()),
			func(in *signals.PullRequestInput) { in.Conversation = true })
		if len(told) != 1 || told[0].Subject != subject ||
			told[0].Text != `round 1: ada commented on "calc.go", line 3; reviewed by bob: changes requested; checks failed: "unit", "lint"` {
			t.Errorf("progress %v: told %+v", progress, told)
		}
	}
}

// News follow one another: none replaces another one, and the end of the task replaces none.
func TestNewsStayInTheConversation(t *testing.T) {
	w := newWorld(t)
	w.notify(time.Second, signals.Notice{N: 1, Kind: "following"})
	w.notify(time.Minute, signals.Notice{N: 2, Kind: "round", Subject: signals.SubjectNews})
	w.notify(2*time.Minute, signals.Notice{N: 3, Kind: "round", Subject: signals.SubjectNews})
	w.notify(time.Hour, signals.Notice{N: 4, Kind: "ended", Subject: signals.SubjectEnd, Final: true})
	converse(t, w, slackRoom)
	if got, want := w.posted("slack"), "+card +news =card +news =card +end =card"; got != want {
		t.Errorf("shown %q, want %q", got, want)
	}
	for _, in := range w.shown {
		if in.Notice.Subject == signals.SubjectNews && (len(in.Buttons) > 0 || !strings.HasPrefix(in.Room.Thread, "m")) {
			t.Errorf("shown as %+v", in)
		}
	}
}
