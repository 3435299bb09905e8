package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// A task that waits asks its limiter again from time to time, in case the limiter was lost. The pause doubles up to the longest.
const (
	askAgain        = 15 * time.Minute
	askAgainLongest = 6 * time.Hour
)

// withdrawn is the change since which a task that waits for one limiter waits for no other one, which could admit it unheard.
const withdrawn = "withdrawn"

// acquire waits until every limiter admits the task; nothing is held in memory meanwhile. waited tells whether it had to. A task that waits
// for one limiter holds no admission of another.
func (ad *admissions) acquire(ctx workflow.Context, priority int) (waited bool, err error) {
	phase := ad.status.Phase
	ad.patience = askAgain
	for {
		denied, a, err := ad.ask(ctx, priority)
		if err != nil {
			return waited, err
		}
		if denied == nil {
			break
		}
		waited = true
		withdraws := workflow.GetVersion(ctx, withdrawn, workflow.DefaultVersion, 1) >= 1
		ad.release(ctx, signals.ReleaseRequest{}, func(one *admission) bool { return one.granted || withdraws && one != denied })
		if withdraws && denied.news.Limiter != "" { // it came while the others were released
			if a = denied.news; a.Admitted {
				denied.grant(a, ad.status.Usage.CostUSD)
				continue
			}
		}
		if priority, err = ad.await(ctx, denied, a, priority); err != nil {
			return waited, err
		}
	}
	if most := ad.ceiling(); most > 0 && ad.hasSettings() {
		ad.keepTo(ctx, ad.status.Usage.CostUSD+most)
	}
	if s := ad.status; s.Phase == task.Queued {
		s.Reason, s.Detail, s.NextAction, s.WaitingUntil = "", "", "", time.Time{}
		if waited {
			ad.journal.say(ctx, "turn", "its turn has come")
		}
		if phase != task.Queued {
			ad.journal.enter(ctx, phase)
		}
	}
	return waited, nil
}

// ask asks every limiter that has not admitted the task, and returns the first one that does not.
func (ad *admissions) ask(ctx workflow.Context, priority int) (*admission, signals.AcquireAnswer, error) {
	for _, one := range ad.all {
		if one.granted {
			continue
		}
		a, err := ad.request(ctx, one, priority)
		if err != nil || !a.Admitted {
			return one, a, err
		}
		one.grant(a, ad.status.Usage.CostUSD)
	}
	return nil, signals.AcquireAnswer{}, nil
}

func (one *admission) grant(a signals.AcquireAnswer, used float64) {
	one.granted, one.ceiling, one.before = true, a.Ceiling, used
}

// await waits until a limiter admits the task, or until it is to be asked again: after a while, and when a person wants the task to go on,
// which then counts as one that a person has started.
func (ad *admissions) await(ctx workflow.Context, one *admission, a signals.AcquireAnswer, priority int) (int, error) {
	resumed := ad.inbox.resumed()
	for {
		ad.queued(ctx, a)
		one.news = signals.AcquireAnswer{}
		err := timer(ctx, ad.patience, "ask the limiter again", func() bool { return one.news.Limiter != "" || ad.inbox.resumed() > resumed })
		switch a = one.news; {
		case err != nil:
			return priority, err
		case a.Admitted:
			one.grant(a, ad.status.Usage.CostUSD)
			return priority, nil
		case ad.inbox.resumed() > resumed:
			return max(priority, signals.PriorityPerson), nil
		case a.Limiter == "":
			ad.patience = min(2*ad.patience, askAgainLongest)
			return priority, nil
		}
	}
}

// request asks one limiter. What it has signalled meanwhile is newer than its first answer.
func (ad *admissions) request(ctx workflow.Context, one *admission, priority int) (signals.AcquireAnswer, error) {
	ad.requests++
	info := workflow.GetInfo(ctx)
	in := activities.AcquireInput{Repository: ad.def.repo, All: one.shared, N: ad.requests, Request: signals.AcquireRequest{
		Workflow: info.WorkflowExecution.ID, Run: info.FirstRunID, Priority: priority, Guard: ad.def.guard(), Budget: ad.budgetAhead(),
		Before: ad.status.Usage.CostUSD}}
	if o := ad.def.input.Origin; o != nil {
		in.Request.Intake = o.Intake
	}
	if priority >= signals.PriorityPerson { // what a person wants now, and work that is half done, wait for no pull request
		in.Request.Guard.PauseIfOpenPR = false
	}
	var a signals.AcquireAnswer
	one.asked, one.news = true, signals.AcquireAnswer{}
	err := ad.parking.insist(ctx, func() error {
		return workflow.ExecuteActivity(ad.assignment.control(ctx, "may it work now?"), limiters.AcquireAdmission, in).Get(ctx, &a)
	})
	if err != nil {
		return a, err
	}
	one.limiter = a.Limiter
	if one.news.Limiter != "" && !a.Admitted {
		a = one.news
	}
	return a, nil
}
