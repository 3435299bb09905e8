package integration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/longshift/longshift/internal/agent/script"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/internal/schedule/cron"
	"github.com/longshift/longshift/internal/schedule/jobs"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// cronServer is a server that knows our search attributes, without a worker.
func cronServer(t *testing.T) *lab.Server {
	t.Helper()
	s := lab.StartServer(t, false)
	if r := s.Longshift(t, "doctor", "--fix"); !strings.Contains(r.Out, "search attributes") {
		t.Fatalf("doctor: %s%s", r.Out, r.Err)
	}
	return s
}

// cronJob runs a command of cron that prints one job.
func cronJob(t *testing.T, s *lab.Server, args ...string) (j jobs.Job) {
	t.Helper()
	r := s.Longshift(t, append([]string{"cron"}, append(args, "-o", "json")...)...)
	if r.Code != 0 || json.Unmarshal([]byte(r.Out), &j) != nil {
		t.Fatalf("cron %q: exit code %d\n%s%s", args, r.Code, r.Out, r.Err)
	}
	return j
}

func cronList(t *testing.T, s *lab.Server) (all []jobs.Job) {
	t.Helper()
	r := s.Longshift(t, "cron", "list", "-o", "json")
	if r.Code != 0 || json.Unmarshal([]byte(r.Out), &all) != nil {
		t.Fatalf("cron list: exit code %d\n%s%s", r.Code, r.Out, r.Err)
	}
	return all
}

