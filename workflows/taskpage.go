package workflows

import (
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// details is the page of a task, or of the follower of its pull request. Acceptance criteria give way when it becomes too long: first those
// of deliverables that are done.
func (j *journal) details() (text string) {
	for _, hides := range []func(task.Status) bool{
		func(task.Status) bool { return false }, func(s task.Status) bool { return s == task.Passed }, func(task.Status) bool { return true },
	} {
		var p page
		j.stand(&p)
		j.plan(&p, hides)
		j.figures(&p)
		if text = p.String(); len(text) <= mostDetails {
			break
		}
	}
	return excerpt.Clip(text, mostDetails)
}

// stand says where the task is, why it is there, and what a person can do about it in Temporal Web.
func (j *journal) stand(p *page) {
	s := j.status
	more := string(s.Outcome)
	if more == "" && s.Reason != signals.ReasonApproval {
		more = string(s.Reason)
	}
	p.title(string(s.Phase), strings.ReplaceAll(more, "_", " "))
	if s.Detail != "" && s.Reason != signals.ReasonPush { // the question about a push says the same
		p.fact("Why", "%s", task.Literally(excerpt.Clip(s.Detail, 600)))
	}
	p.fact("Next human action", "%s", nextOnPage(s))
	if !s.WaitingUntil.IsZero() {
		then := ""
		if s.Phase == task.Approving {
			then = ", then the plan is approved"
		}
		p.fact("Until", "%s%s", s.WaitingUntil.UTC().Format("2006-01-02 15:04:05 MST"), then)
	}
	for i, q := range s.Questions {
		if i == mostAsked {
			p.item("and %d more commands wait", len(s.Questions)-i)
			break
		}
		if q.Push() {
			p.fact("Push "+code(q.ID), "%s", task.Literally(excerpt.Clip(q.Reason, 200)))
			for line := range strings.Lines(q.Command) {
				p.below("%s", code(line))
			}
			continue
		}
		p.fact("Command "+code(q.ID)+" in "+task.Literally(place(q.Dir)), "%s (%s)", code(excerpt.Clip(q.Command, mostShown)),
			task.Literally(excerpt.Clip(q.Reason, 200)))
		if bound := q.Bound(); bound != "" {
			p.below("%s", task.Literally(excerpt.Line(bound, 200)))
		}
		if !whole(q) {
			p.below("It does not fit here: `longshift status` shows it whole, and `longshift allow` lets it run")
		}
	}
	ways := waysOf(s)
	if len(ways) > 0 {
		p.fact("Here", "More Actions, Send an Update, Name and Data:")
	}
	for _, w := range ways {
		p.below("%s", w)
	}
}

// figures says how far the task is, and what that has cost.
func (j *journal) figures(p *page) {
	s := j.status
	p.heading("**Progress:** %s", progress(s))
	if now := atWork(s); now != nil {
		p.fact("At work", "%s", strings.TrimSpace(fmt.Sprintf("session %d, %s %s", now.N, now.Role, now.Deliverable)))
	}
	if s.PullRequest != nil {
		p.fact("Pull request", "[#%d](%s)", s.PullRequest.Number, s.PullRequest.URL)
	}
	if s.Check != nil {
		name := "Checks"
		if s.Check == s.BaseCheck {
			name = "Checks before the work"
		}
		p.fact(name, "%s", verdict(*s.Check))
	}
	if s.Branch != "" { // else its settings are not known yet, and with them its budget
		p.fact("Cost", "%.2f of %.2f USD", s.Usage.CostUSD, s.BudgetUSD)
		p.fact("Working time", "%s of %s", spell(s.Worked), spell(s.BudgetTime))
		p.fact("Sessions", "%d%s", len(s.Sessions), roundOf(s))
		on := ""
		if s.Host != "" {
			on = " on host `" + s.Host + "`"
		}
		p.fact("Branch", "`%s`%s", s.Branch, on)
	}
	p.fact("Task", "%s", task.Literally(excerpt.Line(s.Task, 300)))
	if len(s.Images) > 0 {
		p.fact("Images", "%s", task.Literally(task.ImageList(s.Images)))
	}
	if log := s.Log; len(log) > 0 {
		p.fact("Newest", "")
		for _, l := range log[max(0, len(log)-3):] {
			p.below("%s %s: %s", l.Time.UTC().Format("15:04:05"), task.Literally(strings.ReplaceAll(l.Kind, "_", " ")),
				task.Literally(excerpt.Line(l.Text, 120)))
		}
	}
}

func roundOf(s *signals.Status) string {
	switch {
	case s.Rounds > 0:
		return fmt.Sprintf(", round %d on the pull request", s.Rounds)
	case s.Iteration > 0:
		return fmt.Sprintf(", round %d of %d", s.Iteration, s.Iterations)
	}
	return ""
}

func progress(s *signals.Status) string {
	if s.Plan == nil || len(s.Plan.Deliverables) == 0 {
		return "no plan yet"
	}
	passed, blocked, _ := s.Plan.Counts()
	text := fmt.Sprintf("%d of %d deliverables done", passed, len(s.Plan.Deliverables))
	if blocked > 0 {
		text += fmt.Sprintf(", %d blocked", blocked)
	}
	return text
}

// atWork is the session that runs, nil for none.
func atWork(s *signals.Status) *signals.Session {
	switch s.Phase {
	case task.Planning, task.Executing, task.Reviewing:
		if n := len(s.Sessions); n > 0 && s.Sessions[n-1].Outcome == "" {
			return &s.Sessions[n-1]
		}
	}
	return nil
}

// mostFiles is how many files of a plan the page names.
const mostFiles = 12

func (j *journal) plan(p *page, hides func(task.Status) bool) {
	pl := j.status.Plan
	if pl == nil {
		return
	}
	p.heading("**Plan, revision %d:** %s", pl.Revision, task.Literally(excerpt.Clip(pl.Summary, 400)))
	if size := pl.Size(); size != "" {
		p.heading("**Size:** %s", task.Literally(size))
		for _, part := range pl.Split {
			p.item("%s", task.Literally(excerpt.Clip(part, 120)))
		}
	}
	if len(pl.Deprecated) > 0 {
		p.heading("**No longer asked for:**")
		for _, d := range pl.Deprecated {
			p.item("%s", task.Literally(excerpt.Clip(d, 120)))
		}
	}
	if pl.Size() != "" || len(pl.Deprecated) > 0 {
		p.heading("**Deliverables:**")
	}
	if j.status.Phase == task.Approving && len(pl.Files) > 0 {
		p.fact("Files", "")
		for _, f := range pl.Files[:min(len(pl.Files), mostFiles)] {
			p.below("%s", code(excerpt.Line(f, 100)))
		}
		if more := len(pl.Files) - mostFiles; more > 0 {
			p.below("and %d more, which `longshift show` lists", more)
		}
	}
	for _, d := range pl.Deliverables {
		p.item("%s %s %s", box(d.Status), d.ID, task.Literally(excerpt.Clip(d.Description, 120)))
		if d.Status == task.Blocked {
			fmt.Fprintf(p, " (blocked: %s)", task.Literally(excerpt.Clip(d.Reason, 120)))
		}
		for _, a := range d.Acceptance {
			if !hides(d.Status) {
				p.below("– %s", task.Literally(excerpt.Line(a, 120)))
			}
		}
		if d.Proof != "" && !hides(d.Status) {
			p.below("proof: %s", code(excerpt.Line(d.Proof, 120)))
		}
	}
}

// box is the check box of a deliverable. Temporal Web renders no task lists.
func box(s task.Status) string {
	switch s {
	case task.Passed:
		return "☑"
	case task.Blocked:
		return "☒"
	}
	return "☐"
}
