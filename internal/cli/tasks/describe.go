package tasks

import (
	"fmt"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// waitingText is the line of a task that waits for the account's quota, or for what has failed outside of it.
func waitingText(status *signals.Status, now time.Time) string {
	if status.Reason == signals.ReasonInfra {
		return fmt.Sprintf("⏳ Trying again in %s: %s", term.Remaining(status.WaitingUntil.Sub(now)), term.OneLine(excerpt.Clip(status.Detail, 300)))
	}
	if status.WaitingUntil.IsZero() {
		return "⏳ Waiting for quota... (no reset time known)"
	}
	return fmt.Sprintf("⏳ Waiting... %s remaining (resets at %s)",
		term.Remaining(status.WaitingUntil.Sub(now)), status.WaitingUntil.UTC().Format("3:04 PM UTC"))
}

// SuspendedText says why a task is parked and what lifts it.
func SuspendedText(status *signals.Status) string {
	text := fmt.Sprintf("Suspended: %s", reasonText(status.Reason))
	if status.Detail != "" {
		text += "\n  " + term.Indent(term.Plain(status.Detail), 2)
	}
	if status.NextAction != "" {
		text += "\n  " + term.Indent(term.Plain(status.NextAction), 2)
	}
	if status.Reason == signals.ReasonCommand || status.Reason == signals.ReasonPush {
		for _, q := range status.Questions {
			text += fmt.Sprintf("\n  longshift allow %s %s    # %s",
				status.WorkflowID, term.OneLine(q.ID), excerpt.Clip(term.OneLine(q.Command), 200))
		}
		return text + fmt.Sprintf("\n  longshift deny %s\n  longshift abandon %s", status.WorkflowID, status.WorkflowID)
	}
	return text + fmt.Sprintf("\n  %s    # --note \"...\", --add-cost, --add-time\n  longshift abandon %s",
		resumeCommand(status.WorkflowID, status.Reason), status.WorkflowID)
}

// resumeCommand is the command that lets a suspended task go on, with what it has to add so that the same does not stop the task again.
func resumeCommand(id string, why signals.Reason) string {
	switch why {
	case signals.ReasonBudget:
		return "longshift resume " + id + " --add-cost 5"
	case signals.ReasonTime:
		return "longshift resume " + id + " --add-time 30m"
	}
	return "longshift resume " + id
}

func reasonText(r signals.Reason) string {
	switch r {
	case signals.ReasonApproval:
		return "the plan waits for a decision"
	case signals.ReasonBudget:
		return "the money is used up"
	case signals.ReasonTime:
		return "the running time is used up"
	case signals.ReasonQuota:
		return "the account's quota is used up"
	case signals.ReasonSpecIssue:
		return "the specification is unclear"
	case signals.ReasonQuestion:
		return "a session has a question"
	case signals.ReasonErrors:
		return "too many errors in a row"
	case signals.ReasonInfra:
		return "something outside of the task keeps failing"
	case signals.ReasonAccess:
		return "a key or login is missing or refused"
	case signals.ReasonCommand:
		return "a command waits for a person"
	case signals.ReasonPush:
		return "a push waits for approval"
	case signals.ReasonLoop:
		return "an agent went round in circles"
	case signals.ReasonSteps:
		return "a session has used up its steps"
	case signals.ReasonSecret:
		return "the work holds a secret"
	case signals.ReasonChanged:
		return "somebody else moved the branch"
	case signals.ReasonBlocker:
		return "the same problem remains after a round of work"
	case signals.ReasonRounds:
		return "the pull request has had all its rounds"
	case signals.ReasonReview:
		return "our reviewer does not let the work pass"
	case signals.ReasonUnfit:
		return "the work can't be committed"
	case signals.Reason(signals.WaitSessions):
		return "as many as LONGSHIFT_REPOSITORY_SESSIONS or the intake allows are at work"
	case signals.Reason(signals.WaitPull):
		return "a pull request of ours is open"
	case signals.Reason(signals.WaitCost):
		return "today's money is spent, or promised to others (LONGSHIFT_DAILY_COST, LONGSHIFT_REPOSITORY_DAILY_COST or the intake's)"
	}
	return strings.ReplaceAll(string(r), "_", " ")
}

// phaseText is a phase as something that is being done.
func phaseText(p task.Phase) string {
	switch p {
	case "":
		return "Starting"
	case task.SettingUp:
		return "Setting up"
	case task.Following:
		return "Looking after the pull request"
	}
	return strings.ToUpper(string(p[:1])) + string(p[1:])
}

// OutcomeText is the headline of a task that has ended.
func OutcomeText(status *signals.Status) string {
	switch status.Outcome {
	case task.PullRequest:
		if status.PullRequest != nil {
			return "Pull request: " + status.PullRequest.URL
		}
		return "Pull request opened"
	case task.AlreadyDone:
		return "Nothing to do: it is done already"
	case task.Declined:
		return "Declined: the agent will not do this"
	case task.Rejected:
		if status.Review != nil && status.Review.Approved { // it came as far as that
			return "Rejected: nobody has allowed the branch to be pushed"
		}
		return "Rejected: the plan was not wanted"
	case task.AllBlocked:
		return "Blocked: what is left could not be done"
	case task.ChecksFailed:
		if status.PullRequest != nil {
			return "The check fails, so the pull request is a draft: " + status.PullRequest.URL
		}
		return "The check fails, and nothing was changed"
	case task.MaxIterations:
		return "Ended: the review still asks for changes"
	case task.Abandoned:
		return "Abandoned"
	case task.Cancelled:
		return "Cancelled"
	case task.Failed:
		return "Failed"
	case task.PullMerged:
		return "The pull request was merged"
	case task.PullClosed:
		return "The pull request was closed"
	}
	return "Ended"
}

// SummaryText is what a task has come to, with more facts below when there are any.
func SummaryText(status *signals.Status, ended time.Time, more ...string) string {
	detail := ""
	if status.Outcome != task.PullRequest {
		detail = excerpt.Clip(term.Plain(status.Detail), 2000)
		if detail == "" && status.Plan != nil {
			detail = excerpt.Clip(term.Plain(status.Plan.Evidence), 2000)
		}
	}
	pairs := []string{"Reason", detail, "Task", status.WorkflowID, "Branch", term.OneLine(status.Branch)}
	pairs = append(pairs, figures(status)...)
	pairs = append(pairs, takeOver(status)...)
	if status.PullRequest != nil && status.Check == nil {
		pairs = append(pairs, "Check", noCheck)
	}
	took := ""
	if !status.Started.IsZero() { // an input that was refused has begun nothing
		took = term.Duration(ended.Sub(status.Started))
	}
	var findings []string
	for _, e := range status.Findings {
		findings = append(findings, e.Text)
	}
	pairs = append(pairs, "Findings", term.Plain(strings.Join(findings, "\n")), "Duration", took,
		"Warnings", term.Plain(strings.Join(status.Warnings, "\n")))
	pairs = append(pairs, more...)
	return term.Facts(OutcomeText(status), pairs...)
}

const noCheck = "none: the settings name no check command (see `longshift init`)"

// unchecked tells that a running task has no check command: else it would have run before the plan was made. The follower of a pull request
// begins with a plan and without a run, so nothing is said of it.
func unchecked(status *signals.Status) bool {
	return status.Plan != nil && status.PullRequest == nil && status.Check == nil && status.BaseCheck == nil
}

// takeOver names the commands that show and take what a task has committed. In a folder they are those of git, once the branch is there:
// it comes with the pull request, whose address ends with the ref that holds its text. No page shows that text, so a command does.
func takeOver(status *signals.Status) []string {
	if len(status.Commits) == 0 && status.PullRequest == nil || status.Branch == "" {
		return nil
	}
	read, look, take := "", "longshift diff "+status.WorkflowID, "longshift checkout "+status.WorkflowID
	if r, err := task.ParseRepository(status.Repository); err == nil && r.Path != "" && status.Base != "" && status.PullRequest != nil {
		address := status.PullRequest.URL
		read = "git show " + address[strings.LastIndex(address, " ")+1:]
		look, take = "git diff "+status.Base+"..."+status.Branch, "git merge "+status.Branch
	}
	return []string{"Read", term.OneLine(read), "Look", term.OneLine(look), "Take", term.OneLine(take)}
}

// figures are the numbers of a task so far.
func figures(status *signals.Status) []string {
	var done string
	if status.Plan != nil && len(status.Plan.Deliverables) > 0 {
		passed, _, _ := status.Plan.Counts()
		done = fmt.Sprintf("%d/%d", passed, len(status.Plan.Deliverables))
	}
	cost := term.USD(status.Usage.CostUSD)
	if status.BudgetUSD > 0 {
		cost += " of " + term.USD(status.BudgetUSD)
	}
	commits := ""
	if n := len(status.Commits); n > 0 {
		commits = fmt.Sprintf("%d (%s, +%d -%d)", n, term.Count(status.Files, "file"), status.Added, status.Deleted)
	}
	return []string{"Deliverables", done, "Sessions", sessionCount(status.Sessions), "Commits", commits,
		"Check", CheckText(status.Check), "Cost", cost}
}

func sessionCount(all []signals.Session) string {
	resumed := 0
	for _, s := range all {
		resumed += s.Resumed
	}
	if resumed == 0 {
		return fmt.Sprint(len(all))
	}
	return fmt.Sprintf("%d (resumed after an interruption: %d)", len(all), resumed)
}

func CheckText(c *signals.Check) string {
	switch {
	case c == nil:
		return ""
	case c.Flaky:
		return fmt.Sprintf("passed when run again, so it is flaky (%s, %s)%s",
			term.OneLine(c.Command), term.Duration(c.Duration)+ran(c), testList(c.Failing))
	case c.Passed():
		return fmt.Sprintf("passed (%s, %s%s)", term.OneLine(c.Command), term.Duration(c.Duration), ran(c))
	}
	return fmt.Sprintf("failed with exit code %d (%s)%s", c.ExitCode, term.OneLine(c.Command), testList(c.Failing))
}

// ran says how many tests a check has run, where its output does.
func ran(c *signals.Check) string {
	if c.Ran == nil {
		return ""
	}
	return ", " + c.Ran.String()
}

// testList names failing tests, the first few of them.
func testList(names []string) string {
	const most = 5
	text := ""
	for i, name := range names {
		if i == most {
			return text + fmt.Sprintf("\nand %d more", len(names)-most)
		}
		text += "\n" + term.OneLine(name)
	}
	return text
}
