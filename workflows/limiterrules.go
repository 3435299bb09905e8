package workflows

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/signals"
)

const (
	defaultLease = 2 * time.Minute
	slowLease    = 5    // times the lease, when there are no holders and only pull requests are waited for
	nothing      = 1e-6 // US dollars: less is none
)

// admit goes through the waiters in order. It returns those that it has admitted, and those whose answer has changed.
//
// Waiters are admitted in order: nobody passes a waiter that needs the same resource, a session or money. A waiter for a pull request, or
// one that is held back because others had errors, blocks nobody.
func (g *limiter) admit(now time.Time) (in, told []signals.Waiter) {
	slices.SortStableFunc(g.Waiters, func(a, b signals.Waiter) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.N, b.N))
	})
	g.startDay(now)
	var rest []signals.Waiter
	var before ahead
	for _, w := range g.Waiters {
		a := g.decision(w, now, before)
		switch {
		case a.Admitted:
			g.Holders = append(g.Holders, signals.Holder{Workflow: w.Workflow, Run: w.Run, Intake: w.Intake, Since: now, Reserved: a.Ceiling,
				Before: w.Before})
			if w.Answer.Wait != "" { // it has been told to wait; otherwise the update itself answers
				w.Answer = a
				in = append(in, w)
			}
			continue
		case a.Wait == signals.WaitSessions:
			before.sessions = true
		case a.Wait == signals.WaitCost:
			before.money = true
		}
		news := w.Answer.Wait != "" && isNews(w.Answer, a)
		w.Answer = a
		if news {
			told = append(told, w)
		}
		rest = append(rest, w)
	}
	g.Waiters = rest
	return in, told
}

// isNews tells whether a waiter is signalled its new answer. The holders and the amount spent change with every task, and are no news.
func isNews(was, now signals.AcquireAnswer) bool {
	switch now.Wait {
	case was.Wait:
		return now.Wait == signals.WaitPull && was.Detail != now.Detail || !was.Until.Equal(now.Until)
	}
	return true
}

// ahead is what earlier waiters wait for.
type ahead struct{ sessions, money bool }

// mostFailures is how many tasks in a row may have errors before no other task of an intake is admitted.
const mostFailures = 3

// decision answers a waiter.
func (g *limiter) decision(w signals.Waiter, now time.Time, before ahead) signals.AcquireAnswer {
	if g.Failures >= mostFailures && w.Priority < signals.PriorityPerson {
		return signals.AcquireAnswer{Limiter: g.id, Wait: signals.WaitErrors,
			Detail: fmt.Sprintf("%d tasks in a row have stopped with errors; it continues when one of the repository ends well", g.Failures)}
	}
	if most := w.Guard.Sessions; most > 0 && (before.sessions || len(g.Holders)+g.Others >= most) {
		return signals.AcquireAnswer{Limiter: g.id, Wait: signals.WaitSessions, Detail: g.atWork(most)}
	}
	if w.Guard.PauseIfOpenPR && len(g.Pulls) > 0 {
		p := g.Pulls[0]
		text := "a pull request of ours is open: " + p.URL
		if more := len(g.Pulls) - 1; more > 0 {
			text += fmt.Sprintf(" (and %d more)", more)
		}
		if p.Task != "" { // nobody follows it; in a folder it can't be closed by hand
			text += "; merge it, or close it with `longshift undo " + p.Task + "`"
		}
		return signals.AcquireAnswer{Limiter: g.id, Wait: signals.WaitPull, Detail: text}
	}
	kept, ok := g.reservation(w)
	if !ok || before.money && kept > 0 {
		return signals.AcquireAnswer{Limiter: g.id, Wait: signals.WaitCost, Until: midnight(now),
			Detail: fmt.Sprintf("%s of today's %s are spent or kept for others", usd(g.Spent+g.reserved()), usd(w.Guard.DailyCost))}
	}
	return g.grant(kept)
}

// atWork names the holders.
func (g *limiter) atWork(most int) string {
	var ids []string
	for _, h := range g.Holders[:min(3, len(g.Holders))] {
		ids = append(ids, h.Workflow)
	}
	n := len(g.Holders) + g.Others
	switch rest := n - len(ids); {
	case rest > 0 && len(ids) > 0:
		ids = append(ids, fmt.Sprintf("%d more", rest))
	case rest > 0:
		ids = append(ids, "tasks that people have started")
	}
	if len(ids) == 0 {
		return "others are before it"
	}
	return fmt.Sprintf("%d of %d at work: %s", n, most, strings.Join(ids, ", "))
}

// pause returns how long nothing has to be done unless a request comes, 0 for ever, and what ends it.
func (g *limiter) pause(now time.Time) (time.Duration, string) {
	if len(g.Waiters) == 0 {
		return 0, ""
	}
	lease := cmp.Or(g.Lease, defaultLease)
	wait, why := lease, "look whether those at work still live"
	if len(g.Holders)+g.Others == 0 {
		wait, why = slowLease*lease, "look whether the pull requests are still open"
	}
	for _, w := range g.Waiters {
		if until := w.Answer.Until; !until.IsZero() && until.Sub(now) < wait {
			wait, why = max(until.Sub(now), time.Second), "tomorrow's money"
		}
	}
	return wait, why
}

func midnight(now time.Time) time.Time {
	return now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
}

func (g *limiter) holder(id, run string) int {
	return slices.IndexFunc(g.Holders, func(h signals.Holder) bool { return h.Workflow == id && h.Run == run })
}

func (g *limiter) waiter(id, run string) int {
	return slices.IndexFunc(g.Waiters, func(w signals.Waiter) bool { return w.Workflow == id && w.Run == run })
}

// drop removes a task from waiters and holders, and tells whether it was a holder.
func (g *limiter) drop(id, run string) bool {
	g.Waiters = slices.DeleteFunc(g.Waiters, func(w signals.Waiter) bool { return w.Workflow == id && w.Run == run })
	n := len(g.Holders)
	g.Holders = slices.DeleteFunc(g.Holders, func(h signals.Holder) bool { return h.Workflow == id && h.Run == run })
	return len(g.Holders) < n
}

// outdated removes earlier runs under the same id, which have ended. What they have spent is not known, so all that was reserved for them
// counts.
func (g *limiter) outdated(now time.Time, id, run string) {
	g.Waiters = slices.DeleteFunc(g.Waiters, func(w signals.Waiter) bool { return w.Workflow == id && w.Run != run })
	for _, h := range slices.Clone(g.Holders) {
		if h.Workflow == id && h.Run != run && g.drop(h.Workflow, h.Run) {
			g.spend(now, h.Reserved)
		}
	}
}
