package workflows

import (
	"fmt"
	"slices"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
)

// aside is the change since which a check or a conflict that a round could not mend keeps nobody else waiting.
const aside = "aside"

// mergesAlone is the change since which a new conflict is resolved although a round could not mend any of the failed checks.
const mergesAlone = "merges-alone"

// untried leaves out what is unchanged after a round of work on it, where there is something else to do. It tells whether it has.
func (f *follower) untried(ctx workflow.Context, items []forge.Item) ([]forge.Item, bool) {
	left := slices.DeleteFunc(slices.Clone(items), func(i forge.Item) bool { return f.inVain(i) != "" })
	if len(left) == 0 && len(items) > 0 && f.merges() && workflow.GetVersion(ctx, mergesAlone, workflow.DefaultVersion, 1) >= 1 {
		return nil, true
	}
	if len(left) == 0 || len(left) == len(items) && !f.stuck() || workflow.GetVersion(ctx, aside, workflow.DefaultVersion, 1) < 1 {
		return items, false
	}
	return left, true
}

// inVain returns the head at which a round has worked on the failed check as it is, "" for none.
func (f *follower) inVain(i forge.Item) string {
	if i.Kind != forge.CheckItem {
		return ""
	}
	return f.going.Tried[i.Key+":"+i.Sign]
}

// blocked says why no round may begin: an item is unchanged after a round of work on it and nothing else is to be done, or all rounds are
// used up.
func (f *follower) blocked(items []forge.Item, others bool) (signals.Reason, string) {
	for _, i := range items {
		if head := f.inVain(i); head != "" {
			return signals.ReasonBlocker, fmt.Sprintf("%s in the same way on %s as it did on %s, after a round of work on it", what(i),
				short(f.poller.snapshot.Head), short(head))
		}
	}
	if f.stuck() && !others {
		return signals.ReasonBlocker, fmt.Sprintf("the conflict with %s at %s remains after a round of work on it", f.poller.snapshot.Base,
			short(f.poller.snapshot.BaseHead))
	}
	if most := f.settings.PullRequest.Rounds; f.going.Rounds >= most {
		return signals.ReasonRounds, fmt.Sprintf("%d rounds are used up; %s", most, f.aim(items))
	}
	return "", ""
}

func (f *follower) aim(items []forge.Item) string {
	var parts []string
	if f.merges() {
		parts = append(parts, "a conflict with "+f.poller.snapshot.Base)
	}
	for _, i := range items {
		parts = append(parts, what(i))
	}
	return strings.Join(parts, ", ")
}

// mended is the change since which a round on a failed check no longer counts as tried once the check has passed.
const mended = "mended"

// forgetMended forgets the rounds on checks that have passed since: when one fails again, that is news.
func (f *follower) forgetMended(ctx workflow.Context) {
	gone := slices.DeleteFunc(workflow.DeterministicKeys(f.going.Tried), func(tried string) bool {
		key := triedCheck(tried)
		return !slices.Contains(f.poller.snapshot.PassedKeys, key) || slices.ContainsFunc(f.poller.snapshot.Items, func(i forge.Item) bool {
			return i.Key == key
		})
	})
	if len(gone) == 0 || workflow.GetVersion(ctx, mended, workflow.DefaultVersion, 1) < 1 {
		return
	}
	for _, tried := range gone {
		delete(f.going.Tried, tried)
	}
}

// triedChecks lists the keys of the checks that rounds have worked on.
func (f *follower) triedChecks() (keys []string) {
	for _, tried := range workflow.DeterministicKeys(f.going.Tried) {
		if strings.HasPrefix(tried, "check:") {
			keys = append(keys, triedCheck(tried))
		}
	}
	return slices.Compact(keys)
}

// triedCheck is the key of the check behind an entry of Tried, which ends with the sign of its failure.
func triedCheck(tried string) string { return tried[:max(0, strings.LastIndex(tried, ":"))] }
