package github

import (
	"context"
	"fmt"
	"strings"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
)

// askReviewers requests the reviews that are missing. A reviewer whom GitHub refuses is a warning.
func (s *session) askReviewers(ctx context.Context, r forge.Request, p *gh.PullRequest, found bool) error {
	users, teams := s.missingReviewers(r, p)
	if len(users)+len(teams) > 0 && found {
		var err error
		if users, teams, err = s.notReviewed(ctx, p, users, teams); err != nil {
			return err
		}
	}
	if len(users)+len(teams) == 0 {
		return nil
	}
	err := s.request(ctx, p, users, teams)
	if !refused(err) {
		return err
	}
	if len(users)+len(teams) == 1 {
		s.warn("#%d: reviewer %s was refused: %v", p.GetNumber(), strings.Join(append(users, teams...), ""), err)
		return nil
	}
	return s.requestEach(ctx, p, users, teams) // one bad name spoils the whole list
}

// requestEach asks for one review at a time, so that a name that is refused stops no other.
func (s *session) requestEach(ctx context.Context, p *gh.PullRequest, users, teams []string) error {
	one := func(name string, users, teams []string) error {
		err := s.request(ctx, p, users, teams)
		if refused(err) {
			s.warn("#%d: reviewer %s was refused: %v", p.GetNumber(), name, err)
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
		if err := one(s.owner+"/"+t, nil, []string{t}); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) request(ctx context.Context, p *gh.PullRequest, users, teams []string) error {
	return s.repeat(ctx, "request reviewers", func(c *gh.Client) (*gh.Response, error) {
		_, resp, err := c.PullRequests.RequestReviewers(ctx, s.owner, s.name, p.GetNumber(),
			gh.ReviewersRequest{Reviewers: users, TeamReviewers: teams})
		return resp, err
	})
}

// missingReviewers splits the wanted reviewers into users and teams, without those who are asked already and without the author.
func (s *session) missingReviewers(r forge.Request, p *gh.PullRequest) (users, teams []string) {
	haveUsers, haveTeams := map[string]bool{}, map[string]bool{}
	for _, u := range p.RequestedReviewers {
		haveUsers[strings.ToLower(u.GetLogin())] = true
	}
	for _, t := range p.RequestedTeams {
		haveTeams[strings.ToLower(t.GetSlug())] = true
	}
	author := strings.ToLower(p.GetUser().GetLogin())
	for _, name := range r.Reviewers {
		name = strings.TrimPrefix(strings.TrimSpace(name), "@")
		org, team, isTeam := strings.Cut(name, "/")
		switch {
		case !isTeam && strings.ToLower(name) == author:
			s.warn("#%d: %s has opened it and can't review it", p.GetNumber(), name)
		case !isTeam:
			users = append(users, lacking([]string{name}, haveUsers)...)
		case strings.EqualFold(org, s.owner):
			teams = append(teams, lacking([]string{team}, haveTeams)...)
		default:
			s.warn("#%d: team %s is not of %s and can't review it", p.GetNumber(), name, s.owner)
		}
	}
	return users, teams
}

// notReviewed leaves out who has reviewed already: GitHub takes them from the list of those asked. For a team any review counts.
func (s *session) notReviewed(ctx context.Context, p *gh.PullRequest, users, teams []string) (u, t []string, err error) {
	var reviews []*gh.PullRequestReview
	err = s.repeat(ctx, "list reviews", func(c *gh.Client) (resp *gh.Response, err error) {
		reviews, resp, err = c.PullRequests.ListReviews(ctx, s.owner, s.name, p.GetNumber(), &gh.ListOptions{PerPage: 100})
		return resp, err
	})
	if err != nil {
		return nil, nil, err
	}
	done := map[string]bool{}
	for _, r := range reviews {
		done[strings.ToLower(r.GetUser().GetLogin())] = true
	}
	if len(done) > 0 {
		teams = nil
	}
	return lacking(users, done), teams, nil
}

// refused tells whether GitHub has said no for good: a retry of the task would meet the same.
func refused(err error) bool {
	switch fault.KindOf(err) {
	case fault.Input, fault.Denied, fault.NotFound:
		return true
	}
	return false
}

// path is an address below the repository.
func (s *session) path(format string, args ...any) string {
	return "repos/" + s.owner + "/" + s.name + "/" + fmt.Sprintf(format, args...)
}
