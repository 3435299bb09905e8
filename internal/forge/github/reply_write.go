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
		err = a.write(ctx, "answer a thread", r.Key, func(c *gh.Client) (ourAnswer, *gh.Response, error) {
			made, resp, err := a.inThread(ctx, c, id, r.InThread())
			return ofThread(made), resp, err
		})
		if !answered(err, http.StatusNotFound, http.StatusUnprocessableEntity) {
			return err
		}
		a.log.Debug("GitHub: a thread takes no answer", "thread", id, "error", err)
	}
	return a.say(ctx, r.Key, r.InConversation())
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
	checks = slices.DeleteFunc(checks, func(r forge.Reply) bool { return a.exists(r.Key) })
	if len(checks) == 0 {
		return nil
	}
	return a.say(ctx, checks[0].Key, forge.ChecksInConversation(checks))
}

// say writes a comment into the conversation.
func (a *replies) say(ctx context.Context, key, body string) error {
	return a.write(ctx, "write a comment", key, func(c *gh.Client) (ourAnswer, *gh.Response, error) {
		made, resp, err := c.Issues.CreateComment(ctx, a.owner, a.name, a.number, &gh.IssueComment{Body: &body})
		return ofTalk(made), resp, err
	})
}

func (a *replies) exists(key string) bool {
	_, ok := a.existing[key]
	return ok
}

// write makes a comment that must not be made twice, unless one with a mark of its exists already.
func (a *replies) write(ctx context.Context, what, key string, do func(c *gh.Client) (ourAnswer, *gh.Response, error)) error {
	for {
		if a.exists(key) {
			return nil
		}
		var made ourAnswer
		err := a.once(ctx, func(c *gh.Client) (resp *gh.Response, err error) {
			made, resp, err = do(c)
			return resp, err
		})
		if err == nil {
			a.note(made)
			a.written = append(a.written, made)
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

// removeTwins removes each comment that was just written when all that it answers has an older answer of ours (see comments.twin).
func (a *replies) removeTwins(ctx context.Context) error {
	if len(a.written) == 0 {
		return nil
	}
	if err := a.load(ctx); err != nil {
		return err
	}
	for _, c := range a.written {
		if slices.ContainsFunc(c.keys, func(key string) bool { return !a.exists(key) || a.existing[key].is(c) }) {
			continue
		}
		if err := a.unwrite(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (a *replies) unwrite(ctx context.Context, c ourAnswer) error {
	if !c.inThread {
		return a.unsay(ctx, c.id)
	}
	return unlessGone(a.repeat(ctx, "remove an answer", func(client *gh.Client) (*gh.Response, error) {
		return client.PullRequests.DeleteComment(ctx, a.owner, a.name, c.id)
	}))
}
