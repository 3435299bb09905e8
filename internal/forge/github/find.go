package github

import (
	"cmp"
	"context"
	"strings"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
)

// find returns the pull request of this task, or nil. An open one of somebody else from the same branch is a fault.
func (p *publication) find(ctx context.Context) (*gh.PullRequest, error) {
	r := p.request
	all, err := p.list(ctx, cmp.Or(r.HeadOwner, p.owner), r.Head)
	if err != nil {
		return nil, err
	}
	var ours, foreign *gh.PullRequest
	fence := 0
	for _, pull := range all {
		task, n, ok := forge.FindTag(pull.GetBody())
		switch {
		case ok && task == r.TaskID:
			if ours == nil || rank(pull) > rank(ours) {
				ours, fence = pull, n
			}
		case state(pull) == forge.Open && foreign == nil:
			foreign = pull
		}
	}
	switch {
	case ours != nil && fence > r.Fence:
		return nil, fault.New(fault.Fenced, "pull request #%d was written by attempt %d of this task; this is attempt %d",
			ours.GetNumber(), fence, r.Fence)
	case ours == nil && foreign != nil:
		return nil, fault.New(fault.Changed, "pull request #%d from branch %q in %s/%s was not opened by this task",
			foreign.GetNumber(), r.Head, p.owner, p.name).
			WithHint("look at %s; close it, or give the task another branch", foreign.GetHTMLURL())
	}
	return ours, nil
}

// rank prefers the open one, then the merged one, then the newest.
func rank(p *gh.PullRequest) int {
	switch state(p) {
	case forge.Open:
		return 2_000_000_000 + p.GetNumber()
	case forge.Merged:
		return 1_000_000_000 + p.GetNumber()
	}
	return p.GetNumber()
}

// list returns every pull request from a branch of an owner's repository. GitHub ignores a filter that it does not understand and
// returns all pull requests, so the result is filtered here too.
func (p *publication) list(ctx context.Context, owner, head string) ([]*gh.PullRequest, error) {
	opts := &gh.PullRequestListOptions{State: "all", Head: owner + ":" + head, ListOptions: gh.ListOptions{PerPage: 100}}
	var found []*gh.PullRequest
	for {
		var page []*gh.PullRequest
		next := 0
		err := p.repeat(ctx, "list pull requests", func(c *gh.Client) (*gh.Response, error) {
			var resp *gh.Response
			var err error
			page, resp, err = c.PullRequests.List(ctx, p.owner, p.name, opts)
			if err == nil {
				next = resp.NextPage
			}
			return resp, err
		})
		if err != nil {
			return nil, err
		}
		for _, pull := range page {
			if pull.GetHead().GetRef() == head && strings.EqualFold(pull.GetHead().GetUser().GetLogin(), owner) {
				found = append(found, pull)
			}
		}
		if next == 0 {
			return found, nil
		}
		opts.Page = next
	}
}
