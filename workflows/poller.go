package workflows

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// poller reads the pull request, again and again: soon after a wake-up, and from time to time because a wake-up may get lost.
type poller struct {
	facts
	journal *journal
	number  int                                          // of the pull request
	failed  func(ctx workflow.Context, err error, n int) // n snapshots in a row could not be taken
	closed  func(ctx workflow.Context, l forge.Snapshot) // the pull request is no longer open
	tried   func() []string                              // checks that a round has worked on

	snapshot  forge.Snapshot // the newest snapshot that differs from the one before
	stamp     string         // names it for the forge
	snapshots int            // such snapshots
	begun     int            // all snapshots
	at        int            // which of them is the newest
	after     int            // earlier ones do not count any more
	wakes     int            // wake-ups so far
	hurried   bool           // one of them waits for nothing else
	unread    int            // snapshots in a row that failed
	busy      bool           // a round is going on or waits for its turn, so that the history can't begin anew
}

// news tells whether there is a snapshot that nobody has acted upon, and that is not older than what we did last.
func (po *poller) news(seen int) bool { return po.snapshots > seen && po.at >= po.after }

// again asks for a snapshot that begins from now on: earlier ones do not count any more.
func (po *poller) again() {
	po.after = po.begun + 1
	po.wakes++
}

// handOver returns the stamp for the next run, "" when the newest snapshot does not count any more or none could be taken since.
func (po *poller) handOver() string {
	if po.at < po.after || po.unread > 0 {
		return ""
	}
	return po.stamp
}

// receive counts wake-ups. What happened is read from the forge.
func (po *poller) receive(ctx workflow.Context) {
	onSignal(ctx, signals.Changed, "look at the pull request now; no input", "signal "+signals.Changed,
		func(_ workflow.Context, payload json.RawMessage) {
			var r signals.ChangedRequest
			po.hurried = json.Unmarshal(payload, &r) == nil && r.Now || po.hurried // people may send anything
			po.wakes++
		})
}

// slowest is the longest pause between two polls of a pull request without a wake-up.
const slowest = time.Hour

// run reads the pull request, again and again: soon after a wake-up, and from time to time because a wake-up may get lost,
// until it is merged or closed.
func (po *poller) run(ctx workflow.Context) {
	poll := po.settings.PullRequest.Poll.Std()
	for wait, seen := time.Duration(0), po.wakes; ; {
		if err := po.next(ctx, wait, seen); err != nil {
			return
		}
		seen = po.wakes // a wake-up during the poll may be newer than the snapshot
		stamp := po.stamp
		po.begun++
		at := po.begun
		if po.at < po.after || po.unread > 0 { // also what is unchanged since the last snapshot is news after one that failed
			stamp = ""
		}
		l, err := po.read(ctx, stamp)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			po.unread++
			po.failed(ctx, err, po.unread)
			wait = slowest
			continue
		case l.Unchanged:
			wait = min(max(2*wait, poll), max(poll, slowest))
			continue
		}
		wait, po.unread = poll, 0
		po.warn(l.Warnings)
		po.stamp, po.snapshot = l.Stamp, l
		po.status.Base, po.snapshots, po.at = l.Base, po.snapshots+1, at
		if l.State != forge.Open {
			po.closed(ctx, l)
			return
		}
	}
}

// warn shows what the newest snapshot could not see, in place of what the one before could not.
func (po *poller) warn(now []string) {
	all := slices.DeleteFunc(po.status.Warnings, func(w string) bool { return slices.Contains(po.snapshot.Warnings, w) })
	for _, w := range now {
		if !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	po.status.Warnings = all
}

// read takes a snapshot of the pull request.
func (po *poller) read(ctx workflow.Context, stamp string) (l forge.Snapshot, err error) {
	in := activities.PollInput{Repository: po.def.repo, Number: po.number, Stamp: stamp, Tried: po.tried()}
	err = workflow.ExecuteActivity(po.assignment.control(ctx, fmt.Sprintf("look at #%d", po.number)), pulls.PollPullRequest, in).Get(ctx, &l)
	return l, err
}

// openAtPush is the change since which a round looks whether the pull request is open just before it pushes; since 2 also whether it still goes into
// the base that the round has merged.
const openAtPush = "open-at-push"

// stillOpen ends the work when the pull request has been merged or closed since the last poll, which may be an hour ago: what is pushed to
// a merged branch reaches nobody. merged is the base that is in what would be pushed, "" for none: in a pull request into another base all of it
// would be shown as work.
func (po *poller) stillOpen(ctx workflow.Context, merged string) error {
	v := workflow.GetVersion(ctx, openAtPush, workflow.DefaultVersion, 2)
	if v < 1 {
		return nil
	}
	l, err := po.read(ctx, po.stamp)
	if err != nil {
		return err
	}
	if l.Unchanged {
		l = po.snapshot
	}
	switch {
	case l.State != forge.Open:
		po.closed(ctx, l)
		return ctx.Err()
	case v >= 2 && merged != "" && l.Base != merged:
		return refusal(fault.New(fault.Changed, "the pull request goes into %s now, and the round has merged %s", l.Base, merged))
	}
	return nil
}

// rareInRound is the change since which a pull request is read rarely during a round whose history is long.
const rareInRound = "rare-in-round"

// rarest is how often it is read then.
const rarest = 24 * time.Hour

// rare tells whether the history is long and can't begin anew: a round may wait for a person for weeks, and the server ends a workflow whose
// history has grown too long. What a wake-up is about is read after the round, but for the pull request's end.
func (po *poller) rare(ctx workflow.Context) bool {
	return po.waits() && workflow.GetInfo(ctx).GetContinueAsNewSuggested() &&
		workflow.GetVersion(ctx, rareInRound, workflow.DefaultVersion, 1) >= 1
}

// waits tells whether a round waits: for its turn, for a person or for a quota.
func (po *poller) waits() bool {
	return po.busy && slices.Contains([]task.Phase{task.Queued, task.Suspended, task.Waiting}, po.status.Phase)
}

// next waits for a wake-up, and a while longer for what comes with it, or until the time is up.
func (po *poller) next(ctx workflow.Context, wait time.Duration, seen int) error {
	woken := func() bool { return po.wakes > seen }
	if po.rare(ctx) {
		wait, woken = rarest, func() bool { return po.hurried || !po.waits() }
	}
	if err := timer(ctx, wait, "look at the pull request", woken); err != nil {
		return err
	}
	if po.wakes == seen {
		return nil
	}
	err := timer(ctx, po.settings.PullRequest.Batch.Std(), "collect what comes up", func() bool { return po.hurried })
	po.hurried = false
	return err
}
