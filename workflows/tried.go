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
func (wl *worklist) untried(ctx workflow.Context, items []forge.Item) ([]forge.Item, bool) {
	left := slices.DeleteFunc(slices.Clone(items), func(i forge.Item) bool { return wl.inVain(i) != "" })
	if len(left) == 0 && len(items) > 0 && wl.merges() && workflow.GetVersion(ctx, mergesAlone, workflow.DefaultVersion, 1) >= 1 {
		return nil, true
	}
	if len(left) == 0 || len(left) == len(items) && !wl.stuck() || workflow.GetVersion(ctx, aside, workflow.DefaultVersion, 1) < 1 {
		return items, false
	}
	return left, true
}

// inVain returns the head at which a round has worked on the failed check as it is, "" for none.
func (wl *worklist) inVain(i forge.Item) string {
	if i.Kind != forge.CheckItem {
		return ""
	}
	return wl.tried[i.Key+":"+i.Sign]
}

// blocked says why no round may begin: an item is unchanged after a round of work on it and nothing else is to be done, or all rounds are
// used up.
func (wl *worklist) blocked(items []forge.Item, others bool) (signals.Reason, string) {
	for _, i := range items {
		if head := wl.inVain(i); head != "" {
			return signals.ReasonBlocker, fmt.Sprintf("%s in the same way on %s as it did on %s, after a round of work on it", what(i),
				short(wl.snapshot.Head), short(head))
		}
	}
	if wl.stuck() && !others {
		return signals.ReasonBlocker, fmt.Sprintf("the conflict with %s at %s remains after a round of work on it", wl.snapshot.Base,
			short(wl.snapshot.BaseHead))
	}
	if most := wl.settings.PullRequest.Rounds; wl.rounds >= most {
		return signals.ReasonRounds, fmt.Sprintf("%d rounds are used up; %s", most, wl.aim(items))
	}
	return "", ""
}

func (wl *worklist) aim(items []forge.Item) string {
	var parts []string
	if wl.merges() {
		parts = append(parts, "a conflict with "+wl.snapshot.Base)
	}
	for _, i := range items {
		parts = append(parts, what(i))
	}
	return strings.Join(parts, ", ")
}

// mended is the change since which a round on a failed check no longer counts as tried once the check has passed.
const mended = "mended"

// forgetMended forgets the rounds on checks that have passed since: when one fails again, that is news.
func (wl *worklist) forgetMended(ctx workflow.Context) {
	gone := slices.DeleteFunc(workflow.DeterministicKeys(wl.tried), func(tried string) bool {
		key := triedCheck(tried)
		return !slices.Contains(wl.snapshot.PassedKeys, key) || slices.ContainsFunc(wl.snapshot.Items, func(i forge.Item) bool {
			return i.Key == key
		})
	})
	if len(gone) == 0 || workflow.GetVersion(ctx, mended, workflow.DefaultVersion, 1) < 1 {
		return
	}
	for _, tried := range gone {
		delete(wl.tried, tried)
	}
}

// triedItems notes that a round has worked on items. Only failed checks can come back as they were.
func (wl *worklist) triedItems(items []forge.Item) {
	for _, i := range items {
		if i.Kind == forge.CheckItem {
			wl.tried[i.Key+":"+i.Sign] = wl.snapshot.Head
		}
	}
}

// triedMerged is the change since which a round does not mark a base as tried that came while it worked.
const triedMerged = "tried-merged"

// triedMerge notes that a round has worked on a conflict: with the base that it began with and the one that it has merged, or with the
// newest one when that is among them.
func (wl *worklist) triedMerge(ctx workflow.Context, began, merged string) {
	bases, newest := []string{began, merged}, wl.snapshot.BaseHead
	if newest == began || newest == merged || workflow.GetVersion(ctx, triedMerged, workflow.DefaultVersion, 1) < 1 {
		bases = []string{newest}
	}
	for _, b := range bases {
		wl.tried[conflictKey(b)] = wl.snapshot.Head
	}
}

// triedChecks lists the keys of the checks that rounds have worked on.
func (wl *worklist) triedChecks() (keys []string) {
	for _, tried := range workflow.DeterministicKeys(wl.tried) {
		if strings.HasPrefix(tried, "check:") {
			keys = append(keys, triedCheck(tried))
		}
	}
	return slices.Compact(keys)
}

// triedCheck is the key of the check behind an entry of tried, which ends with the sign of its failure.
func triedCheck(tried string) string { return tried[:max(0, strings.LastIndex(tried, ":"))] }

// prune bounds what is remembered of long pull requests.
func (wl *worklist) prune() {
	const most = 300
	for _, m := range []map[string]string{wl.done, wl.tried} {
		keys := workflow.DeterministicKeys(m)
		for _, k := range keys[:max(0, len(keys)-most)] {
			delete(m, k)
		}
	}
}
