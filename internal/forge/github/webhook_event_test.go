package github

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

type fields = map[string]any

var (
	alice = forgetest.Person("alice")
	we    = forgetest.Person("Longshift-Bot") // GitHub ignores case
	robot = forgetest.Bot("renovate[bot]")
	at    = "2026-03-01T09:58:30Z"
)

var eventIDForm = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// hook is one payload and the expected events, without host, repository and time.
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
		return forgetest.With(fields{"number": 7, "state": "open", "updated_at": at, "title": "Greet", "body": "Say bonjour."}, more)
	}
	ours := fields{"name": "Longshift"}
	sum := forge.IssueSum("Greet", "Say bonjour.")
	wanted := func(id, what string, assignees ...string) []forge.Event {
		return []forge.Event{{Kind: forge.IssueWanted, ID: id, Number: 7, Actor: "alice", What: what, Sum: sum,
			Labelled: strings.Contains(id, "labeled"), Assigned: strings.Contains(id, "assigned"), Assignees: assignees}}
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
			[]forge.Event{{Kind: forge.IssueWanted, ID: label, Number: 7, Actor: "renovate[bot]", Bot: true, What: "issues labeled", Sum: sum, Labelled: true}}},
		{"assigned", "issues", "issues-assigned", fields{"issue": issue(nil), "assignee": we}, wanted(assign, "issues assigned")},
		{"assigned to another", "issues", "issues-assigned", fields{"issue": issue(nil), "assignee": alice}, nil},
		{"assigned to nobody", "issues", "issues-assigned", fields{"issue": issue(nil), "assignee": nil}, nil},
		{"opened with the label", "issues", "issues-opened", fields{"issue": issue(fields{"labels": labels})}, wanted(label, "issues opened")},
		{"opened with assignment", "issues", "issues-opened",
			fields{"issue": issue(fields{"assignees": []any{alice, we}})}, wanted(assign, "issues opened", "alice", "Longshift-Bot")},
		{"labelled, and another has it", "issues", "issues-labeled",
			fields{"issue": issue(fields{"assignees": []any{alice}}), "label": ours}, wanted(label, "issues labeled", "alice")},
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
		comment("shown as code", fields{"issue": at7, "comment": by(alice, "\r\n    /longshift retry")}),
		comment("shown as code by a tab", fields{"issue": at7, "comment": by(alice, " \t/longshift retry")}),
		comment("set in", fields{"issue": at7, "comment": by(alice, "   /longshift retry")}, command("retry")),
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
