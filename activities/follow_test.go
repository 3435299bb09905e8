package activities

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// lookout is a forge whose pull requests can be followed and whose events can be polled.
type lookout struct {
	look    forge.Snapshot
	replies []forge.Reply
	events  []forge.Event
	cursors []string
}

func (l *lookout) EnsurePullRequest(context.Context, forge.Request) (forge.PullRequest, error) {
	return forge.PullRequest{Number: 7}, nil
}
func (l *lookout) Snapshot(context.Context, task.Repository, int, string) (forge.Snapshot, error) {
	return l.look, nil
}
func (l *lookout) Answer(_ context.Context, _ task.Repository, _ int, r []forge.Reply) error {
	l.replies = r
	return nil
}
func (l *lookout) MayWrite(context.Context, task.Repository, string) (bool, error) { return true, nil }
func (l *lookout) Wanted(context.Context, task.Repository, int, string) (task.Issue, string, bool, error) {
	return task.Issue{}, "", false, nil
}
func (l *lookout) Since(_ context.Context, _ task.Repository, _, cursor string) ([]forge.Event, string, error) {
	l.cursors = append(l.cursors, cursor)
	return l.events, "next", nil
}

func (l *lookout) pulls() *PullRequests {
	return &PullRequests{forge: func(context.Context, task.Repository) (forge.Forge, error) { return l, nil }, redact: redact.New("sk-very-secret-value-1")}
}

var web = task.Repository{Text: "acme/web", Owner: "acme", Name: "web"}

func TestLookHidesSecrets(t *testing.T) {
	l := &lookout{look: forge.Snapshot{State: forge.Open, Items: []forge.Item{{Text: "key sk-very-secret-value-1", Log: "sk-very-secret-value-1",
		Hunk: "sk-very-secret-value-1"}}}}
	c := l.pulls()
	var got forge.Snapshot
	must(t, newAttempt(t, nil).run(c.PollPullRequest, PollInput{Repository: web, Number: 7}, &got))
	if i := got.Items[0]; strings.Contains(i.Text+i.Log+i.Hunk, "secret") {
		t.Errorf("a secret goes to history: %+v", i)
	}
	must(t, newAttempt(t, nil).run(c.AnswerPullRequest, AnswerInput{Repository: web, Replies: []forge.Reply{{Text: "it was sk-very-secret-value-1"}}}, nil))
	if strings.Contains(l.replies[0].Text, "secret") {
		t.Errorf("a secret is published: %+v", l.replies)
	}
}

// Following a pull request fails for good on a forge that does not support it.
func TestForgeWithoutFollower(t *testing.T) {
	c := &PullRequests{forge: func(context.Context, task.Repository) (forge.Forge, error) { return struct{ forge.Forge }{}, nil }}
	if app := applicationError(t, newAttempt(t, nil).run(c.PollPullRequest, PollInput{Repository: web}, nil)); app.Type() != string(fault.Input) {
		t.Errorf("%v", app)
	}
}

// A request that the forge denies waits for a token that may; what can never be carried out fails.
func TestDeniedRequestIsTriedAgain(t *testing.T) {
	t.Parallel()
	for kind, final := range map[fault.Kind]bool{fault.Denied: false, fault.Input: true, fault.NotFound: true} {
		c := &Events{take: func(context.Context, forge.Event) (string, error) {
			return "", fmt.Errorf("ask: %w", fault.New(kind, "no").WithHint("renew it"))
		}}
		for number, wait := range map[int32]time.Duration{1: deniedAgain, 2: 2 * deniedAgain, 60: deniedLonger} {
			a := newAttempt(t, nil)
			a.number = number
			app := applicationError(t, a.run(c.Arrive, forge.Event{ID: "comment-1"}, nil))
			var hint string
			must(t, app.Details(&hint))
			if app.NonRetryable() != final || !final && app.NextRetryDelay() != wait || hint != "renew it" {
				t.Errorf("%s, attempt %d: %v, final %v, again after %s, %q", kind, number, app, app.NonRetryable(), app.NextRetryDelay(), hint)
			}
		}
	}
}

func TestLookAtForge(t *testing.T) {
	l := &lookout{events: []forge.Event{{ID: "comment-1"}, {ID: "comment-2"}}}
	c := &Events{forge: func(context.Context, task.Repository) (forge.Forge, error) { return l, nil }}
	var passed []string
	failing := true
	c.onForge = func(_ context.Context, e forge.Event) error {
		if e.ID == "comment-2" && failing {
			return fault.New(fault.Infra, "the server is down")
		}
		passed = append(passed, e.ID)
		return nil
	}
	c.watching = Watching{Repositories: []string{"Acme/Web", "acme/*"}, Every: time.Minute, Label: "longshift"}
	in := signals.WatchInput{Repository: "acme/web", Cursor: "c1"}
	if app := applicationError(t, newAttempt(t, nil).run(c.PollForge, in, nil)); app.NonRetryable() {
		t.Errorf("what could not be passed on is lost: %v", app)
	}
	failing = false
	var w ForgePoll
	must(t, newAttempt(t, nil).run(c.PollForge, in, &w))
	if w.Cursor != "next" || w.Events != 2 || w.Every != time.Minute || w.Stop || strings.Join(passed, " ") != "comment-1 comment-1 comment-2" {
		t.Errorf("%+v after %v", w, passed)
	}
	c.watching.Repositories = []string{"acme/*"}
	must(t, newAttempt(t, nil).run(c.PollForge, in, &w))
	if !w.Stop {
		t.Error("a repository that nobody names any more is still watched")
	}
}
