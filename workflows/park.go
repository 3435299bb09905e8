package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// park asks a person to look at the pull request, and tells whether that is news. Polling continues: when the cause goes away, so does the
// question.
func (f *follower) park(ctx workflow.Context, why signals.Reason, detail string) bool {
	if p := f.going.Parked; p != nil && p.Reason == why && p.Detail == excerpt.Clip(detail, 2000) {
		return false
	}
	f.going.Parked = &signals.Parked{Reason: why, Detail: excerpt.Clip(detail, 2000), Head: f.poller.snapshot.Head}
	f.rest(ctx)
	f.journal.say(ctx, "suspended", "%s: %s", why, firstLine(detail))
	f.journal.show(ctx, signals.Notice{Subject: signals.SubjectStop})
	return true
}

// parkedRound is the change since which a round that ends badly is not followed by another one about the same.
const parkedRound = "parked-round"

// parkRound asks a person to look at a pull request whose round has ended badly. The next one would end like it, until a person says so or there is
// something else to do.
func (f *follower) parkRound(ctx workflow.Context, about string, why signals.Reason, detail string) {
	f.park(ctx, why, detail)
	if workflow.GetVersion(ctx, parkedRound, workflow.DefaultVersion, 1) >= 1 {
		f.going.Parked.About = about
	}
}

// unpark takes the question back.
func (f *follower) unpark(ctx workflow.Context) {
	if f.going.Parked == nil {
		return
	}
	f.going.Parked = nil
	f.rest(ctx)
	f.journal.say(ctx, "resumed", "going on")
	f.journal.show(ctx, signals.Notice{Subject: signals.SubjectStop, Settled: true})
}

// rest shows that no round is running, and why.
func (f *follower) rest(ctx workflow.Context) {
	s := f.status
	s.Reason, s.Detail, s.NeedsHuman, s.NextAction = "", "", false, ""
	phase := task.Following
	if p := f.going.Parked; p != nil {
		s.Reason, s.Detail, s.NeedsHuman, s.NextAction = p.Reason, p.Detail, true, nextAction(p.Reason)
		phase = task.Suspended
	}
	f.journal.enter(ctx, phase)
}

// failuresWait is the change since which a pull request keeps its question while failed checks wait for others.
const failuresWait = "failures-wait"

// keeps tells whether everything stays as it is until the pending checks have ended, because failed ones wait for them: the question to a
// person, the check run, and what they are about. A new conflict is worked on meanwhile.
func (f *follower) keeps(ctx workflow.Context, waits bool) bool {
	p := f.going.Parked
	switch {
	case !waits || f.worklist.merges() || f.worklist.conflict() && p == nil:
		return false
	case p != nil && (p.Reason == signals.ReasonAccess && p.About == "" || p.Head != "" && p.Head != f.poller.snapshot.Head):
		return false // it can be read again, or somebody has pushed
	}
	return workflow.GetVersion(ctx, failuresWait, workflow.DefaultVersion, 1) >= 1
}

// mostUnread is how many snapshots in a row may fail, each after all its tries, until a person is asked.
const mostUnread = 3

// unreadInRound is the change since which a pull request that can't be read is nothing to ask a person about during a round.
const unreadInRound = "unread-in-round"

// unreadable notes that a snapshot has failed. A round that goes on has a status and questions of its own, which stay.
func (f *follower) unreadable(ctx workflow.Context, err error, n int) {
	f.journal.say(ctx, "error", "the pull request can't be read: %s", firstLine(message(err)))
	if n < mostUnread || f.going.Parked != nil {
		return
	}
	if !f.poller.busy || workflow.GetVersion(ctx, unreadInRound, workflow.DefaultVersion, 1) < 1 {
		f.park(ctx, signals.ReasonAccess, "the pull request can't be read: "+message(err))
	}
}
