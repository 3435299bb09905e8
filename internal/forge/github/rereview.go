package github

import (
	"context"
	"slices"
	"strconv"
	"strings"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/forge"
)

// askAgain requests another review from those whose last review requested changes, when an item of theirs was answered. It leaves out
// those who are asked already, so a second call does nothing.
func (a *replies) askAgain(ctx context.Context, p *gh.PullRequest, answers []forge.Reply) error {
	theirs := a.answeredPeople(answers)
	if a.State != forge.Open || len(theirs) == 0 {
		return nil
	}
	reviews, err := listAt[*gh.PullRequestReview](ctx, a.snapshot, kindReviews)
	if err != nil {
		return err
	}
	wants := map[string]string{} // by login in lower case
	for _, r := range reviews {
		key := strings.ToLower(r.GetUser().GetLogin())
		switch {
		case key == "" || a.ours(r.GetUser()) || isBot(r.GetUser()):
		case r.GetState() == "CHANGES_REQUESTED":
			wants[key] = r.GetUser().GetLogin()
		case r.GetState() == "APPROVED" || r.GetState() == "DISMISSED":
			delete(wants, key)
		}
	}
	for _, u := range p.RequestedReviewers {
		delete(wants, strings.ToLower(u.GetLogin()))
	}
	var users []string
	for key, login := range wants {
		if theirs[key] {
			users = append(users, login)
		}
	}
	if len(users) == 0 {
		return nil
	}
	slices.Sort(users)
	again := reviewers{a.session, p}
	err = again.request(ctx, users, nil)
	if refused(err) {
		return again.requestEach(ctx, users, nil) // one bad name spoils the whole list
	}
	return err
}

// answeredPeople returns the authors of what was answered, by login in lower case.
func (a *replies) answeredPeople(answers []forge.Reply) map[string]bool {
	people, threads := map[string]bool{}, map[string]bool{}
	for _, r := range answers {
		switch r.Item.Kind {
		case forge.CheckItem:
			continue
		case forge.ThreadItem:
			threads[r.Item.Key] = true
		}
		people[strings.ToLower(r.Item.By)] = true
	}
	for _, c := range a.lines {
		root := c.GetInReplyTo()
		if root == 0 {
			root = c.GetID()
		}
		if threads[string(forge.ThreadItem)+":"+strconv.FormatInt(root, 10)] {
			people[strings.ToLower(c.GetUser().GetLogin())] = true
		}
	}
	delete(people, "")
	return people
}
