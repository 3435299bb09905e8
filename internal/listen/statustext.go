package listen

import (
	"fmt"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// statusText is how a task stands, in a few lines of Markdown.
func (e *Ear) statusText(s signals.Status) string {
	first := "**" + e.literal(headText(s), 80) + "**"
	if left := s.WaitingUntil.Sub(e.c.Now()); !s.WaitingUntil.IsZero() && left > 0 {
		first += ", " + left.Round(time.Second).String() + " left"
	}
	lines := []string{first, ""}
	add := func(what, text string) {
		if text != "" {
			lines = append(lines, "- "+what+": "+text)
		}
	}
	add("Task", e.mono(s.WorkflowID)+" "+e.literal(s.Task, 200))
	add("Repository", e.place(s.Repository))
	add("Detail", e.literal(s.Detail, 400))
	if s.Plan != nil {
		add("Plan", planText(s.Plan))
	}
	add("Cost", costText(s))
	if s.PullRequest != nil {
		add("Pull request", e.link(fmt.Sprintf("#%d", s.PullRequest.Number), s.PullRequest.URL))
	}
	add("Next", e.literal(strings.ReplaceAll(s.NextAction, "`", ""), 300))
	add("More", e.web(s.WorkflowID, s.RunID))
	return strings.Join(lines, "\n") + e.questionsText(s.Questions)
}

// publicText is how a task stands, for a place that everybody may read: no words of the task, no cost, no commands, no links to what
// is ours.
func (e *Ear) publicText(s signals.Status) string {
	text := "**" + e.literal(headText(s), 80) + "**"
	if s.Plan != nil {
		text += ", plan " + planText(s.Plan)
	}
	if s.PullRequest != nil {
		text += fmt.Sprintf(", pull request #%d", s.PullRequest.Number)
	}
	text += "."
	if n := len(s.Questions); n > 0 {
		text += fmt.Sprintf(" Commands that wait for a decision: %d. %s", n, commandsElsewhere)
	}
	return text
}

// commandsElsewhere says where commands are decided that wait.
const commandsElsewhere = "They are decided in a chat, on the command line or in Temporal Web, where they can be read as a whole by the people who may."

// headText is the phase, or the outcome, in words.
func headText(s signals.Status) string {
	if s.Outcome != "" {
		return "Ended: " + strings.ReplaceAll(string(s.Outcome), "_", " ")
	}
	if s.Reason != "" {
		return phaseText(s.Phase) + ": " + strings.ReplaceAll(string(s.Reason), "_", " ")
	}
	return phaseText(s.Phase)
}

func planText(p *task.Plan) string {
	passed, blocked, _ := p.Counts()
	text := fmt.Sprintf("revision %d, %d of %d done", p.Revision, passed, len(p.Deliverables))
	if blocked > 0 {
		text += fmt.Sprintf(", %d blocked", blocked)
	}
	return text
}

func costText(s signals.Status) string {
	text := usd(s.Usage.CostUSD)
	if s.BudgetUSD > 0 {
		text += " of " + usd(s.BudgetUSD)
	}
	if s.BudgetTime > 0 {
		text += fmt.Sprintf(", %s of %s", s.Worked.Round(time.Second), s.BudgetTime.Round(time.Second))
	}
	return text
}

// logText is the end of a task's log.
func (e *Ear) logText(s signals.Status) string {
	const most = 10
	if len(s.Log) == 0 {
		return "Nothing has happened yet in task " + e.mono(s.WorkflowID) + "."
	}
	lines := []string{"The end of the log of " + e.mono(s.WorkflowID) + ":", ""}
	for _, l := range s.Log[max(len(s.Log)-most, 0):] {
		lines = append(lines, "- "+l.Time.UTC().Format("15:04:05")+" "+e.literal(l.Kind, 40)+": "+e.literal(l.Text, 200))
	}
	if web := e.web(s.WorkflowID, s.RunID); web != "" {
		lines = append(lines, "", web)
	}
	return strings.Join(lines, "\n")
}

func usd(v float64) string { return fmt.Sprintf("$%.2f", v) }

// phaseText is a phase as something that is being done.
func phaseText(p task.Phase) string {
	switch p {
	case "":
		return "Starting"
	case task.SettingUp:
		return "Setting up"
	}
	return strings.ToUpper(string(p[:1])) + string(p[1:])
}
