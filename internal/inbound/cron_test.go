package inbound

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/schedule/jobs"
	"github.com/longshift/longshift/task"
)

// fakeSchedules stores the requests that it gets.
type fakeSchedules struct {
	mu      sync.Mutex
	made    []jobs.Request
	deleted []string
	list    []jobs.Job
	err     error
}

func (f *fakeSchedules) Create(_ context.Context, r jobs.Request) (jobs.Job, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return jobs.Job{}, f.err
	}
	f.made = append(f.made, r)
	rome, _ := time.LoadLocation("Europe/Rome")
	return jobs.Job{ID: "cron-u-1a2b3c4d-01", Expression: r.Expression, TimeZone: "Europe/Rome", Repository: r.Input.Repository,
		Next: []time.Time{time.Date(2026, 11, 23, 9, 0, 0, 0, rome)}}, nil
}

func (f *fakeSchedules) List(_ context.Context, user string) (all []jobs.Job, err error) {
	for _, j := range f.list {
		if j.User == user {
			all = append(all, j)
		}
	}
	return all, f.err
}

func (f *fakeSchedules) Delete(_ context.Context, user, id string) (jobs.Job, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return jobs.Job{}, f.err
	}
	f.deleted = append(f.deleted, user+" "+id)
	return jobs.Job{ID: "cron-u-1a2b3c4d-01"}, nil
}

func cronWorld(t *testing.T) (*world, *fakeSchedules) {
	t.Helper()
	f := &fakeSchedules{}
	return newWorld(t, func(c *Config) { c.Schedules = f }), f
}

func TestCronCreate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, expression, zone, repository, task string }{
		"quoted": {`cron create "0 9 * * 1-5" fix the flaky tests --timezone Europe/Rome --repo acme/api`, "0 9 * * 1-5", "Europe/Rome", "acme/api",
			"fix the flaky tests"},
		"by a phone": {`Cron create “0 9 * * 1–5” fix the flaky tests —timezone Europe/Rome`, "0 9 * * 1-5", "Europe/Rome", "acme/web",
			"fix the flaky tests"},
		"as code":        {"cron create `0 9 * * 1-5` fix it", "0 9 * * 1-5", "", "acme/web", "fix it"},
		"bare":           {"cron create 0 9 * * 1-5 fix it", "0 9 * * 1-5", "", "acme/web", "fix it"},
		"a name":         {"/cron create @daily acme/api fix it", "@daily", "", "acme/api", "fix it"},
		"text in quotes": {`cron create '@daily' "fix it -- now"`, "@daily", "", "acme/web", "fix it -- now"},
		"lines":          {"cron create @daily fix it:\n\n- here", "@daily", "", "acme/web", "fix it:\n\n- here"},
	} {
		w, f := cronWorld(t)
		a := w.handle(says(boss, tt.text))
		if len(f.made) != 1 {
			t.Errorf("%s: answer %q", name, a.Text)
			continue
		}
		want := jobs.Request{User: "slack:" + boss, Expression: tt.expression, TimeZone: tt.zone, Delivery: "slack:ev-1", Input: task.Input{
			Repository: tt.repository, Task: tt.task, RequestedBy: &task.Person{Name: "Ada", Via: "slack"}, Room: &task.Room{Channel: "slack", ID: room}}}
		if diff := cmp.Diff(want, f.made[0]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if !strings.HasPrefix(a.Text, "Cron job `cron-u-1a2b3c4d-01` starts tasks in "+tt.repository+", by `"+tt.expression+
			"` in Europe/Rome.\n\nNext:\n- Mon 23 November 2026, 09:00 CET") {
			t.Errorf("%s: answer %q", name, a.Text)
		}
		if last := w.last(); len(w.acts) != 2 || w.acts[0].Reason != Asked || !last.Done || last.Verb != "cron create" ||
			last.Reason != "made cron-u-1a2b3c4d-01" || last.Delivery != "ev-1" {
			t.Errorf("%s: recorded %+v", name, w.acts)
		}
	}
}

