package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/schedule/jobs"
)

// cronText shows a job that was just made.
func cronText(j jobs.Job, now time.Time) string {
	next := make([]string, 0, 5)
	for _, at := range j.Next[:min(len(j.Next), 5)] {
		next = append(next, until(at, now))
	}
	if len(next) == 0 {
		next = append(next, "not known yet; see longshift cron list")
	}
	return term.Facts("cron job "+j.ID,
		"schedule", term.OneLine(j.Expression), "time zone", term.OneLine(j.TimeZone), "repository", term.OneLine(j.Repository),
		"task", excerpt.Clip(term.OneLine(j.Message), 200), "next", strings.Join(next, "\n"))
}

func cronTable(list []jobs.Job, everybody bool, now time.Time) string {
	head := []string{"CRON JOB", "SCHEDULE", "TIME ZONE", "NEXT", "LAST", "REPOSITORY", "TASK"}
	if everybody {
		head = append([]string{"USER"}, head...)
	}
	return term.TableOf(head, list, func(j jobs.Job) []string {
		row := []string{j.ID, term.OneLine(j.Expression), term.OneLine(j.TimeZone), cronNext(j, now), cronLast(j, now),
			term.OneLine(j.Repository), excerpt.Clip(term.OneLine(j.Message), 100)}
		if everybody {
			row = append([]string{term.OneLine(j.User)}, row...)
		}
		return row
	})
}

func cronNext(j jobs.Job, now time.Time) string {
	switch {
	case j.Paused:
		return "paused"
	case len(j.Next) == 0:
		return "-"
	}
	return until(j.Next[0], now)
}

// until shows a time in its zone, and how far off it is.
func until(at, now time.Time) string {
	if !at.After(now) {
		return at.Format("Mon 2006-01-02 15:04 MST") + " (now)"
	}
	return at.Format("Mon 2006-01-02 15:04 MST") + " (in " + term.Age(at.Sub(now)) + ")"
}

// cronLast is the outcome of the newest run, and how many runs were skipped or missed.
func cronLast(j jobs.Job, now time.Time) string {
	var parts []string
	if j.Last != nil {
		state := strings.ReplaceAll(string(j.Last.Outcome), "_", " ")
		if j.Last.Running {
			state = "running"
		}
		parts = append(parts, strings.TrimSpace(state+" "+term.Ago(now, j.Last.At)))
	}
	if j.Skipped > 0 {
		parts = append(parts, fmt.Sprintf("%d skipped", j.Skipped))
	}
	if j.Missed > 0 {
		parts = append(parts, fmt.Sprintf("%d missed", j.Missed))
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, ", ")
}
