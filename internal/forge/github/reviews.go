package github

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/forge"
)

// reviewed adds the reviews with a text or a request for changes, and finds out who approves.
func (l *snapshot) reviewed(ctx context.Context, reviews []*gh.PullRequestReview, lines []*gh.PullRequestComment) error {
	onLines := map[int64]bool{}
	for _, c := range lines {
		onLines[c.GetPullRequestReviewID()] = true
	}
	approved, logins := map[string]time.Time{}, map[string]string{} // by login in lower case: whose last review approves
	var asked []forge.Item
	for _, r := range reviews {
		text := forge.Clean(r.GetBody(), maxText)
		who, at, state := strings.ToLower(r.GetUser().GetLogin()), r.GetSubmittedAt().Time, r.GetState()
		switch {
		case state == "DISMISSED":
			delete(approved, who)
			continue
		case state == "COMMENTED" && text == "", state != "COMMENTED" && state != "APPROVED" && state != "CHANGES_REQUESTED":
			continue
		}
		if ok, err := l.counts(ctx, r.GetUser(), r.GetBody(), r.GetAuthorAssociation()); err != nil {
			return err
		} else if !ok {
			continue
		}
		switch state {
		case "APPROVED":
			approved[who] = at
			logins[who] = loginOf(r.GetUser())
			continue // the text of an approval is no request
		case "CHANGES_REQUESTED":
			delete(approved, who)
			if text == "" && !onLines[r.GetID()] {
				text = "(asks for changes and says no more)"
			}
		}
		if text != "" {
			asked = append(asked, forge.Item{
				Kind: forge.ReviewItem, By: loginOf(r.GetUser()), Text: text, URL: pageURL(r.GetHTMLURL()), Last: r.GetID(), At: at,
				Change: state == "CHANGES_REQUESTED",
			})
		}
	}
	for _, i := range asked {
		// A later approval settles an earlier request for changes.
		if yes, ok := approved[strings.ToLower(i.By)]; !i.Change || !ok || yes.Before(i.At) {
			l.add(i, i.Last)
		}
	}
	var latest time.Time
	for _, who := range slices.Sorted(maps.Keys(approved)) {
		if at := approved[who]; !at.Before(latest) {
			latest, l.ApprovedBy = at, logins[who]
		}
	}
	return nil
}
