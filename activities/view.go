package activities

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// view writes the messages about a task in Markdown. It escapes the texts of models and strangers, except for the plan, which is Markdown
// itself.
type view struct {
	signals.Status
	notice  signals.Notice
	settled string
	web     string
	hide    func(string) string // removes secrets; called before a text is escaped, because escapes would keep it from recognising them
}

// card is the message that is edited in place and shows the state of the task.
func (v view) card() string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n", v.title())
	fmt.Fprintf(&b, "%s\n\n", v.progress())
	if v.Plan != nil && v.Outcome == "" {
		for _, d := range v.Plan.Deliverables {
			fmt.Fprintf(&b, "- [%s] %s %s\n", mark(d.Status), d.ID, v.lit(excerpt.Line(d.Description, 120)))
		}
		b.WriteString("\n")
	}
	if v.NextAction != "" {
		fmt.Fprintf(&b, "Next: %s\n\n", v.NextAction)
	}
	b.WriteString(v.figures())
	b.WriteString(v.links())
	return b.String()
}

func mark(s task.Status) string {
	if s == task.Passed {
		return "x"
	}
	return " "
}

func (v view) title() string {
	return v.lit(excerpt.Line(v.Task, 160)) + " · " + v.lit(v.Repository)
}

// progress returns one line with the phase and the progress of the plan.
func (v view) progress() string {
	if v.Outcome != "" {
		return "Ended: " + outcomeWords(v.Outcome)
	}
	text := upper(string(v.Phase))
	if v.Reason != "" {
		text += " (" + strings.ReplaceAll(string(v.Reason), "_", " ") + ")"
	}
	if v.Plan != nil && len(v.Plan.Deliverables) > 0 {
		passed, blocked, _ := v.Plan.Counts()
		text += fmt.Sprintf(" · round %d: %d/%d deliverables done", max(v.Iteration, v.Rounds, 1), passed, len(v.Plan.Deliverables))
		if blocked > 0 {
			text += fmt.Sprintf(", %d blocked", blocked)
		}
	}
	return text
}

func (v view) figures() string {
	text := fmt.Sprintf("$%.2f of $%.2f · %s of %s · %s", v.Usage.CostUSD, v.BudgetUSD, task.Duration(v.Worked.Round(time.Second)),
		task.Duration(v.BudgetTime), excerpt.Count(len(v.Sessions), "session"))
	if v.Check != nil {
		text += " · checks " + map[bool]string{true: "passed", false: "failed"}[v.Check.Passed()]
	}
	return text + "\n\n"
}

func (v view) links() string {
	var links []string
	if v.PullRequest != nil {
		links = append(links, fmt.Sprintf("[Pull request #%d](%s)", v.PullRequest.Number, v.PullRequest.URL))
	}
	if v.web != "" {
		links = append(links, fmt.Sprintf("[Temporal Web](%s)", v.web))
	}
	return strings.Join(append(links, "`"+v.WorkflowID+"`"), " · ") + "\n"
}

// plan is what people decide about.
func (v view) plan() string {
	head := fmt.Sprintf("# Plan, revision %d\n\n%s\n\n", v.notice.Revision, v.title())
	switch {
	case v.settled != "" && (v.Plan == nil || v.Plan.Revision != v.notice.Revision):
		return head + v.lit(upper(v.settled)) + ".\n"
	case v.settled != "":
		return head + v.lit(upper(v.settled)) + ".\n\n" + v.lit(excerpt.Line(v.Plan.Summary, 600)) + "\n"
	case v.Plan == nil || v.Plan.Revision != v.notice.Revision:
		return head + "Another revision is current.\n"
	case v.Outcome != "":
		return head + v.ended()
	case !v.live():
		return head + "It has its decision.\n\n" + v.lit(excerpt.Line(v.Plan.Summary, 600)) + "\n"
	}
	_, body, _ := strings.Cut(v.Plan.Markdown(), "\n") // head replaces the heading
	return head + body + "\n\n" + task.Decide + "\n"
}

// foot is the small print below a plan: what the task has used of its budget, and where the whole of it is.
func (v view) foot() string {
	return strings.TrimSpace(v.figures()) + " · " + strings.TrimSpace(v.links())
}

// command shows exactly what would run, with nothing hidden in it.
func (v view) command() string {
	what := "A command"
	if signals.IsPush(v.notice.Question) {
		what = "A push"
	}
	head := fmt.Sprintf("**%s waits for a decision** · %s\n\n", what, v.title())
	q := v.question()
	switch {
	case v.settled != "":
		return head + v.lit(upper(v.settled)) + "\n"
	case v.Outcome != "":
		return head + v.ended()
	case q == nil:
		return head + "It has its decision.\n"
	case q.Push():
		return head + "The branch would be pushed with these changes:\n\n" + task.Fenced(q.Command) +
			fmt.Sprintf("\nWhy it is asked: %s (rule `%s`)\n", v.lit(q.Reason), q.Rule)
	}
	dir := "the workspace's root"
	if q.Dir != "" {
		dir = "the folder " + q.Dir
	}
	text := head + task.Fenced(q.Command) + fmt.Sprintf("\nIn %s, asked by session %d (%s).\n\nWhy it is asked: %s (rule `%s`)\n",
		v.lit(dir), q.Session, q.Role, v.lit(q.Reason), q.Rule)
	if bound := q.Bound(); bound != "" {
		text += "\n" + v.lit(bound) + "\n"
	}
	return text + "\nAllowed, it may run once; for this task, " + signals.ForTask + ".\n"
}

// news is what people and checks have said at the open pull request.
func (v view) news() string {
	return fmt.Sprintf("**News at the pull request** · %s\n\n%s\n\n%s", v.title(), v.lit(upper(v.notice.Text)), v.links())
}

// end is the notice of completion: the outcome, the changes and the cost.
func (v view) end() string {
	turns := 0
	for _, s := range v.Sessions {
		turns += s.Turns
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** · %s\n\n", upper(outcomeWords(v.Outcome)), v.title())
	if v.Detail != "" {
		fmt.Fprintf(&b, "%s\n\n", v.lit(excerpt.Line(v.Detail, 600)))
	}
	if v.Files > 0 {
		fmt.Fprintf(&b, "%s changed, +%d −%d · ", excerpt.Count(v.Files, "file"), v.Added, v.Deleted)
	}
	fmt.Fprintf(&b, "%s · %s", excerpt.Count(turns, "turn"), v.figures())
	for _, w := range v.Warnings {
		fmt.Fprintf(&b, "- %s\n", v.lit(excerpt.Line(w, 300)))
	}
	return b.String() + "\n" + v.links()
}

func (v view) lit(s string) string { return task.Literally(v.hide(s)) }

// upper returns a text with its first letter in upper case.
func upper(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
}
