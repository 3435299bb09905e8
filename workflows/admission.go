package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// admissions are the limiters that must admit the task before it works, and the state of the task at each.
type admissions struct {
	facts
	journal *journal
	inbox   *inbox
	origin  *origin
	parking *parking

	all      []*admission
	limits   activities.Checked // what the operator limits
	requests int                // to limiters so far
	patience time.Duration      // how long the task waits before it asks a limiter again
	closing  string             // the limiter to be told that nobody follows pull any more
	pull     signals.OpenPull
}

// admission is the task's state at one limiter.
type admission struct {
	shared  bool   // the limiter of the whole installation
	limiter string // its workflow id, as it has answered
	asked   bool   // the limiter may know the task: the admission must be released
	granted bool
	ceiling float64               // US dollars that are reserved for the task
	before  float64               // the task's cost when it was admitted
	news    signals.AcquireAnswer // what the limiter has signalled since it was asked
}

// reserved adds the limiter of a task that an intake has started. The intake may have asked for the admission already, so it is released
// however the task ends.
func (ad *admissions) reserved() {
	if !ad.def.guard().None() {
		ad.all = []*admission{{asked: !ad.def.continues}}
	}
}

// require adds the limiters that the operator's limits ask for.
func (ad *admissions) require(known activities.Checked) {
	ad.limits = known
	if known.Limited && len(ad.all) == 0 {
		ad.all = append(ad.all, &admission{})
	}
	if known.Shared {
		ad.all = append(ad.all, &admission{shared: true})
	}
}

// receive takes what limiters signal while the task waits.
func (ad *admissions) receive(ctx workflow.Context) {
	received := func(_ workflow.Context, a signals.AcquireAnswer) {
		for _, one := range ad.all {
			if one.limiter == a.Limiter || one.limiter == "" && one.shared == (a.Limiter == signals.LimiterOfAll) {
				one.news = a
			}
		}
	}
	onSignal(ctx, signals.Admission, notForPeople+"a limiter says whether the task may work", "signal "+signals.Admission, received)
}

// needed tells whether any limiter has to admit the task.
func (ad *admissions) needed() bool { return len(ad.all) > 0 }

// budgetAhead is what the task may still spend, as far as that is known before its settings are.
func (ad *admissions) budgetAhead() float64 {
	if !ad.hasSettings() {
		return budgetOf(ad.def.input) + ad.status.BudgetUSD // what a person has added already
	}
	return max(ad.status.BudgetUSD-ad.status.Usage.CostUSD, 0)
}

// ceiling is the most that the task may spend, by what its limiters have reserved for it; 0 for no limit.
func (ad *admissions) ceiling() float64 {
	least := 0.0
	for _, one := range ad.all {
		if one.granted && one.ceiling > 0 && (least == 0 || one.ceiling < least) {
			least = one.ceiling
		}
	}
	return least
}

// keepTo cuts the budget to what limiters have reserved for the task, and says so.
func (ad *admissions) keepTo(ctx workflow.Context, most float64) {
	if was := ad.status.BudgetUSD; was > most+nothing {
		ad.journal.say(ctx, "budget", "the budget of %s is cut to %s, which are reserved of a day's budget; more can be added once they are used",
			usd(was), usd(most))
	}
	ad.status.BudgetUSD = min(ad.status.BudgetUSD, most)
}

func (ad *admissions) keeps(why signals.Reason) bool {
	source := ""
	if ad.def.input.Origin != nil {
		source = ad.def.input.Origin.Source
	}
	return signals.KeepsAdmission(why, source)
}

// leaves tells whether the task is suspended for a reason for which it gives its admissions up, or has. It asks for others when it goes on.
func (ad *admissions) leaves() bool { return ad.status.Reason != "" && !ad.keeps(ad.status.Reason) }

// allowed is the most that the task may cost in all while it has its admissions; 0 for no limit.
func (ad *admissions) allowed() float64 {
	least := 0.0
	for _, one := range ad.all {
		if most := one.before + one.ceiling; one.granted && one.ceiling > 0 && (least == 0 || most < least) {
			least = most
		}
	}
	return least
}

// queued shows that the task waits, and for what.
func (ad *admissions) queued(ctx workflow.Context, a signals.AcquireAnswer) {
	s := ad.status
	if s.Phase == task.Queued && s.Reason == signals.Reason(a.Wait) && s.Detail == a.Detail {
		return
	}
	s.Reason, s.Detail, s.WaitingUntil = signals.Reason(a.Wait), excerpt.Clip(a.Detail, 500), a.Until
	s.NextAction = "nothing; it starts automatically. `resume` starts it before tasks that arrived automatically"
	ad.journal.say(ctx, "queued", "%s: %s", a.Wait, a.Detail)
	ad.journal.enter(ctx, task.Queued)
	ad.journal.show(ctx, signals.Notice{})
	ad.origin.showQueued(ctx)
}

// yield releases the task's admissions while it waits for a person, and tells whether it has to be admitted again afterwards.
func (ad *admissions) yield(ctx workflow.Context, why signals.Reason) bool {
	if ad.keeps(why) || !ad.needed() {
		return false
	}
	ad.release(ctx, signals.ReleaseRequest{Failed: why == signals.ReasonErrors || why == signals.ReasonLoop}, nil)
	return true
}
