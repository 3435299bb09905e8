package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/schedule/jobs"
	"github.com/longshift/longshift/task"
)

func TestCronTable(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	rome, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		job        jobs.Job
		next, last string
	}{
		"new":           {jobs.Job{Next: []time.Time{now.Add(75 * time.Hour).In(rome)}}, "Mon 2026-11-23 16:00 CET (in 3d)", "-"},
		"due":           {jobs.Job{Next: []time.Time{now}}, "Fri 2026-11-20 12:00 UTC (now)", "-"},
		"paused":        {jobs.Job{Paused: true}, "paused", "-"},
		"never again":   {jobs.Job{}, "-", "-"},
		"running":       {jobs.Job{Last: &jobs.Run{At: now.Add(-2 * time.Hour), Running: true}, Skipped: 2}, "-", "running 2h ago, 2 skipped"},
		"ended":         {jobs.Job{Last: &jobs.Run{At: now.Add(-24 * time.Hour), Outcome: task.PullRequest}, Missed: 1}, "-", "pull request 24h ago, 1 missed"},
		"known no more": {jobs.Job{Last: &jobs.Run{At: now.Add(-time.Hour)}}, "-", "1h ago"},
	} {
		if got := cronNext(tt.job, now); got != tt.next {
			t.Errorf("%s: next %q", name, got)
		}
		if got := cronLast(tt.job, now); got != tt.last {
			t.Errorf("%s: last %q", name, got)
		}
	}
	job := jobs.Job{ID: "cron-ann-1a2b3c4d-01", User: "slack:U1\x1b[31m", Expression: "0 9 * * *", TimeZone: "UTC", Repository: "acme/web",
		Message: "fix\n\x1b[2Jit"}
	for _, everybody := range []bool{false, true} {
		got := cronTable([]jobs.Job{job}, everybody, now)
		if strings.Contains(got, "\x1b") || strings.Count(got, "\n") != 2 || strings.Contains(got, "USER") != everybody ||
			strings.Contains(got, "slack:U1") != everybody {
			t.Errorf("table\n%s", got)
		}
	}
	if got := cronText(job, now); strings.Contains(got, "\x1b") || !strings.Contains(got, "next        not known yet") {
		t.Errorf("text\n%s", got)
	}
}
