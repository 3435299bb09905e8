package github

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

type fields = map[string]any

var (
	alice = forgetest.Person("alice")
	we    = forgetest.Person("Longshift-Bot") // GitHub keeps to no case
	robot = forgetest.Bot("renovate[bot]")
	at    = "2026-03-01T09:58:30Z"
)

var eventIDForm = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// hook is one payload, and what must come of it: events without host, repository and time.
type hook struct {
	name   string
	event  string // header
	shape  string // name in GitHub's description
	fields fields
	want   []forge.Event
}

func (h hook) run(t *testing.T) {
	t.Run(h.name, func(t *testing.T) {
		e := newEar(t, nil)
		body := forgetest.Hook(t, h.shape, forgetest.With(fields{"repository": shopRepo, "sender": alice}, h.fields))
		status := http.StatusAccepted
		if len(h.want) == 0 {
			status = http.StatusOK
		}
		e.expect(signed(h.event, body), status, len(h.want))
		for i := range e.events {
			ev := &e.events[i]
			if ev.Host != "github.com" || ev.Owner != "acme" || ev.Name != "shop" || ev.At.IsZero() || !eventIDForm.MatchString(ev.ID) || len(ev.ID) > 400 {
				t.Errorf("got %+v", *ev)
			}
			ev.Host, ev.Owner, ev.Name = "", "", ""
		}
		opts := []cmp.Option{cmpopts.EquateEmpty(), cmpopts.IgnoreFields(forge.Event{}, "At")}
		for _, w := range h.want {
			if w.ID == "" {
				opts = append(opts, cmpopts.IgnoreFields(forge.Event{}, "ID"))
				break
			}
		}
		if diff := cmp.Diff(h.want, e.events, opts...); diff != "" {
			t.Error(diff)
		}
	})
}

func TestWebhookIssues(t *testing.T) {
	issue := func(more fields) fields {
		return forgetest.With(fields{"number": 7, "state": "open", "updated_at": at}, more)
	}
	ours := fields{"name": "Longshift"}
	wanted := func(id, what string) []forge.Event {
		return []forge.Event{{Kind: forge.IssueWanted, ID: id, Number: 7, Actor: "alice", What: what}}
	}
	labels := []any{fields{"name": "bug"}, ours}
	const label, assign = "issue-acme.shop-7-labeled-longshift-1772359110", "issue-acme.shop-7-assigned-longshift-bot-1772359110"
	for _, h := range []hook{
		{"labelled", "issues", "issues-labeled", fields{"issue": issue(nil), "label": ours}, wanted(label, "issues labeled")},
		{"another label", "issues", "issues-labeled", fields{"issue": issue(nil), "label": fields{"name": "longshift-not"}}, nil},
		{"labelled with another, ours stands", "issues", "issues-labeled",
			fields{"issue": issue(fields{"labels": labels}), "label": fields{"name": "bug"}}, nil},
		{"labelled when closed", "issues", "issues-labeled", fields{"issue": issue(fields{"state": "closed"}), "label": ours}, nil},
		{"labelled by us", "issues", "issues-labeled", fields{"issue": issue(nil), "label": ours, "sender": we}, nil},
		{"labelled by a bot", "issues", "issues-labeled", fields{"issue": issue(nil), "label": ours, "sender": robot},
			[]forge.Event{{Kind: forge.IssueWanted, ID: label, Number: 7, Actor: "renovate[bot]", Bot: true, What: "issues labeled"}}},
		{"assigned", "issues", "issues-assigned", fields{"issue": issue(nil), "assignee": we}, wanted(assign, "issues assigned")},
		{"assigned to another", "issues", "issues-assigned", fields{"issue": issue(nil), "assignee": alice}, nil},
		{"assigned to nobody", "issues", "issues-assigned", fields{"issue": issue(nil), "assignee": nil}, nil},
		{"opened with the label", "issues", "issues-opened", fields{"issue": issue(fields{"labels": labels})}, wanted(label, "issues opened")},
		{"opened with assignment", "issues", "issues-opened",
			fields{"issue": issue(fields{"assignees": []any{alice, we}})}, wanted(assign, "issues opened")},
		{"opened without", "issues", "issues-opened", fields{"issue": issue(nil)}, nil},
		{"edited", "issues", "issues-edited", fields{"issue": issue(fields{"labels": labels})}, nil},
		{"unlabelled", "issues", "issues-unlabeled", fields{"issue": issue(nil), "label": ours}, nil},
		{"ping", "ping", "ping", nil, nil},
		{"star", "star", "star-created", nil, nil},
	} {
		h.run(t)
	}
}

