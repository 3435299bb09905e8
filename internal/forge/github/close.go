package github

import (
	"context"
	"fmt"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

var _ forge.Closer = (*Forge)(nil)

// Close implements forge.Closer. It reads the pull request before each attempt: the one before may have succeeded without an answer.
func (f *Forge) Close(ctx context.Context, r task.Repository, number int, taskID string) (found forge.State, err error) {
	s, err := f.visit(ctx, r)
	if err != nil {
		return "", err
	}
	for {
		pull, err := s.pull(ctx, number)
		if err != nil {
			return "", err
		}
		now := state(pull)
		if found == "" {
			found = now
		}
		err = forge.MayClose(fmt.Sprintf("%s/%s#%d", s.owner, s.name, number), pull.GetBody(), taskID, now)
		if err != nil || now == forge.Closed {
			return found, err
		}
		closed := "closed"
		err = s.once(ctx, func(c *gh.Client) (*gh.Response, error) {
			_, resp, err := c.PullRequests.Edit(ctx, s.owner, s.name, number, &gh.PullRequest{State: &closed})
			return resp, err
		})
		if err == nil {
			return found, nil
		}
		if again, err := s.again(ctx, "close pull request", err); !again {
			return "", err
		}
	}
}
