package github

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	gh "github.com/google/go-github/v66/github"
)

// comments are those of an issue or pull request that our own account has written. Marks count in no others: anybody can write one.
type comments struct{ issue }

// each goes through the comments, oldest first, until visit returns false. Without a name, as the token of an
// app, ours are those that bots wrote.
func (c comments) each(ctx context.Context, visit func(comment *gh.IssueComment) bool) error {
	me, err := c.meIfAny(ctx)
	if err != nil {
		return err
	}
	path := c.path("issues/%d/comments?per_page=100", c.number)
	for page := 1; page != 0; {
		a, err := get[[]*gh.IssueComment](ctx, c.session, "list comments", pageOf(path, page), "")
		if answered(err, http.StatusNotFound, http.StatusGone) {
			return c.missing(err)
		}
		if err != nil {
			return err
		}
		for _, comment := range a.value {
			ours := strings.EqualFold(comment.GetUser().GetLogin(), me)
			if me == "" {
				ours = comment.GetUser().GetType() == "Bot"
			}
			if ours && !visit(comment) {
				return nil
			}
		}
		page = a.next
	}
	return nil
}

// find gives the comment of a key, or nil.
func (c comments) find(ctx context.Context, key string) (found *gh.IssueComment, err error) {
	err = c.each(ctx, func(comment *gh.IssueComment) bool {
		if hasLine(comment.GetBody(), noteMark(key)) {
			found = comment
		}
		return found == nil
	})
	return found, err
}

// write writes a comment once. It tells whether the caller is to look for its mark and try again, as it must when it can't be
// known whether the comment was written.
func (c comments) write(ctx context.Context, body string) (again bool, err error) {
	err = c.once(ctx, func(client *gh.Client) (*gh.Response, error) {
		_, resp, err := client.Issues.CreateComment(ctx, c.owner, c.name, c.number, &gh.IssueComment{Body: &body})
		return resp, err
	})
	switch {
	case err == nil:
		return false, nil
	case answered(err, http.StatusNotFound, http.StatusGone):
		return false, c.missing(err)
	}
	return c.again(ctx, "write a comment", err)
}

// edit replaces the text of a comment.
func (c comments) edit(ctx context.Context, id int64, body string) error {
	return c.repeat(ctx, "edit a comment", func(client *gh.Client) (*gh.Response, error) {
		_, resp, err := client.Issues.EditComment(ctx, c.owner, c.name, id, &gh.IssueComment{Body: &body})
		return resp, err
	})
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