func TestWebhookComments(t *testing.T) {
	at7 := fields{"number": 7, "state": "open", "updated_at": at, "user": forgetest.Person("carol")}
	at8 := forgetest.With(at7, fields{"number": 8, "pull_request": fields{}})
	by := func(who fields, body string) fields {
		return fields{"id": 4242, "user": who, "body": body, "created_at": at, "updated_at": at}
	}
	command := func(text string) forge.Event {
		return forge.Event{Kind: forge.Commanded, ID: "comment-4242", Number: 7, Comment: 4242, Text: text, Actor: "alice", What: "issue_comment created"}
	}
	atPull := command("retry")
	atPull.Number, atPull.Pull = 8, true
	byBot := command("retry")
	byBot.Actor, byBot.Bot = "renovate[bot]", true
	const created = "issue-comment-created"
	comment := func(name string, f fields, want ...forge.Event) hook {
		return hook{name, "issue_comment", created, f, want}
	}
	woken := forge.Event{Kind: forge.PullChanged, Number: 8, Pull: true, Actor: "alice", What: "issue_comment created"}
	wokenByBot := woken
	wokenByBot.Actor, wokenByBot.Bot = "renovate[bot]", true
	edited := woken
	edited.What = "issue_comment edited"
	for _, h := range []hook{
		comment("command", fields{"issue": at7, "comment": by(alice, "/longshift retry")}, command("retry")),
		comment("more lines", fields{"issue": at7, "comment": by(alice, " \r\n/Longshift\r\nretry\r\nwith care")}, command("retry\nwith care")),
		comment("nothing after it", fields{"issue": at7, "comment": by(alice, "/longshift")}, command("")),
		comment("cleaned", fields{"issue": at7, "comment": by(alice, "/longshift do<!-- rm -rf --> it\u202e now\U000E0041")}, command("do  it now")),
		comment("another word", fields{"issue": at7, "comment": by(alice, "/longshifts retry")}),
		comment("in the middle", fields{"issue": at7, "comment": by(alice, "please /longshift retry")}),
		comment("hidden in front", fields{"issue": at7, "comment": by(alice, "<!-- x -->/longshift retry")}),
		comment("quoted", fields{"issue": at7, "comment": by(alice, "> /longshift retry")}),
		comment("ours", fields{"issue": at7, "comment": by(we, "/longshift retry"), "sender": we}),
		comment("ours through another", fields{"issue": at7, "comment": by(we, "/longshift retry")}),
		comment("a bot's", fields{"issue": at7, "comment": by(robot, "/longshift retry"), "sender": robot}, byBot),
		comment("no command", fields{"issue": at7, "comment": by(alice, "Hello.")}),
		comment("command at a pull request", fields{"issue": at8, "comment": by(alice, "/longshift retry")}, atPull, woken),
		comment("at a pull request", fields{"issue": at8, "comment": by(alice, "Hello.")}, woken),
		comment("at a pull request by a bot", fields{"issue": at8, "comment": by(robot, "Coverage."), "sender": robot}, wokenByBot),
		comment("at a pull request by us", fields{"issue": at8, "comment": by(we, "Done."), "sender": we}),
		{"edited into a command", "issue_comment", "issue-comment-edited", fields{"issue": at7, "comment": by(alice, "/longshift retry")}, nil},
		{"edited at a pull request", "issue_comment", "issue-comment-edited", fields{"issue": at8, "comment": by(alice, "/longshift retry")},
			[]forge.Event{edited}},
	} {
		h.run(t)
	}
}

func TestWebhookPulls(t *testing.T) {
	pull := fields{"number": 8, "state": "open", "updated_at": at}
	woken := func(who, what string) []forge.Event {
		return []forge.Event{{Kind: forge.PullChanged, Number: 8, Pull: true, Actor: who, Bot: strings.HasSuffix(who, "[bot]"), What: what}}
	}
	base := fields{"base": fields{"ref": fields{"from": "main"}, "sha": fields{"from": strings.Repeat("a", 40)}}}
	title := fields{"title": fields{"from": "Before"}}
	const pr, review, reply, thread = "pull_request", "pull_request_review", "pull_request_review_comment", "pull_request_review_thread"
	for _, h := range []hook{
		{"closed", pr, "pull-request-closed", fields{"pull_request": pull}, woken("alice", "pull_request closed")},
		{"closed with our account", pr, "pull-request-closed", fields{"pull_request": pull, "sender": we}, woken("Longshift-Bot", "pull_request closed")},
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
