package github

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
)

// answer writes one answer: into its thread, or into the conversation when there is no thread or it is gone.
func (a *replies) answer(ctx context.Context, r forge.Reply) error {
	if r.Item.Kind == forge.ThreadItem {
		id, err := strconv.ParseInt(strings.TrimPrefix(r.Item.Key, "thread:"), 10, 64)
		if err != nil {
			return fault.New(fault.Internal, "%q is no thread", r.Item.Key)
		}
		err = a.write(ctx, "answer a thread", []string{r.Key}, func(c *gh.Client) (*gh.Response, error) {
			_, resp, err := a.inThread(ctx, c, id, r.InThread())
			return resp, err
		})
		if !answered(err, http.StatusNotFound, http.StatusUnprocessableEntity) {
			return err
		}
		a.log.Debug("GitHub: a thread takes no answer", "thread", id, "error", err)
	}
	return a.say(ctx, []string{r.Key}, r.InConversation())
}

// inThread sends only the fields that GitHub's API description has; the library would send more, to another address.
func (a *replies) inThread(ctx context.Context, c *gh.Client, id int64, body string) (*gh.PullRequestComment, *gh.Response, error) {
	req, err := c.NewRequest(http.MethodPost, a.path("pulls/%d/comments/%d/replies", a.number, id), map[string]string{"body": body})
	if err != nil {
		return nil, nil, err
	}
	var made *gh.PullRequestComment
	resp, err := c.Do(ctx, req, &made)
	return made, resp, err
}

// answerChecks writes one comment for all checks that have no answer yet.
func (a *replies) answerChecks(ctx context.Context, checks []forge.Reply) error {
	checks = slices.DeleteFunc(checks, func(r forge.Reply) bool { return a.existing[r.Key] })
	if len(checks) == 0 {
		return nil
	}
	var keys []string
	for _, r := range checks {
		keys = append(keys, r.Key)
	}
	return a.say(ctx, keys, forge.ChecksInConversation(checks))
}

// say writes a comment into the conversation.
func (a *replies) say(ctx context.Context, keys []string, body string) error {
	return a.write(ctx, "write a comment", keys, func(c *gh.Client) (*gh.Response, error) {
		_, resp, err := c.Issues.CreateComment(ctx, a.owner, a.name, a.number, &gh.IssueComment{Body: &body})
		return resp, err
	})
}

// write makes a request that must not be made twice, unless its marks exist already.
func (a *replies) write(ctx context.Context, what string, keys []string, do func(c *gh.Client) (*gh.Response, error)) error {
	for {
		if a.existing[keys[0]] {
			return nil
		}
		err := a.once(ctx, do)
		if err == nil {
			for _, k := range keys {
				a.existing[k] = true
			}
			return nil
		}
		again, failed := a.again(ctx, what, err)
		if !again {
			return failed
		}
		if mayHaveHappened(err) {
			if err := a.load(ctx); err != nil {
				return err
			}
		}
	}
}
