package workflows

import (
	"fmt"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
)

// announcement tells chats why a round begins, in a message of its own where progress is wanted. Otherwise the card alone is edited, by the
// same signal: the settings change no command of the workflow.
func (f *follower) announcement() signals.Notice {
	if !f.settings.Notify.Progress {
		return signals.Notice{}
	}
	return signals.Notice{Subject: signals.SubjectNews}
}

// news says what people and checks have said at the pull request, in one line.
func (wl *worklist) news(items []forge.Item) string {
	var parts, failed []string
	if wl.merges() {
		parts = append(parts, "it conflicts with "+wl.snapshot.Base)
	}
	for _, i := range items {
		if i.Kind == forge.CheckItem {
			failed = append(failed, quoted(strings.TrimPrefix(i.Key, "check:")))
		} else if said := said(i); !slices.Contains(parts, said) {
			parts = append(parts, said)
		}
	}
	switch len(failed) {
	case 0:
	case 1:
		parts = append(parts, "the check "+failed[0]+" failed")
	default:
		parts = append(parts, "checks failed: "+strings.Join(failed, ", "))
	}
	return strings.Join(parts, "; ")
}

// said tells who has said something, and what kind of thing.
func said(i forge.Item) string {
	by := excerpt.Line(i.By, 80)
	if by == "" {
		by = "somebody"
	}
	switch {
	case i.Kind == forge.ReviewItem && i.Change:
		return "reviewed by " + by + ": changes requested"
	case i.Kind == forge.ReviewItem:
		return "reviewed by " + by
	case i.Kind == forge.ThreadItem:
		return fmt.Sprintf("%s commented on %s, line %d", by, quoted(i.Path), i.Line)
	}
	return by + " commented"
}
