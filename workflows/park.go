package workflows

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/forge"
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

// about names what a round is about: the branch, the base that it conflicts with, and the items as they are.
func (f *follower) about(items []forge.Item) string {
	h := sha256.New()
	fmt.Fprintln(h, f.poller.snapshot.Head)
	if f.conflict() {
		fmt.Fprintln(h, f.poller.snapshot.BaseHead)
	}
	for _, i := range items {
		fmt.Fprintf(h, "%q %q\n", i.Key, answers(i))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
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