// A cron job outlives the server and the worker, and then starts a task that a worker carries to its pull request.
func TestCronJob(t *testing.T) {
	t.Parallel()
	s := cronServer(t)
	scenario := filepath.Join(t.TempDir(), "scenario.yaml")
	if err := os.WriteFile(scenario, []byte(strings.Replace(string(script.Demo()), "pace: 1", "pace: 0", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	w := s.StartWorker(t, t.TempDir(), "LONGSHIFT_SCENARIO="+scenario, lab.CompilerCache(t))
	bare := gittest.NewBare(t, script.DemoRepository())
	made := cronJob(t, s, "create", "30 2 * * 1-5", script.DemoTask, "--repo", bare, "--timezone", "Europe/Rome",
		"-c", "agent=script", "-c", "scenario="+scenario, "-c", "approval.mode=none")
	if len(made.Next) == 0 || made.Name != "ann" || !strings.HasPrefix(made.ID, "cron-ann-") || !strings.HasSuffix(made.ID, "-01") {
		t.Fatalf("made %+v", made)
	}
	w.Kill()
	s.Kill()
	s.Start()
	s.Healthy()
	w.Start()
	all := cronList(t, s)
	if len(all) != 1 || all[0].ID != made.ID || all[0].Expression != "30 2 * * 1-5" || all[0].Message != script.DemoTask || all[0].Repository != bare ||
		len(all[0].Next) == 0 || !all[0].Next[0].Equal(made.Next[0]) {
		t.Fatalf("after the restart: %+v\nmade: %+v", all, made)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := s.Client.ScheduleClient().GetHandle(ctx, made.ID).Trigger(ctx, client.ScheduleTriggerOptions{}); err != nil {
		t.Fatal(err)
	}
	var last *jobs.Run
	lab.Eventually(t, 60*time.Second, "the task is started", func() bool {
		last = cronList(t, s)[0].Last
		return last != nil
	})
	if !strings.HasPrefix(last.Task, "cron-make-the-failing-tests-pass-and-"+strings.TrimPrefix(made.ID, "cron-")+"-20") {
		t.Errorf("the task is called %s", last.Task)
	}
	end := s.End(t, s.Client.GetWorkflow(t.Context(), last.Task, ""), 3*time.Minute)
	if end.Outcome != task.PullRequest || end.RequestedBy != "ann" || end.Task != script.DemoTask || end.Repository != bare {
		t.Errorf("the task ended as %+v", end)
	}
	r := s.Longshift(t, "cron", "list")
	if !strings.Contains(r.Out, "pull request ") || !strings.Contains(r.Out, "Europe/Rome") || !strings.Contains(r.Out, "02:30 CE") {
		t.Errorf("the list says\n%s%s", r.Out, r.Err)
	}
	if r := s.Longshift(t, "list", "--repo", bare); !strings.Contains(r.Out, last.Task) {
		t.Errorf("the task is not in the list of tasks\n%s%s", r.Out, r.Err)
	}
	if r := s.Longshift(t, "show", last.Task); r.Code != 0 || !strings.Contains(r.Out, last.Task) {
		t.Errorf("show: %d\n%s%s", r.Code, r.Out, r.Err)
	}
	if r := s.Longshift(t, "cron", "delete", made.ID); r.Code != 0 {
		t.Errorf("delete: %d\n%s%s", r.Code, r.Out, r.Err)
	}
	if r := s.Longshift(t, "cron", "delete", made.ID); r.Code != fault.ExitNotFound {
		t.Errorf("delete again: %d\n%s%s", r.Code, r.Out, r.Err)
	}
	s.Kill()
	s.Start()
	s.Healthy()
	if all := cronList(t, s); len(all) != 0 {
		t.Errorf("after the second restart: %+v", all)
	}
}

// What is missed while the server is down is made up for, and while that task runs the next times are left out and counted.
func TestCronMissedAndSkipped(t *testing.T) {
	t.Parallel()
	s := cronServer(t) // and no worker: the task stays
	made := cronJob(t, s, "create", "* * * * *", "fix it", "--repo", "acme/web")
	s.Kill()
	due := made.Next[0]
	if until := time.Until(due); until < 0 || until > time.Minute {
		t.Fatalf("the first time is %s away", until)
	}
	lab.Eventually(t, 70*time.Second, "a time is missed", func() bool { return time.Now().After(due.Add(time.Second)) })
	s.Start()
	s.Healthy()
	var j jobs.Job
	lab.Eventually(t, 45*time.Second, "the missed run is made up for", func() bool {
		j = cronList(t, s)[0]
		return j.Last != nil
	})
	d, err := s.Client.ScheduleClient().GetHandle(t.Context(), made.ID).Describe(t.Context())
	if err != nil || !d.Info.RecentActions[0].ScheduleTime.Equal(due) || d.Info.NumActions != 1 {
		t.Errorf("%v; the first run is for %+v, wanted is %s", err, d.Info.RecentActions, due)
	}
	if !strings.HasSuffix(j.Last.Task, due.UTC().Format(time.RFC3339)) || !j.Last.Running {
		t.Errorf("the run is %+v", j.Last)
	}
	lab.Eventually(t, 130*time.Second, "a time is left out", func() bool { return cronList(t, s)[0].Skipped > 0 })
	if r := s.Longshift(t, "cron", "list"); !strings.Contains(r.Out, "running ") || !strings.Contains(r.Out, " skipped") {
		t.Errorf("the list says\n%s%s", r.Out, r.Err)
	}
}

// Twenty is the most, however many requests come at once; and a request that comes twice is one.
func TestCronLimit(t *testing.T) {
	t.Parallel()
	s := cronServer(t)
	book := jobs.Book{Client: s.Client}
	request := func(user, delivery string) jobs.Request {
		return jobs.Request{User: user, Expression: "0 9 * * *", Input: task.Input{Repository: "acme/web", Task: "fix it"}, Delivery: delivery}
	}
	var made, refused atomic.Int32
	var wg sync.WaitGroup
	for i := range 26 {
		wg.Go(func() {
			_, err := book.Create(t.Context(), request("cli:ann", fmt.Sprint(i)))
			for fault.KindOf(err) == fault.Infra { // the server is slow: the same request once more is one
				_, err = book.Create(t.Context(), request("cli:ann", fmt.Sprint(i)))
			}
			switch {
			case err == nil:
				made.Add(1)
			case fault.KindOf(err) == fault.Conflict:
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if made.Load() != jobs.Most || refused.Load() != 6 || len(cronList(t, s)) != jobs.Most {
		t.Errorf("%d made, %d refused, %d in the list", made.Load(), refused.Load(), len(cronList(t, s)))
	}
	if r := s.Longshift(t, "cron", "create", "0 9 * * *", "fix it", "--repo", "acme/web"); r.Code != fault.ExitConflict || !strings.Contains(r.Err, "20 cron jobs, which is the most") {
		t.Errorf("the 21st: %d\n%s%s", r.Code, r.Out, r.Err)
	}
	var ids sync.Map
	for range 6 {
		wg.Go(func() {
			j, err := book.Create(t.Context(), request("slack:U1", "delivery-1"))
			if err != nil {
				t.Error(err)
			}
			ids.Store(j.ID, true)
		})
	}
	wg.Wait()
	all, err := book.List(t.Context(), "slack:U1")
	if err != nil || len(all) != 1 {
		t.Errorf("one delivery, six times: %v, %+v", err, all)
	}
	if everybody, err := book.All(t.Context()); err != nil || len(everybody) < jobs.Most {
		t.Errorf("all: %v, %d", err, len(everybody))
	}
	if r := s.Longshift(t, "cron", "delete", all[0].ID); r.Code != 0 { // an operator may
		t.Errorf("delete another's: %d\n%s%s", r.Code, r.Out, r.Err)
	}
	if _, err := book.Delete(t.Context(), "slack:U1", cronList(t, s)[0].ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a user deletes another's: %v", err)
	}
}

// The server reads a job's schedule as we read its expression: over two years, through every change of the clocks.
func TestCronTimes(t *testing.T) {
	t.Parallel()
	s := cronServer(t)
	for i, c := range []struct{ expression, zone string }{
		{"30 2 * * *", "Europe/Rome"}, {"0 1 * * *", "Europe/Rome"}, {"0 9 * * 1-5", "Europe/Rome"}, {"0 0 13 * fri", "Europe/Rome"},
		{"0 */6 * * *", "Europe/Rome"}, {"15,45 0-4 * mar,oct sun", "Europe/Rome"}, {"30 1 * * *", "America/New_York"}, {"0 2 8 3 *", "America/New_York"},
		{"15,45 1,2 * * *", "Australia/Lord_Howe"}, {"0 0 * * *", "Asia/Beirut"}, {"0 23 * * *", "Asia/Beirut"}, {"0 0 29 2 *", "UTC"}, {"0 12 */10 * 7", "UTC"},
		{"5 4 31 * sat-sun", "Asia/Kolkata"},
	} {
		zone, err := cron.Zone(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		spec, err := cron.Parse(c.expression)
		if err != nil {
			t.Fatal(err)
		}
		j := cronJob(t, s, "create", c.expression, "fix it", "--repo", "acme/web", "--timezone", c.zone)
		now := time.Now()
		for n, at := range times(spec, now, now.AddDate(8, 0, 0), zone, 3) {
			if n < len(j.Next) && !j.Next[n].Equal(at) && !twice(at) && !twice(j.Next[n]) {
				t.Errorf("%d: %q in %s: next time %d is %s, not %s", i, c.expression, c.zone, n, j.Next[n], at)
			}
		}
		from, to := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2029, 1, 1, 0, 0, 0, 0, time.UTC)
		server := matching(t, s, j.ID, from, to)
		ours := map[int64]bool{}
		for _, at := range times(spec, from.Add(-time.Second), to, zone, 20000) {
			ours[at.Unix()] = true
			if !server[at.Unix()] && !twice(at) {
				t.Errorf("%q in %s: the server leaves out %s", c.expression, c.zone, at)
			}
		}
		for at := range server {
			if !ours[at] {
				t.Errorf("%q in %s: the server adds %s", c.expression, c.zone, time.Unix(at, 0).In(zone))
			}
		}
		if len(server) == 0 {
			t.Errorf("%q in %s: the server knows no time at all", c.expression, c.zone)
		}
		if c.expression == "30 2 * * *" { // on 28 March 2027 there is no such time, and on 31 October there are two
			night := func(day string) (n int) {
				for at := range server {
					if time.Unix(at, 0).In(zone).Format(time.DateOnly) == day {
						n++
					}
				}
				return n
			}
			if night("2027-03-27") != 1 || night("2027-03-28") != 0 || night("2027-03-29") != 1 || night("2027-10-31") != 1 || night("2027-11-01") != 1 {
				t.Errorf("spring: %d, %d, %d; autumn: %d, %d", night("2027-03-27"), night("2027-03-28"), night("2027-03-29"), night("2027-10-31"), night("2027-11-01"))
			}
		}
	}
}

// times are the first times of an expression between two moments, most at most. It steps through absolute time: what clocks skip does not come, and
// what they show twice comes twice.
func times(s cron.Spec, after, before time.Time, zone *time.Location, most int) (all []time.Time) {
	calendars := s.Calendars()
	for t := after.Truncate(time.Minute).Add(time.Minute).In(zone); len(all) < most && t.Before(before); t = t.Add(time.Minute) {
		if slices.ContainsFunc(calendars, func(c cron.Calendar) bool {
			return slices.Contains(c.Minutes, t.Minute()) && slices.Contains(c.Hours, t.Hour()) && slices.Contains(c.Days, t.Day()) &&
				slices.Contains(c.Months, int(t.Month())) && slices.Contains(c.Weekdays, int(t.Weekday()))
		}) {
			all = append(all, t)
		}
	}
	return all
}

// twice tells whether a clock shows this time twice on its day.
func twice(at time.Time) bool {
	for _, d := range []time.Duration{-time.Hour, time.Hour, -30 * time.Minute, 30 * time.Minute} {
		if other := at.Add(d); other.Hour() == at.Hour() && other.Minute() == at.Minute() {
			return true
		}
	}
	return false
}

// matching asks the server for all times of a schedule, a month at a time.
func matching(t *testing.T, s *lab.Server, id string, from, to time.Time) map[int64]bool {
	t.Helper()
	all := map[int64]bool{}
	for ; from.Before(to); from = from.AddDate(0, 1, 0) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		r, err := s.Client.WorkflowService().ListScheduleMatchingTimes(ctx, &workflowservice.ListScheduleMatchingTimesRequest{Namespace: "default", ScheduleId: id,
			StartTime: timestamppb.New(from.Add(-time.Second)), EndTime: timestamppb.New(from.AddDate(0, 1, 0).Add(-time.Second))})
		cancel()
		if err != nil {
			t.Fatal(errors.Join(fmt.Errorf("times of %s", id), err))
		}
		for _, at := range r.StartTime {
			all[at.AsTime().Unix()] = true
		}
	}
	return all
}

// A cron job is made in a chat, once, though it is delivered again to a worker that knows nothing of it; and its task shows there.
func TestCronFromChat(t *testing.T) {
	t.Parallel()
	c := newChat(t, "telegram", lab.Brief(), lab.QuickSettings)
	telegram := c.platform.(*onTelegram)
	telegram.Say(eveTelegram, eveTelegram, "eve", "cron create @daily "+lab.Name+" "+lab.Ask, 0)
	telegram.Say(adaTelegram, adaTelegram, "ada", "cron create “30 8 * * 1–5” "+lab.Ask+" —timezone Europe/Rome --repo "+lab.Name, 0)
	c.shows("starts tasks in " + lab.Name)
	c.Worker.Kill()
	c.Worker.Start()
	telegram.Again()
	telegram.Say(adaTelegram, adaTelegram, "ada", "cron list", 0)
	c.shows("; next ")
	book, user := jobs.Book{Client: c.Client}, fmt.Sprintf("telegram:%d", adaTelegram)
	all, err := book.List(t.Context(), user)
	if err != nil || len(all) != 1 || all[0].Expression != "30 8 * * 1-5" || all[0].TimeZone != "Europe/Rome" || all[0].Message != lab.Ask || all[0].Name != "ada" {
		t.Fatalf("%v: %+v", err, all)
	}
	if everybody, err := book.All(t.Context()); err != nil || len(everybody) != 1 {
		t.Errorf("a stranger has one too: %v, %+v", err, everybody)
	}
	if err := c.Client.ScheduleClient().GetHandle(t.Context(), all[0].ID).Trigger(t.Context(), client.ScheduleTriggerOptions{}); err != nil {
		t.Fatal(err)
	}
	c.shows("Pull request")
	if pulls := c.GitHub.Pulls(lab.Name); len(pulls) != 1 {
		t.Errorf("%d pull requests", len(pulls))
	}
	telegram.Say(adaTelegram, adaTelegram, "ada", "cron delete 1", 0)
	c.shows("is deleted")
	telegram.Say(adaTelegram, adaTelegram, "ada", "cron delete 1", 0)
	c.shows("of yours")
	acts := c.OnHost("acts", "-o", "jsonl")
	for _, want := range []string{"made " + all[0].ID, "deleted " + all[0].ID, "not on the list"} {
		if !strings.Contains(acts.Out, want) {
			t.Errorf("%q is not on record\n%s%s", want, acts.Out, acts.Err)
		}
	}
}
