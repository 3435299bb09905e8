package workflows

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// slowest is the longest pause between two polls of a pull request without a wake-up.
const slowest = time.Hour

// todo returns the open items. Failed checks wait until the others have ended: one round for all of them. Then there are no items yet, and waits
// is true.
func (f *follower) todo() (items []forge.Item, waits bool) {
	people := false
	for _, i := range f.poller.snapshot.Items {
		if f.going.Done[i.Key] == answers(i) || i.Kind == forge.CommentItem && forge.IsPlainOrder(i.Text) {
			continue
		}
		people = people || i.Kind != forge.CheckItem
		items = append(items, i)
	}
	if !people && f.poller.snapshot.Pending > 0 {
		return nil, len(items) > 0
	}
	return items, false
}

// failuresWait is the change since which a pull request keeps its question while failed checks wait for others.
const failuresWait = "failures-wait"

// keeps tells whether everything stays as it is until the pending checks have ended, because failed ones wait for them: the question to a person, the
// check run, and what they are about. A new conflict is worked on meanwhile.
func (f *follower) keeps(ctx workflow.Context, waits bool) bool {
	p := f.going.Parked
	switch {
	case !waits || f.merges() || f.conflict() && p == nil:
		return false
	case p != nil && (p.Reason == signals.ReasonAccess && p.About == "" || p.Head != "" && p.Head != f.poller.snapshot.Head):
		return false // it can be read again, or somebody has pushed
	}
	return workflow.GetVersion(ctx, failuresWait, workflow.DefaultVersion, 1) >= 1
}

// answers names the state of an item that a reply answers: a thread that continues has a new one.
func answers(i forge.Item) string {
	if i.Kind == forge.CheckItem {
		return i.Sign
	}
	return fmt.Sprint(i.Last)
}

// conflict tells whether the branch can't be merged into its base.
func (f *follower) conflict() bool {
	return f.poller.snapshot.Mergeable != nil && !*f.poller.snapshot.Mergeable
}

// stuck tells whether the conflict is still the one that a round has worked on.
func (f *follower) stuck() bool {
	_, tried := f.going.Tried[conflictKey(f.poller.snapshot.BaseHead)]
	return tried && f.conflict()
}

// merges tells whether a round begins with merging the base.
func (f *follower) merges() bool { return f.conflict() && !f.stuck() }

func conflictKey(base string) string { return "conflict:" + base }

// what names an item in a sentence, for people. Others choose the names of checks and files: they are cut, and on one line.
func what(i forge.Item) string {
	switch i.Kind {
	case forge.CheckItem:
		return "the check " + quoted(strings.TrimPrefix(i.Key, "check:")) + " failed"
	case forge.ThreadItem:
		return fmt.Sprintf("a review comment on %s, line %d", quoted(i.Path), i.Line)
	}
	return kindOfItem(i)
}

// kindOfItem names an item without any text of others, which must not be in an agent's instructions.
func kindOfItem(i forge.Item) string {
	switch i.Kind {
	case forge.CheckItem:
		return "a failed check"
	case forge.ThreadItem:
		return "a review comment on a line"
	case forge.ReviewItem:
		return "a review"
	}
	return "a comment"
}

func quoted(name string) string {
	return strconv.Quote(excerpt.Line(name, 80))
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

// ended notes the end of the pull request, and stops the round.
func (f *follower) ended(ctx workflow.Context, l forge.Snapshot) {
	if f.pullEnded != "" { // the poller and a round may see it at the same time
		return
	}
	f.pullEnded = task.PullClosed
	if l.State == forge.Merged {
		f.pullEnded = task.PullMerged
	}
	by := ""
	if l.MergedBy != "" {
		by = " by " + l.MergedBy
	}
	f.journal.say(ctx, "pull_request", "%s%s", f.pullEnded, by)
	f.stop()
}
