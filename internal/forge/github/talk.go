package github

import (
	"context"
	"errors"
	"net/http"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

// React implements forge.Talker with the reaction "eyes". After a lost answer the reaction may be from this call, so fresh is then
// true: a command that is carried out twice does less harm than one that is missed.
func (f *Forge) React(ctx context.Context, r task.Repository, comment int64) (fresh bool, err error) {
	s, err := f.visit(ctx, r)
	if err != nil {
		return false, err
	}
	unsure := false
	for {
		status := 0
		err := s.once(ctx, func(c *gh.Client) (*gh.Response, error) {
			_, resp, err := c.Reactions.CreateIssueCommentReaction(ctx, s.owner, s.name, comment, "eyes")
			if err == nil {
				status = resp.StatusCode
			}
			return resp, err
		})
		switch {
		case err == nil:
			return unsure || status == http.StatusCreated, nil
		case answered(err, http.StatusNotFound, http.StatusGone):
			return false, fault.New(fault.NotFound, "GitHub: comment %d in %s/%s is not there, or the token can't see it: %w",
				comment, s.owner, s.name, err).WithHint("somebody may have deleted it")
		}
		unsure = unsure || mayHaveHappened(err)
		if again, err := s.again(ctx, "react to a comment", err); !again {
			return false, err
		}
	}
}

// mayHaveHappened tells whether a failed request may have taken effect.
func mayHaveHappened(err error) bool {
	var p *problem
	return errors.As(err, &p) && p.passing && !p.limited
}

// Comment implements forge.Talker. It looks for its hidden mark before it writes, and again after that: of two it removes its own.
// Marks count only in comments of the token's account, because anybody can write one.
func (t *tracker) Comment(ctx context.Context, r task.Repository, number int, key, text string) error {
	if key == "" || number <= 0 {
		return fault.New(fault.Internal, "a comment needs a number and a key")
	}
	i, err := t.visitIssue(ctx, r, number)
	if err != nil {
		return err
	}
	body := forge.CommentText(text)
	if body == "" {
		return fault.New(fault.Internal, "a comment needs a text")
	}
	body += "\n\n" + noteMark(key)
	own := comments{i}
	for {
		if said, err := own.find(ctx, key); err != nil || said != nil {
			return err
		}
		if again, err := own.write(ctx, key, body); !again {
			return err
		}
	}
}
