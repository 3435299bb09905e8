package github

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

func TestWebhookPulls(t *testing.T) {
	pull := fields{"number": 8, "state": "open", "updated_at": at}
	woken := func(who, what string) []forge.Event {
		return []forge.Event{{Kind: forge.PullChanged, Number: 8, Pull: true, Actor: who, Bot: strings.HasSuffix(who, "[bot]"), What: what}}
	}
	ended := func(who string) []forge.Event {
		all := woken(who, "pull_request closed")
		all[0].Ended = true
		return all
	}
	base := fields{"base": fields{"ref": fields{"from": "main"}, "sha": fields{"from": strings.Repeat("a", 40)}}}
	title := fields{"title": fields{"from": "Before"}}
	const pr, review, reply, thread = "pull_request", "pull_request_review", "pull_request_review_comment", "pull_request_review_thread"
	for _, h := range []hook{
		{"closed", pr, "pull-request-closed", fields{"pull_request": pull}, ended("alice")},
		{"closed with our account", pr, "pull-request-closed", fields{"pull_request": pull, "sender": we}, ended("Longshift-Bot")},
		{"reopened", pr, "pull-request-reopened", fields{"pull_request": pull}, woken("alice", "pull_request reopened")},
		{"pushed", pr, "pull-request-synchronize", fields{"pull_request": pull}, woken("alice", "pull_request synchronize")},
		{"pushed by us", pr, "pull-request-synchronize", fields{"pull_request": pull, "sender": we}, nil},
		{"title", pr, "pull-request-edited", fields{"pull_request": pull, "changes": title}, woken("alice", "pull_request edited")},
		{"title by us", pr, "pull-request-edited", fields{"pull_request": pull, "changes": title, "sender": we}, nil},
		{"base with our account", pr, "pull-request-edited", fields{"pull_request": pull, "changes": base, "sender": we},
			woken("Longshift-Bot", "pull_request edited")},
		{"draft", pr, "pull-request-converted-to-draft", fields{"pull_request": pull}, woken("alice", "pull_request converted_to_draft")},
		{"ready", pr, "pull-request-ready-for-review", fields{"pull_request": pull}, woken("alice", "pull_request ready_for_review")},
		{"labelled", pr, "pull-request-labeled", fields{"pull_request": pull}, nil},
		{"opened", pr, "pull-request-opened", fields{"pull_request": pull}, nil},
		{"review", review, "pull-request-review-submitted", fields{"pull_request": pull}, woken("alice", "pull_request_review submitted")},
		{"review by us", review, "pull-request-review-submitted", fields{"pull_request": pull, "sender": we}, nil},
		{"review edited", review, "pull-request-review-edited", fields{"pull_request": pull}, woken("alice", "pull_request_review edited")},
		{"review dismissed", review, "pull-request-review-dismissed", fields{"pull_request": pull}, woken("alice", "pull_request_review dismissed")},
		{"on a line", reply, "pull-request-review-comment-created", fields{"pull_request": pull, "comment": fields{"body": "/longshift retry"}},
			woken("alice", "pull_request_review_comment created")},
		{"on a line by a bot", reply, "pull-request-review-comment-created", fields{"pull_request": pull, "sender": robot},
			woken("renovate[bot]", "pull_request_review_comment created")},
		{"on a line by us", reply, "pull-request-review-comment-created", fields{"pull_request": pull, "sender": we}, nil},
		{"thread", thread, "pull-request-review-thread-resolved", fields{"pull_request": pull}, woken("alice", "pull_request_review_thread resolved")},
		{"thread by us", thread, "pull-request-review-thread-resolved", fields{"pull_request": pull, "sender": we}, nil},
	} {
		h.run(t)
	}
}

func TestWebhookChecks(t *testing.T) {
	of := func(number, repository int) fields {
		return fields{"number": number, "base": fields{"ref": "main", "sha": strings.Repeat("a", 40), "repo": fields{"id": repository}}}
	}
	woken := func(number int, what string) forge.Event {
		return forge.Event{Kind: forge.PullChanged, Number: number, Pull: true, Actor: "Longshift-Bot", What: what}
	}
	at := func(what string, branches ...string) (all []forge.Event) {
		for _, b := range branches {
			all = append(all, forge.Event{Kind: forge.PullChanged, Branch: b, Actor: "Longshift-Bot", What: what})
		}
		return all
	}
	branch := func(names ...string) (all []any) {
		for _, n := range names {
			all = append(all, fields{"name": n})
		}
		return all
	}
	moved := []forge.Event{{Kind: forge.BaseMoved, Branch: "release/1.x", Actor: "alice", What: "push"}}
	ok := fields{"status": "completed", "conclusion": "success"}
	for _, h := range []hook{
		{"check run of ours", "check_run", "check-run-completed",
			fields{"sender": we, "check_run": forgetest.With(ok, fields{"pull_requests": []any{of(8, 4711)}})}, []forge.Event{woken(8, "check_run completed")}},
		{"check run, two pull requests and one of a fork", "check_run", "check-run-completed",
			fields{"sender": we, "check_run": forgetest.With(ok, fields{"pull_requests": []any{of(8, 4711), of(9, 4711), of(10, 9)}})},
			[]forge.Event{woken(8, "check_run completed"), woken(9, "check_run completed")}},
		{"check run of another with our name and key", "check_run", "check-run-completed", fields{"sender": we, "check_run": forgetest.With(ok,
			fields{"name": forge.CheckRunName, "external_id": forge.CheckRunKey("task-1", 1), "pull_requests": []any{of(8, 4711)}})},
			[]forge.Event{woken(8, "check_run completed")}},
		{"check run from a fork", "check_run", "check-run-completed", fields{"check_run": forgetest.With(ok, fields{"pull_requests": []any{}})}, nil},
		{"check run begins", "check_run", "check-run-created", fields{"check_run": fields{"pull_requests": []any{of(8, 4711)}}}, nil},
		{"check suite", "check_suite", "check-suite-completed",
			fields{"sender": we, "check_suite": forgetest.With(ok, fields{"pull_requests": []any{of(8, 4711)}})}, []forge.Event{woken(8, "check_suite completed")}},
		{"status", "status", "status", fields{"sender": we, "state": "failure", "branches": branch("longshift/task-1", "main")},
			at("status failure", "longshift/task-1", "main")},
		{"status not known yet", "status", "status", fields{"state": "pending", "branches": branch("longshift/task-1")}, nil},
		{"status of no branch", "status", "status", fields{"state": "success", "branches": []any{}}, nil},
		{"push", "push", "push", fields{"ref": "refs/heads/release/1.x"}, moved},
		{"tag", "push", "push", fields{"ref": "refs/tags/v1"}, nil},
		{"branch deleted", "push", "push", fields{"ref": "refs/heads/release/1.x", "deleted": true}, nil},
	} {
		h.run(t)
	}
}

// TestWebhookTimes: the time of an event is GitHub's own.
func TestWebhookTimes(t *testing.T) {
	e := newEar(t, nil)
	e.expect(signed("issues", labelled(t)), http.StatusAccepted, 1)
	if got := e.events[0].At; !got.Equal(begin) {
		t.Errorf("at %s", got)
	}
	push := forgetest.Hook(t, "push", fields{"ref": "refs/heads/main", "sender": alice,
		"repository": forgetest.With(shopRepo, fields{"pushed_at": begin.Add(-time.Hour).Unix()})})
	e.expect(signed("push", push), http.StatusAccepted, 1)
	if got := e.events[0].At; !got.Equal(begin.Add(-time.Hour)) {
		t.Errorf("at %s", got)
	}
}
