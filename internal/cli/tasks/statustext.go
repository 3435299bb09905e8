package tasks

import (
	"fmt"
	"path"
	"strconv"
	"time"

	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// statusOf is the little that the server itself knows of a task.
func statusOf(r Row) *signals.Status {
	return &signals.Status{
		WorkflowID: r.ID, RunID: r.RunID, Repository: r.Repository, Started: r.Started, Phase: r.Phase, Outcome: r.Outcome,
		NeedsHuman: r.NeedsHuman, WaitingUntil: r.WaitingUntil, Host: r.Host, Agent: r.Agent, Usage: task.Usage{CostUSD: r.CostUSD},
		PullRequest: pullAt(r.PullRequest),
	}
}

// pullAt is the pull request at an address on a forge, which ends with its number; nil for none.
func pullAt(address string) *signals.PullRequest {
	n, err := strconv.Atoi(path.Base(address))
	if err != nil {
		return nil
	}
	return &signals.PullRequest{Number: n, URL: address}
}

// StatusText is the state of a task for people. page is its page in Temporal Web.
func StatusText(s Snapshot, now time.Time, page string) string {
	status := s.Status
	request, by, repository := excerpt.Clip(term.Plain(status.Task), 1000), term.OneLine(status.RequestedBy), term.OneLine(status.Repository)
	images := term.OneLine(task.ImageList(status.Images))
	if IsEnded(status) {
		return SummaryText(status, EndOf(status, now), "Repository", repository, "Request", request,
			"Images", images, "By", by, "Web", page)
	}
	phase := phaseText(status.Phase)
	switch status.Phase {
	case task.Approving, task.Waiting, task.Suspended, task.Queued:
		if status.Reason != "" {
			phase += ": " + reasonText(status.Reason)
		}
		if status.WaitingUntil.After(now) {
			phase += fmt.Sprintf(" (%s left)", term.Remaining(status.WaitingUntil.Sub(now)))
		}
	}
	session := ""
	if b := s.Beat; b != nil {
		session = fmt.Sprintf("%d, %s, for %s: %s (%s)",
			b.N, b.Role, term.SinceText(now, b.Started), term.OneLine(b.Activity), term.Count(b.Tools, "tool"))
	}
	if session == "" && s.waits != "" {
		session = "waits " + s.waits
	}
	pairs := []string{"Phase", phase, "Session", session, "Detail", term.Plain(status.Detail), "Next", term.Plain(status.NextAction),
		"Commands", questionsText(status, now), "Request", request, "Images", images, "By", by, "Repository", repository,
		"Branch", term.OneLine(status.Branch), "Host", term.OneLine(status.Host), "Round", round(status)}
	pairs = append(pairs, figures(status)...)
	if unchecked(status) {
		pairs = append(pairs, "Check", noCheck)
	}
	return term.Facts(status.WorkflowID, append(pairs, "Worked", worked(status), "Started", term.Ago(now, status.Started), "Web", page)...)
}

func round(status *signals.Status) string {
	if status.Iteration == 0 || status.Iterations == 0 {
		return ""
	}
	return fmt.Sprintf("%d of at most %d", status.Iteration, status.Iterations)
}

// worked is the running time of agents and commands, against its budget.
func worked(status *signals.Status) string {
	if status.BudgetTime == 0 {
		return ""
	}
	return term.Duration(status.Worked.Round(time.Second)) + " of " + term.Duration(status.BudgetTime)
}
