package tasks

import (
	"fmt"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// ShowText is everything about a task.
func ShowText(s Snapshot, now time.Time, page string) string {
	status := s.Status
	var b strings.Builder
	b.WriteString(StatusText(s, now, page))
	if status.Plan != nil {
		b.WriteString(PlanText(status.Plan))
	}
	if len(status.Sessions) > 0 {
		b.WriteString("\nSessions\n" + term.IndentAll(sessionTable(status, now)))
	}
	for _, c := range []struct {
		title string
		check *signals.Check
	}{{"Setup", status.Setup}, {"Check", status.Check}} {
		b.WriteString(CheckReport(c.title, c.check))
	}
	if r := status.Review; r != nil {
		verdict := "changes requested"
		if r.Approved {
			verdict = "approved"
		}
		fmt.Fprintf(&b, "\nReview: %s\n", verdict)
		if r.Text != "" {
			fmt.Fprintf(&b, "  %s\n", term.Indent(term.Plain(r.Text), 2))
		}
	}
	reported := func(title string, all []task.Entry) {
		if len(all) > 0 {
			b.WriteString("\n" + title + "\n")
		}
		for _, e := range all {
			fmt.Fprintf(&b, "  %s  %s\n", e.Time.Local().Format("2006-01-02 15:04"), term.Indent(term.Plain(e.Text), 20))
		}
	}
	reported("Look at these before the merge", status.Findings)
	reported("Notes of the sessions", status.Notes)
	reported("Unclear in the specification", status.SpecIssues)
	if len(status.Sessions) > 0 {
		fmt.Fprintf(&b, "\nFiles of the sessions\n  tasks/%s/sessions, in the data folder of each session's host\n", term.OneLine(status.TaskID))
	}
	if len(status.Commits) > 0 {
		b.WriteString("\nCommits\n")
		for _, c := range status.Commits {
			fmt.Fprintf(&b, "  %.10s  %s\n", term.OneLine(c.ID), term.OneLine(c.Subject))
		}
	}
	if status.PullRequest != nil {
		fmt.Fprintf(&b, "\nPull request\n  %s\n", term.OneLine(status.PullRequest.URL))
	}
	return b.String()
}

func sessionTable(status *signals.Status, now time.Time) string {
	head := []string{"N", "ROLE", "DELIVERABLE", "OUTCOME", "TOOK", "TURNS", "COST", "HOST"}
	return term.TableOf(head, status.Sessions, func(s signals.Session) []string {
		took, outcome := term.Duration(s.Duration), s.Outcome
		switch {
		case outcome == "" && IsEnded(status):
			took, outcome = "-", "cut off"
		case outcome == "":
			took, outcome = term.SinceText(now, s.Started), "running"
		}
		switch {
		case s.Resumed == 1:
			outcome += ", resumed once"
		case s.Resumed > 1:
			outcome += fmt.Sprintf(", resumed %d times", s.Resumed)
		}
		return []string{fmt.Sprint(s.N), string(s.Role), term.Dash(term.OneLine(s.Deliverable)), outcome, took, fmt.Sprint(s.Turns),
			term.USD(s.Usage.CostUSD), term.OneLine(s.Host)}
	})
}

func CheckReport(title string, c *signals.Check) string {
	if c == nil {
		return ""
	}
	text := fmt.Sprintf("\n%s: %s\n", title, CheckText(c))
	if !c.Passed() && c.Tail != "" {
		lines := strings.Split(strings.TrimRight(term.Plain(c.Tail), "\n"), "\n")
		text += term.IndentAll(strings.Join(lines[max(0, len(lines)-20):], "\n") + "\n")
	}
	return text
}
