package activities

import (
	"fmt"
	"strings"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// live tells whether what the notice is about still waits for a person. It may have been decided while the channel was away. A stop waits until it
// is settled: what it is about may be tried again at this moment, and stop the task again without another message.
func (v view) live() bool {
	switch v.notice.Subject {
	case signals.SubjectPlan:
		return v.current()
	case signals.SubjectCommand:
		return v.question() != nil
	case signals.SubjectStop:
		return v.Outcome == ""
	}
	return true
}

// current tells whether the plan that the notice is about is the one that waits for a decision.
func (v view) current() bool {
	return v.Plan != nil && v.Phase == task.Approving && v.Plan.Revision == v.notice.Revision
}

func (v view) question() *signals.Question {
	for i := range v.Questions {
		if v.Questions[i].ID == v.notice.Question {
			return &v.Questions[i]
		}
	}
	return nil
}

// ended says how the task has ended, for what nobody decides any more.
func (v view) ended() string {
	return "The task has ended: " + outcomeWords(v.Outcome) + ".\n"
}

// stop says why the task is suspended, and how it goes on.
func (v view) stop() string {
	head := fmt.Sprintf("**Suspended** · %s\n\n", v.title())
	switch {
	case v.Outcome != "":
		return head + v.ended()
	case v.settled != "":
		return head + v.lit(upper(v.settled)) + ".\n"
	case v.Reason == "":
		return head + "It is tried again at this moment.\n"
	}
	return head + fmt.Sprintf("%s: %s\n\nNext: %s\n\n%s%s", upper(strings.ReplaceAll(string(v.Reason), "_", " ")), v.lit(v.Detail),
		v.NextAction, v.figures(), v.links())
}
