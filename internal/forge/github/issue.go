package github

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// issue is a call of the forge about one issue, or about a pull request as GitHub treats it for comments and labels.
type issue struct {
	*session
	number int
}

func (t *tracker) visitIssue(ctx context.Context, r task.Repository, number int) (issue, error) {
	s, err := t.visit(ctx, r)
	return issue{s, number}, err
}

// read returns the issue, or nil for one that was deleted or transferred to another repository.
func (i issue) read(ctx context.Context) (*gh.Issue, error) {
	var answer *gh.Issue
	err := i.repeat(ctx, "read issue", func(c *gh.Client) (resp *gh.Response, err error) {
		answer, resp, err = c.Issues.Get(ctx, i.owner, i.name, i.number)
		return resp, err
	})
	switch {
	case answered(err, http.StatusGone):
		return nil, nil
	case answered(err, http.StatusNotFound):
		return nil, i.missing(err)
	case err != nil:
		return nil, err
	}
	here, err := i.isHere(ctx, answer)
	if err != nil || !here || answer.GetNumber() != i.number {
		return nil, err
	}
	return answer, nil
}

// isHere tells whether the issue still belongs to the repository. GitHub redirects both from an issue that was transferred and from a
// repository that was renamed.
func (i issue) isHere(ctx context.Context, answer *gh.Issue) (bool, error) {
	named := func(owner, name string) bool {
		u, err := url.Parse(answer.GetRepositoryURL())
		return err == nil && strings.HasSuffix(strings.ToLower(u.Path), strings.ToLower("/repos/"+owner+"/"+name))
	}
	if named(i.owner, i.name) {
		return true, nil
	}
	repo, err := i.repository(ctx)
	if err != nil {
		return false, err
	}
	return named(repo.GetOwner().GetLogin(), repo.GetName()), nil
}

// present reads an issue that has to exist and be no pull request.
func (i issue) present(ctx context.Context) (*gh.Issue, error) {
	answer, err := i.read(ctx)
	switch {
	case err != nil:
		return nil, err
	case answer == nil:
		return nil, fault.New(fault.NotFound, "GitHub: issue %s/%s#%d was deleted, or has moved away", i.owner, i.name, i.number).
			WithHint("name the issue where it is now")
	case answer.IsPullRequest():
		return nil, fault.New(fault.NotFound, "GitHub: %s/%s#%d is a pull request, no issue", i.owner, i.name, i.number).
			WithHint("name an issue")
	}
	return answer, nil
}

// missing is the fault for an issue that does not exist.
func (i issue) missing(err error) error {
	return fault.New(fault.NotFound, "GitHub: %s/%s#%d is not there, or the token can't see it: %w", i.owner, i.name, i.number, err).
		WithHint("a fine-grained token must list the repository and have \"Issues: write\"")
}

// events calls read for the events of the issue, oldest first.
func (i issue) events(ctx context.Context, read func(e *gh.IssueEvent)) error {
	opts := &gh.ListOptions{PerPage: 100}
	for range historyPages {
		var page []*gh.IssueEvent
		next := 0
		err := i.repeat(ctx, "list events of an issue", func(c *gh.Client) (*gh.Response, error) {
			var resp *gh.Response
			var err error
			page, resp, err = c.Issues.ListIssueEvents(ctx, i.owner, i.name, i.number, opts)
			if err == nil {
				next = resp.NextPage
			}
			return resp, err
		})
		if err != nil {
			return err
		}
		for _, e := range page {
			read(e)
		}
		if next == 0 {
			return nil
		}
		opts.Page = next
	}
	return fault.New(fault.Input, "GitHub: %s/%s#%d has more than %d events", i.owner, i.name, i.number, historyPages*100).
		WithHint("open a new issue for the work")
}
