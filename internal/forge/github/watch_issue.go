package github

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/task"
)

// Wanted implements forge.Watcher. The one who counts is who has set the label or the assignment that stands now; who wrote the
// issue does not matter. A pull request is no issue.
func (f *Forge) Wanted(ctx context.Context, r task.Repository, number int, label string) (task.Issue, string, bool, error) {
	s, err := f.visit(ctx, r)
	if err != nil {
		return task.Issue{}, "", false, err
	}
	i, err := s.issue(ctx, number)
	if err != nil || i == nil || i.IsPullRequest() || i.GetState() != "open" {
		return task.Issue{}, "", false, err
	}
	me, err := s.meIfAny(ctx)
	if err != nil {
		return task.Issue{}, "", false, err
	}
	w := wanting{label: label, me: me}
	if !w.holds(i) {
		return task.Issue{}, "", false, nil
	}
	if err := s.eachEvent(ctx, number, w.read); err != nil {
		return task.Issue{}, "", false, err
	}
	by, _, _ := w.last(i)
	if by.GetLogin() == "" {
		return task.Issue{}, "", false, nil
	}
	return asIssue(i), by.GetLogin(), isBot(by), nil
}

// Issue implements forge.Talker. Whose it is does not matter.
func (f *Forge) Issue(ctx context.Context, r task.Repository, number int) (task.Issue, bool, error) {
	s, err := f.visit(ctx, r)
	if err != nil {
		return task.Issue{}, false, err
	}
	i, err := s.present(ctx, number)
	if err != nil {
		return task.Issue{}, false, err
	}
	return asIssue(i), i.GetState() == "open", nil
}

// asIssue is an issue without what a model may not read.
func asIssue(i *gh.Issue) task.Issue {
	title, body := forge.IssueText(i.GetTitle(), i.GetBody())
	return task.Issue{Forge: "github", Number: i.GetNumber(), Title: title, Body: body, URL: pageURL(i.GetHTMLURL())}
}

// sumOf names what an issue says, "" when that is not told.
func sumOf(i *gh.Issue) string {
	if i.GetTitle() == "" {
		return ""
	}
	return forge.IssueSum(forge.IssueText(i.GetTitle(), i.GetBody()))
}

// issue reads an issue, or gives nil for one that was deleted or has moved to another repository.
func (s *session) issue(ctx context.Context, number int) (*gh.Issue, error) {
	var i *gh.Issue
	err := s.repeat(ctx, "read issue", func(c *gh.Client) (resp *gh.Response, err error) {
		i, resp, err = c.Issues.Get(ctx, s.owner, s.name, number)
		return resp, err
	})
	switch {
	case answered(err, http.StatusGone):
		return nil, nil
	case answered(err, http.StatusNotFound):
		return nil, s.noSuchIssue(number, err)
	case err != nil:
		return nil, err
	}
	here, err := s.isHere(ctx, i)
	if err != nil || !here || i.GetNumber() != number {
		return nil, err
	}
	return i, nil
}

// isHere tells whether the issue is still one of the repository. GitHub redirects from one that was moved, as it does when the
// repository itself has a new name.
func (s *session) isHere(ctx context.Context, i *gh.Issue) (bool, error) {
	named := func(owner, name string) bool {
		u, err := url.Parse(i.GetRepositoryURL())
		return err == nil && strings.HasSuffix(strings.ToLower(u.Path), strings.ToLower("/repos/"+owner+"/"+name))
	}
	if named(s.owner, s.name) {
		return true, nil
	}
	var repo *gh.Repository
	err := s.repeat(ctx, "read repository", func(c *gh.Client) (resp *gh.Response, err error) {
		repo, resp, err = c.Repositories.Get(ctx, s.owner, s.name)
		return resp, err
	})
	if err != nil {
		return false, err
	}
	return named(repo.GetOwner().GetLogin(), repo.GetName()), nil
}
