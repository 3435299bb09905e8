package github

import (
	"context"
	"strings"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
)

type reviewers struct {
	*session
	pull *gh.PullRequest
}

// ask requests the missing reviews. A refusal is a warning.
func (r reviewers) ask(ctx context.Context, names []string, found bool) error {
	users, teams := r.missing(names)
	if len(users)+len(teams) > 0 && found {
		var err error
		if users, teams, err = r.notReviewed(ctx, users, teams); err != nil {
			return err
		}
	}
	if len(users)+len(teams) == 0 {
		return nil
	}
	err := r.request(ctx, users, teams)
	if !refused(err) {
		return err
	}
	if len(users)+len(teams) == 1 {
		r.warn("#%d: reviewer %s was refused: %v", r.pull.GetNumber(), strings.Join(append(users, teams...), ""), err)
		return nil
	}
	return r.requestEach(ctx, users, teams) // one bad name spoils the whole list
}

// requestEach requests one review at a time, so that a refused name does not prevent the others.
func (r reviewers) requestEach(ctx context.Context, users, teams []string) error {
	one := func(name string, users, teams []string) error {
		err := r.request(ctx, users, teams)
		if refused(err) {
			r.warn("#%d: reviewer %s was refused: %v", r.pull.GetNumber(), name, err)
			return nil
		}
		return err
	}
	for _, u := range users {
		if err := one(u, []string{u}, nil); err != nil {
			return err
		}
	}
	for _, t := range teams {
		if err := one(r.owner+"/"+t, nil, []string{t}); err != nil {
			return err
		}
	}
	return nil
}

func (r reviewers) request(ctx context.Context, users, teams []string) error {
	return r.repeat(ctx, "request reviewers", func(c *gh.Client) (*gh.Response, error) {
		_, resp, err := c.PullRequests.RequestReviewers(ctx, r.owner, r.name, r.pull.GetNumber(),
			gh.ReviewersRequest{Reviewers: users, TeamReviewers: teams})
		return resp, err
	})
}

// missing splits the wanted reviewers into users and teams, without the author and those who are asked already.
func (r reviewers) missing(names []string) (users, teams []string) {
	haveUsers, haveTeams := map[string]bool{}, map[string]bool{}
	for _, u := range r.pull.RequestedReviewers {
		haveUsers[strings.ToLower(u.GetLogin())] = true
	}
	for _, t := range r.pull.RequestedTeams {
		haveTeams[strings.ToLower(t.GetSlug())] = true
	}
	author := strings.ToLower(r.pull.GetUser().GetLogin())
	for _, name := range names {
		name = strings.TrimPrefix(strings.TrimSpace(name), "@")
		org, team, isTeam := strings.Cut(name, "/")
		switch {
		case !isTeam && strings.ToLower(name) == author:
			r.warn("#%d: %s has opened it and can't review it", r.pull.GetNumber(), name)
		case !isTeam:
			users = append(users, lacking([]string{name}, haveUsers)...)
		case strings.EqualFold(org, r.owner):
			teams = append(teams, lacking([]string{team}, haveTeams)...)
		default:
			r.warn("#%d: team %s is not of %s and can't review it", r.pull.GetNumber(), name, r.owner)
		}
	}
	return users, teams
}

// notReviewed leaves out those who have already reviewed, whom GitHub removes from the requested reviewers. For a team any review
// counts.
func (r reviewers) notReviewed(ctx context.Context, users, teams []string) (u, t []string, err error) {
	var reviews []*gh.PullRequestReview
	err = r.repeat(ctx, "list reviews", func(c *gh.Client) (resp *gh.Response, err error) {
		reviews, resp, err = c.PullRequests.ListReviews(ctx, r.owner, r.name, r.pull.GetNumber(), &gh.ListOptions{PerPage: 100})
		return resp, err
	})
	if err != nil {
		return nil, nil, err
	}
	done := map[string]bool{}
	for _, review := range reviews {
		done[strings.ToLower(review.GetUser().GetLogin())] = true
	}
	if len(done) > 0 {
		teams = nil
	}
	return lacking(users, done), teams, nil
}

// refused tells whether GitHub has refused for good, so that a retry would fail too.
func refused(err error) bool {
	switch fault.KindOf(err) {
	case fault.Input, fault.Denied, fault.NotFound:
		return true
	}
	return false
}
