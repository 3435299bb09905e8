package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Status renders a task's state in a few lines.
func (m Markdown) Status(s signals.Status, now time.Time) string {
	first := "**" + m.Literal(headline(s), 80) + "**"
	if left := s.WaitingUntil.Sub(now); !s.WaitingUntil.IsZero() && left > 0 {
		first += ", " + left.Round(time.Second).String() + " left"
	}
	lines := []string{first, ""}
	add := func(label, text string) {
		if text != "" {
			lines = append(lines, "- "+label+": "+text)
		}
	}
	add("Task", m.Mono(s.WorkflowID)+" "+m.Literal(s.Task, 200))
	add("Repository", m.Repository(s.Repository))
	add("Detail", m.Literal(s.Detail, 400))
	if s.Plan != nil {
		add("Plan", progress(s.Plan))
	}
	add("Cost", cost(s))
	if s.PullRequest != nil {
		add("Pull request", m.Link(fmt.Sprintf("#%d", s.PullRequest.Number), s.PullRequest.URL))
	}
	add("Next", m.Literal(strings.ReplaceAll(s.NextAction, "`", ""), 300))
	add("More", m.Web(s.WorkflowID, s.RunID))
	return strings.Join(lines, "\n") + m.questions(s.Questions)
}

// PublicStatus renders a task's state for a page that everybody may read: without the task's text, its cost, its commands, or links to
// the operator's servers.
func (m Markdown) PublicStatus(s signals.Status) string {
	text := "**" + m.Literal(headline(s), 80) + "**"
	if s.Plan != nil {
		text += ", plan " + progress(s.Plan)
	}
	if s.PullRequest != nil {
		text += fmt.Sprintf(", pull request #%d", s.PullRequest.Number)
	}
	text += "."
	if n := len(s.Questions); n > 0 {
		text += fmt.Sprintf(" Commands that wait for a decision: %d. %s", n, CommandsElsewhere)
	}
	return text
}

// CommandsElsewhere says where people decide about commands that wait.
const CommandsElsewhere = "They are decided in a chat, on the command line or in Temporal Web, " +
	"where they can be read as a whole by the people who may."

func (m Markdown) Log(s signals.Status) string {
	const most = 10
	if len(s.Log) == 0 {
		return "Nothing has happened yet in task " + m.Mono(s.WorkflowID) + "."
	}
	lines := []string{"The end of the log of " + m.Mono(s.WorkflowID) + ":", ""}
	for _, l := range s.Log[max(len(s.Log)-most, 0):] {
		lines = append(lines, "- "+l.Time.UTC().Format("15:04:05")+" "+m.Literal(l.Kind, 40)+": "+m.Literal(l.Text, 200))
	}
	if web := m.Web(s.WorkflowID, s.RunID); web != "" {
		lines = append(lines, "", web)
	}
	return strings.Join(lines, "\n")
}

// headline is the outcome in words, or the phase and what it waits for.
func headline(s signals.Status) string {
	if s.Outcome != "" {
		return "Ended: " + strings.ReplaceAll(string(s.Outcome), "_", " ")
	}
	if s.Reason != "" {
		return Phase(s.Phase) + ": " + strings.ReplaceAll(string(s.Reason), "_", " ")
	}
	return Phase(s.Phase)
}

func progress(p *task.Plan) string {
	passed, blocked, _ := p.Counts()
	text := fmt.Sprintf("revision %d, %d of %d done", p.Revision, passed, len(p.Deliverables))
	if blocked > 0 {
		text += fmt.Sprintf(", %d blocked", blocked)
	}
	return text
}

func cost(s signals.Status) string {
	text := USD(s.Usage.CostUSD)
	if s.BudgetUSD > 0 {
		text += " of " + USD(s.BudgetUSD)
	}
	if s.BudgetTime > 0 {
		text += fmt.Sprintf(", %s of %s", task.Duration(s.Worked.Round(time.Second)), task.Duration(s.BudgetTime.Round(time.Second)))
	}
	return text
}

// USD renders an amount of US dollars.
func USD(v float64) string { return fmt.Sprintf("$%.2f", v) }

// Phase renders a phase as an activity that goes on, such as "Setting up".
func Phase(p task.Phase) string {
	switch p {
	case "":
		return "Starting"
	case task.SettingUp:
		return "Setting up"
	}
	return strings.ToUpper(string(p[:1])) + string(p[1:])
}
