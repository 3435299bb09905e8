package workflows

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// slowest is how seldom a quiet pull request is looked at, when no webhook tells.
const slowest = time.Hour

// watch reads the pull request, again and again: soon after somebody has told us to, and from time to time because a message may get
// lost. When it is merged or closed, whatever is being done ends.
func (f *follower) watch(ctx workflow.Context) {
	poll := f.settings.PullRequest.Poll.Std()
	for wait, heard := time.Duration(0), f.wakes; ; {
		if err := f.nextLook(ctx, wait, heard); err != nil {
			return
		}
		heard = f.wakes // what comes while we look may be newer than what we see
		in := activities.LookInput{Repository: f.repo, Number: f.in.Number, Stamp: f.going.Stamp}
		f.begun++
		at := f.begun
		if f.at < f.after {
			in.Stamp = ""
		}
		var l forge.Look
		err := workflow.ExecuteActivity(f.control(ctx, fmt.Sprintf("look at #%d", f.in.Number)), desk.LookAtPullRequest, in).Get(ctx, &l)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			f.unreadable(ctx, err)
			wait = slowest
			continue
		case l.Unchanged:
			wait = min(max(2*wait, poll), max(poll, slowest))
			continue
		}
		wait, f.unread = poll, 0
		f.going.Stamp, f.look = l.Stamp, l
		f.status.Base, f.looks, f.at = l.Base, f.looks+1, at
		if l.State != forge.Open {
			f.ended(ctx, l)
			return
		}
	}
}

// mostUnread is how many looks in a row may fail, each after all its tries, until a person is asked.
const mostUnread = 3

func (f *follower) unreadable(ctx workflow.Context, err error) {
	f.say(ctx, "error", "the pull request can't be read: %s", firstLine(message(err)))
	if f.unread++; f.unread >= mostUnread && f.going.Parked == nil {
		f.park(ctx, signals.ReasonAccess, "the pull request can't be read: "+message(err))
	}
}

// nextLook waits for a wake-up, and a while longer for what comes with it, or until the time is up.
func (f *follower) nextLook(ctx workflow.Context, wait time.Duration, heard int) error {
	if err := f.timer(ctx, wait, "look at the pull request", func() bool { return f.wakes > heard }); err != nil {
		return err
	}
	if f.wakes == heard {
		return nil
	}
	return f.timer(ctx, f.settings.PullRequest.Batch.Std(), "collect what comes up", func() bool { return false })
}

// ended notes the end of the pull request, and ends what is being done about it.
func (f *follower) ended(ctx workflow.Context, l forge.Look) {
	f.pullEnded = task.PullClosed
	if l.State == forge.Merged {
		f.pullEnded = task.PullMerged
	}
	by := ""
	if l.MergedBy != "" {
		by = " by " + l.MergedBy
	}
	f.say(ctx, "pull_request", "%s%s", f.pullEnded, by)
	f.stop()
}

// todo is what there is to do now. Failed checks are waited for until the others have ended too: one round for all of them.
func (f *follower) todo() []forge.Item {
	var items []forge.Item
	people := false
	for _, i := range f.look.Items {
		if f.going.Done[i.Key] == answers(i) || i.Kind == forge.CommentItem && forge.IsOrder(i.Text) {
			continue
		}
		people = people || i.Kind != forge.CheckItem
		items = append(items, i)
	}
	if !people && f.look.Pending > 0 {
		return nil
	}
	return items
}

// answers names what an item says now: a thread that goes on says something new.
func answers(i forge.Item) string {
	if i.Kind == forge.CheckItem {
		return i.Sign
	}
	return fmt.Sprint(i.Last)
}

// conflict tells whether the branch can't be merged into its base.
func (f *follower) conflict() bool { return f.look.Mergeable != nil && !*f.look.Mergeable }

func conflictKey(base string) string { return "conflict:" + base }

// what names an item in a sentence, for people. Names of checks and files are chosen by others: they are cut, and on one line.
func what(i forge.Item) string {
	switch i.Kind {
	case forge.CheckItem:
		return "the check " + quoted(strings.TrimPrefix(i.Key, "check:")) + " failed"
	case forge.ThreadItem:
		return fmt.Sprintf("a review comment on %s, line %d", quoted(i.Path), i.Line)
	}
	return kindOfItem(i)
}

// kindOfItem says what an item is without any word of others: what agents are ordered must not hold such.
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
	return strconv.Quote(clip(strings.Join(strings.Fields(name), " "), 80))
}
