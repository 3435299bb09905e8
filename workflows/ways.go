package workflows

import (
	"fmt"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// mostAsked is how many commands a page names that wait for a person.
const mostAsked = 3

// way is what a person can do about a task in Temporal Web: an update, and its input to paste.
type way struct{ update, input string }

func (w way) String() string {
	if w.input == "" {
		return "`" + w.update + "` without data"
	}
	return "`" + w.update + "` with `" + w.input + "`"
}

// waysOf names the updates by which a person can make a task go on, the most likely one first. They are those of its next human action.
func waysOf(s *signals.Status) (ways []way) {
	switch s.Phase {
	case task.Ended:
		return nil
	case task.Approving:
		revision := fmt.Sprintf(`{"revision": %d`, s.Plan.Revision)
		ways = []way{{signals.Approve, revision + "}"}, {signals.Edit, revision + `, "text": "what is to change"}`},
			{signals.Reject, revision + `, "reason": "why"}`}}
	case task.Queued:
		ways = []way{{signals.Resume, ""}}
	case task.Waiting:
		ways = []way{{signals.Resume, resumeInput(s.Reason)}}
	case task.Suspended:
		if s.Reason != signals.ReasonCommand && s.Reason != signals.ReasonPush {
			ways = []way{{signals.Resume, resumeInput(s.Reason)}}
		}
	}
	for _, q := range s.Questions[:min(mostAsked, len(s.Questions))] {
		question := fmt.Sprintf(`{"question": %q`, q.ID)
		if whole(q) {
			ways = append(ways, way{signals.Allow, question + "}"})
		}
		ways = append(ways, way{signals.Deny, question + `, "reason": "why"}`})
	}
	if s.Phase == task.Suspended || len(s.Questions) > 0 {
		ways = append(ways, way{signals.Abandon, `{"reason": "why"}`})
	}
	if len(ways) == 0 {
		ways = []way{{signals.Tell, `{"text": "what the next session is to know"}`}}
	}
	return ways
}

// mostShown is how much of a command a page shows, in bytes.
const mostShown = 300

// whole tells whether a page shows all of what a question is about. Nobody should allow what they have not seen.
func whole(q signals.Question) bool {
	return q.Push() || len(q.Command) <= mostShown && excerpt.OneLine(q.Command) == q.Command
}

// resumeInput is what a resume has to say, so that the same does not stop the task again.
func resumeInput(why signals.Reason) string {
	switch why {
	case signals.ReasonBudget:
		return `{"addCost": 5}`
	case signals.ReasonTime:
		return `{"addTime": "30m"}`
	case signals.ReasonSpecIssue, signals.ReasonQuestion:
		return `{"note": "the answer"}`
	case signals.ReasonQuota, signals.ReasonAccess, signals.ReasonSecret, signals.ReasonUnfit, signals.ReasonChanged, signals.ReasonInfra:
		return ""
	}
	return `{"note": "what the next session is to know"}`
}

// nextOnPage is the next human action. Where the task needs none, the page says what a person may look at.
func nextOnPage(s *signals.Status) string {
	switch {
	case s.NextAction != "":
		return s.NextAction
	case s.Phase == task.Following:
		return "review the pull request, and merge or close it; what is written there is answered"
	case s.Outcome == task.PullRequest:
		return "review the pull request"
	case s.Outcome == task.Rejected || s.Outcome == task.Abandoned || s.Outcome == "" || s.Outcome.Good():
		return "none"
	}
	return "none, or `longshift retry`, which starts the task again and tells it what happened"
}
