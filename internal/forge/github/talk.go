package github

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/task"
)

// React implements forge.Talker with a pair of eyes. When an answer was lost on the way, the mark may be this call's own: it is then
// said to be fresh, for a command that is heard twice does less harm than one that nobody hears.
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

// mayHaveHappened tells whether a request that failed can have taken effect all the same.
func mayHaveHappened(err error) bool {
	var p *problem
	return errors.As(err, &p) && p.passing && !p.limited
}

// Comment implements forge.Talker. It looks for its hidden mark before it writes, and again when it can't know whether the
// comment was written. Marks count in comments of the token's own account only: anybody can write one.
func (f *Forge) Comment(ctx context.Context, r task.Repository, number int, key, text string) error {
	if key == "" || number <= 0 {
		return fault.New(fault.Internal, "a comment needs a number and a key")
	}
	s, err := f.visit(ctx, r)
	if err != nil {
		return err
	}
	_, body := forge.Compose(forge.Summary{Title: "Note", Overview: text})
	if body == "" {
		return fault.New(fault.Internal, "a comment needs a text")
	}
	body += "\n\n" + noteMark(key)
	for {
		if said, err := s.note(ctx, number, key); err != nil || said != nil {
			return err
		}
		if again, err := s.writeComment(ctx, number, body); !again {
			return err
		}
	}
}

// writeComment writes a comment once. It tells whether the caller is to look for its mark and try again, as it must when it can't be
// known whether the comment was written.
func (s *session) writeComment(ctx context.Context, number int, body string) (again bool, err error) {
	err = s.once(ctx, func(c *gh.Client) (*gh.Response, error) {
		_, resp, err := c.Issues.CreateComment(ctx, s.owner, s.name, number, &gh.IssueComment{Body: &body})
		return resp, err
	})
	switch {
	case err == nil:
		return false, nil
	case answered(err, http.StatusNotFound, http.StatusGone):
		return false, s.noSuchIssue(number, err)
	}
	return s.again(ctx, "write a comment", err)
}

func (s *session) noSuchIssue(number int, err error) error {
	return fault.New(fault.NotFound, "GitHub: %s/%s#%d is not there, or the token can't see it: %w", s.owner, s.name, number, err).
		WithHint("a fine-grained token must list the repository and have \"Issues: write\"")
}

// noteMark is the hidden mark of a key.
func noteMark(key string) string { return "<!-- longshift:note=" + url.PathEscape(key) + " -->" }

// hasLine tells whether a text has a line of its own for the mark. The browser may have changed the ends of the lines.
func hasLine(text, mark string) bool {
	for l := range strings.Lines(text) {
		if strings.TrimSpace(l) == mark {
			return true
		}
	}
	return false
}