// A request that is refused stores nothing, and the answer names the mistake.
func TestCronCreateRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`cron create "0 25 * * *" fix it`:                 `Schedule "0 25 \* \* \*": the hour "25" is not within 0-23. Write it like 9 or 8-18/2.`,
		`cron create "0 9 * * * 2026" fix it`:             "has 6 fields, not five",
		"cron create fix the tests every day":             `the minute "fix" has "fix", which is no number`,
		`cron create @every fix it`:                       "is no point in time",
		`cron create "0 9 * * *" fix it --timezone Mars`:  `Time zone "Mars": unknown. Give a name such as Europe/Rome or UTC.`,
		`cron create "0 9 * * *" fix it --timezone Local`: "another one on every machine",
		`cron create "0 9 * * *"`:                         "The task is missing",
		"cron create":                                     "The schedule is missing",
		`cron create "0 9 * * *" /etc fix it`:             "Paths are not taken from a chat.",
		`cron create "0 9 * * *" fix it --detach`:         "--detach: unknown option of cron create",
		`cron create "0 9 * * *" fix it --budget many`:    "not an amount of US dollars",
		"cron list --all":                                 "--all: cron list takes no options",
		"cron delete":                                     "The id of one cron job is wanted. Cron list shows yours.",
		"cron delete 1 2":                                 "The id of one cron job is wanted.",
	} {
		w, f := cronWorld(t)
		if a := w.handle(says(boss, text)); !strings.Contains(a.Text, want) || len(f.made)+len(f.deleted) != 0 {
			t.Errorf("%q: answer %q", text, a.Text)
		}
		if last := w.last(); last.Done {
			t.Errorf("%q: recorded %+v", text, last)
		}
	}
}

func TestCronRights(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		user, text, reason string
		done               bool
	}{
		{starter, "cron create @daily fix it", "made", true},
		{starter, "cron delete 1", "deleted", true},
		{approver, "cron create @daily fix it", "no right to cron create", false},
		{approver, "cron delete 1", "no right to cron delete", false},
		{nobody, "cron create @daily fix it", "not on the list", false},
		{nobody, "cron delete 1", "not on the list", false},
		{starter, "cron create @daily fix it --approval none", "no right to loosen the approval", false},
		{starter, "cron create @daily fix it --approve-after 1m", "no right to loosen the approval", false},
	} {
		w, f := cronWorld(t)
		w.handle(says(tt.user, tt.text))
		if last := w.last(); last.Done != tt.done || !strings.Contains(last.Reason, tt.reason) || (len(f.made)+len(f.deleted) == 1) != tt.done {
			t.Errorf("%s, %q: recorded %+v", tt.user, tt.text, last)
		}
	}
	late := says(boss, "cron create @daily fix it")
	late.At = now.Add(-time.Hour)
	w, f := cronWorld(t)
	if a := w.handle(late); !strings.Contains(a.Text, "came late") || len(f.made) != 0 {
		t.Errorf("late: %q", a.Text)
	}
}

// A person who may not approve, and chooses the branch or the repository, does not choose the approval with it.
func TestCronIsGuarded(t *testing.T) {
	t.Parallel()
	for text, guarded := range map[string]bool{"cron create @daily fix it": false, "cron create @daily acme/web fix it": false,
		"cron create @daily acme/api fix it": true, "cron create @daily fix it --base next": true, "cron create @daily fix it --repo acme/api": true} {
		for user, approves := range map[string]bool{starter: false, boss: true} {
			w, f := cronWorld(t)
			a := w.handle(says(user, text))
			want := guarded && !approves
			in := f.made[0].Input
			required := in.Config != nil && in.Config.Approval != nil && in.Config.Approval.Mode != nil && *in.Config.Approval.Mode == task.ApprovalRequired
			if required != want || strings.Contains(a.Text, "has to let each plan pass") != want {
				t.Errorf("%q by %s: input %+v, answer %q", text, user, in, a.Text)
			}
		}
	}
}

