package workflows

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/forge"
)

// worklist is what there is to do at a pull request, as the newest snapshot shows it, and what rounds have done of it or tried in vain.
type worklist struct {
	facts
	snapshot *forge.Snapshot   // of the poller
	rounds   int               // since a person has last resumed it
	done     map[string]string // items that have been answered: key to what was answered
	tried    map[string]string // blockers that a round has worked on: name to the head at that time
}

// todo returns the open items. Failed checks wait until the others have ended: one round for all of them. Then there are no items yet,
// and waits is true.
func (wl *worklist) todo() (items []forge.Item, waits bool) {
	people := false
	for _, i := range wl.snapshot.Items {
		if wl.done[i.Key] == answers(i) || i.Kind == forge.CommentItem && forge.IsPlainOrder(i.Text) {
			continue
		}
		people = people || i.Kind != forge.CheckItem
		items = append(items, i)
	}
	if !people && wl.snapshot.Pending > 0 {
		return nil, len(items) > 0
	}
	return items, false
}

// answers names the state of an item that a reply answers: a thread that continues has a new one.
func answers(i forge.Item) string {
	if i.Kind == forge.CheckItem {
		return i.Sign
	}
	return fmt.Sprint(i.Last)
}

// conflict tells whether the branch can't be merged into its base.
func (wl *worklist) conflict() bool {
	return wl.snapshot.Mergeable != nil && !*wl.snapshot.Mergeable
}

// stuck tells whether the conflict is still the one that a round has worked on.
func (wl *worklist) stuck() bool {
	_, tried := wl.tried[conflictKey(wl.snapshot.BaseHead)]
	return tried && wl.conflict()
}

// merges tells whether a round begins with merging the base.
func (wl *worklist) merges() bool { return wl.conflict() && !wl.stuck() }

func conflictKey(base string) string { return "conflict:" + base }

// about names what a round is about: the branch, the base that it conflicts with, and the items as they are.
func (wl *worklist) about(items []forge.Item) string {
	h := sha256.New()
	fmt.Fprintln(h, wl.snapshot.Head)
	if wl.conflict() {
		fmt.Fprintln(h, wl.snapshot.BaseHead)
	}
	for _, i := range items {
		fmt.Fprintf(h, "%q %q\n", i.Key, answers(i))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

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
