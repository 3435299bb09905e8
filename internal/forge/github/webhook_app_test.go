package github

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

// TestWebhookApp: the token of an app has no account. Labels and commands count, assignments do not, and a deleted sender is not taken
// for the own account.
func TestWebhookApp(t *testing.T) {
	b := newBench(t)
	b.server.SetApp()
	e := newEar(t, nil)
	var events []forge.Event
	e.handler = b.forge.Webhook(WebhookConfig{
		Secret:       func(context.Context) (string, error) { return hookSecret, nil },
		Repositories: []string{"acme/shop"},
		Deliver:      func(_ context.Context, ev forge.Event) error { events = append(events, ev); return nil },
	})
	issue := fields{"number": 7, "state": "open", "updated_at": at, "user": alice}
	pull := forgetest.With(issue, fields{"number": 8, "pull_request": fields{}})
	comment := func(by any) fields {
		return fields{"id": 4242, "user": by, "body": "/longshift retry", "created_at": at, "updated_at": at}
	}
	for _, c := range []struct {
		name, event, shape string
		fields             fields
		want               []forge.EventKind
	}{
		{"labelled", "issues", "issues-labeled", fields{"issue": issue, "label": fields{"name": "longshift"}}, []forge.EventKind{forge.IssueWanted}},
		{"assigned", "issues", "issues-assigned", fields{"issue": issue, "assignee": we}, nil},
		{"assigned to nobody", "issues", "issues-assigned", fields{"issue": issue, "assignee": nil}, nil},
		{"command", "issue_comment", "issue-comment-created", fields{"issue": issue, "comment": comment(alice)}, []forge.EventKind{forge.Commanded}},
		{"command of one who is gone", "issue_comment", "issue-comment-created", fields{"issue": issue, "comment": comment(nil)},
			[]forge.EventKind{forge.Commanded}},
		{"at a pull request", "issue_comment", "issue-comment-created", fields{"issue": pull, "comment": comment(alice)},
			[]forge.EventKind{forge.Commanded, forge.PullChanged}},
	} {
		events = nil
		status := http.StatusAccepted
		if c.want == nil {
			status = http.StatusOK
		}
		body := forgetest.Hook(t, c.shape, forgetest.With(fields{"repository": shopRepo, "sender": alice}, c.fields))
		if got := e.send(signed(c.event, body)); got != status || len(events) != len(c.want) {
			t.Errorf("%s: answer %d with %+v\n%s", c.name, got, events, b.log)
			continue
		}
		for i, ev := range events {
			if ev.Kind != c.want[i] {
				t.Errorf("%s: %s, want %s", c.name, ev.Kind, c.want[i])
			}
		}
	}
	if n := b.server.Count("GET", "/user"); n != 1 {
		t.Errorf("asked %d times within the hour", n)
	}
	b.clock.advance(time.Hour)
	e.send(signed("issues", labelled(t)))
	if n := b.server.Count("GET", "/user"); n != 2 {
		t.Errorf("asked %d times after an hour, want 2", n)
	}
}