func TestCronListShowsOnesOwn(t *testing.T) {
	t.Parallel()
	w, f := cronWorld(t)
	f.list = []jobs.Job{
		{ID: "cron-a-01", User: "slack:" + boss, Expression: "0 9 * * 1-5", TimeZone: "Europe/Rome", Repository: "acme/web", Message: "fix *it*\nall " + secret,
			Next: []time.Time{now}, Last: &jobs.Run{Task: "cron-a-01-2026", Running: true}, Skipped: 2},
		{ID: "cron-a-02", User: "slack:" + boss, Expression: "@daily", TimeZone: "UTC", Repository: "acme/web", Message: "x", Paused: true, Last: &jobs.Run{Outcome: task.AllBlocked}},
		{ID: "cron-b-01", User: "slack:" + starter, Expression: "@daily", TimeZone: "UTC", Repository: "acme/web", Message: "another's"},
		{ID: "cron-c-01", User: "telegram:" + boss, Expression: "@daily", TimeZone: "UTC", Repository: "acme/web", Message: "a namesake's"},
	}
	want := "- `cron-a-01` `0 9 * * 1-5` Europe/Rome, acme/web: fix \\*it\\* all \\[hidden\\]; next Wed 4 March 2026, 12:00 UTC; `cron-a-01-2026` runs; **2 skipped** because a task was not over\n" +
		"- `cron-a-02` `@daily` UTC, acme/web: x; paused; last all blocked"
	if a := w.handle(says(boss, "cron list")); a.Text != want {
		t.Errorf("got  %q\nwant %q", a.Text, want)
	}
	if a := w.handle(anew(says(approver, "cron list"))); !strings.HasPrefix(a.Text, "You have no cron jobs.") {
		t.Errorf("answer %q", a.Text)
	}
	if len(w.acts) != 0 {
		t.Errorf("recorded %+v", w.acts)
	}
}

func TestCronDelete(t *testing.T) {
	t.Parallel()
	w, f := cronWorld(t)
	ev := says(boss, "cron delete `cron-a-01`")
	for range 2 { // delivered twice: a second deletion could hit a job that was made in the same place
		w.handle(ev)
	}
	if diff := cmp.Diff([]string{"slack:" + boss + " cron-a-01"}, f.deleted); diff != "" {
		t.Error(diff)
	}
	f.err = fault.New(fault.NotFound, "no cron job %q of yours", "cron-b-01").WithHint("see cron list")
	if a := w.handle(says(boss, "cron delete cron-b-01")); a.Text != `Sorry, that was not done. No cron job "cron-b-01" of yours. See cron list.` {
		t.Errorf("answer %q", a.Text)
	}
	f.err = fault.New(fault.Infra, "the Temporal server does not answer")
	again := anew(ev)
	if _, err := w.handler.Handle(t.Context(), again); fault.KindOf(err) != fault.Infra {
		t.Errorf("error %v", err)
	}
	f.err = nil
	if w.handle(again); len(f.deleted) != 2 {
		t.Errorf("after the server is back: %v", f.deleted)
	}
}

func TestCronElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for text, want := range map[string]string{"cron": "Write `cron create", "cron list": "Cron jobs are not set up here.",
		"cron create @daily x": "Cron jobs are not set up here.", "cron jobs fail": "Write `cron create"} {
		if a := w.handle(says(boss, text)); !strings.HasPrefix(a.Text, want) {
			t.Errorf("%q: %q", text, a.Text)
		}
	}
	// In a task's thread a text without the form of a command is a message to the task.
	w, s := cronWorld(t)
	f := w.task(task.Approving)
	w.handle(replies(boss, "cron jobs must be left alone"))
	if len(f.got) != 1 || len(s.made) != 0 {
		t.Errorf("sent %v, made %v", f.got, s.made)
	}
	ev := anew(replies(boss, "cron create @daily fix it"))
	if w.handle(ev); len(f.got) != 1 || len(s.made) != 1 || s.made[0].Input.Room.Thread != "" || w.last().Task != "" {
		t.Errorf("sent %v, made %+v, recorded %+v", f.got, s.made, w.last())
	}
	if ev.Room.Channel != channel.Slack {
		t.Error("threads of other channels are rooms of their own")
	}
}
