package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/signals"
)

// judge runs a command that judges the work, in a tree in which setup has run, and which was checked out when clean is set. One that a host has run
// which took the task over meanwhile says nothing: what setup makes is not there.
func (ck *checks) judge(ctx workflow.Context, clean bool, run func() (*signals.Check, error)) (*signals.Check, error) {
	for {
		prepare := ck.setupAnew
		if clean && ck.unclean(ctx) {
			prepare = ck.checkOut
		}
		if err := prepare(ctx); err != nil {
			return nil, err
		}
		if c, err := run(); err != nil || !ck.bare(ctx) && !(clean && ck.unclean(ctx)) {
			return c, err
		}
	}
}

// insistsOnCheckout is the change since which a checkout that fails parks the task: all of its work may be done.
const insistsOnCheckout = "insists-on-checkout"

// checkOut takes everything out of the workspace that is not committed, and sets it up again for commands whose result is evidence.
func (ck *checks) checkOut(ctx workflow.Context) error {
	run := func() error {
		return ck.runner.inGit(ctx, "check out "+short(ck.status.Head), git.CheckOut, func() any { return ck.ref() }, nil)
	}
	err := run()
	if err != nil && !isLost(err) && workflow.GetVersion(ctx, insistsOnCheckout, workflow.DefaultVersion, 1) >= 1 {
		err = ck.parking.insist(ctx, run)
	}
	if err != nil {
		return err
	}
	ck.cleanIn = ck.runner.made
	return ck.setUp(ctx, true)
}

// cleanAnew is the change since which a host that takes the task over between clean proofs checks the work out anew, too.
const cleanAnew = "clean-anew"

// unclean tells whether the work tree is not the one that was checked out.
func (ck *checks) unclean(ctx workflow.Context) bool {
	return ck.cleanIn != ck.runner.made && workflow.GetVersion(ctx, cleanAnew, workflow.DefaultVersion, 1) >= 1
}
