package github

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	gh "github.com/google/go-github/v66/github"
)

// comments are the comments of the token's account on an issue or pull request. Hidden marks count only in these, because anybody can
// write one.
type comments struct{ issue }

// each calls visit for the comments, oldest first, until visit returns false. The token of an app has no account name: then all
// comments by bots are visited.
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

// find returns the comment with the mark of a key, or nil.
func (c comments) find(ctx context.Context, key string) (found *gh.IssueComment, err error) {
	err = c.each(ctx, func(comment *gh.IssueComment) bool {
		if hasLine(comment.GetBody(), noteMark(key)) {
			found = comment
		}
		return found == nil
	})
	return found, err
}

// write makes one attempt to write a comment with the mark of a key. When again is set, the caller looks for the mark and tries again,
// because the comment may have been written, by this attempt or by another.
func (c comments) write(ctx context.Context, key, body string) (again bool, err error) {
	var written *gh.IssueComment
	err = c.once(ctx, func(client *gh.Client) (resp *gh.Response, err error) {
		written, resp, err = client.Issues.CreateComment(ctx, c.owner, c.name, c.number, &gh.IssueComment{Body: &body})
		return resp, err
	})
	switch {
	case err == nil:
		return c.twin(ctx, key, written.GetID())
	case answered(err, http.StatusNotFound, http.StatusGone):
		return false, c.missing(err)
	}
	return c.again(ctx, "write a comment", err)
}

// twin removes a comment that was just written when there is an older one with the mark, and tells so. A worker that was stopped after it
// had looked for the mark writes once it goes on, and another may have done its work meanwhile.
func (c comments) twin(ctx context.Context, key string, id int64) (removed bool, err error) {
	first, err := c.find(ctx, key)
	if err != nil || first == nil || first.GetID() == id {
		return false, err
	}
	err = c.unsay(ctx, id)
	return err == nil, err
}

// unsay removes a comment of a conversation. One that is gone is no error.
func (s *session) unsay(ctx context.Context, id int64) error {
	return unlessGone(s.repeat(ctx, "remove a comment", func(client *gh.Client) (*gh.Response, error) {
		return client.Issues.DeleteComment(ctx, s.owner, s.name, id)
	}))
}

// unlessGone is the error of a request that removes something, nil when that is gone already.
func unlessGone(err error) error {
	if answered(err, http.StatusNotFound, http.StatusGone) {
		return nil
	}
	return err
}

func (c comments) edit(ctx context.Context, id int64, body string) error {
	return c.repeat(ctx, "edit a comment", func(client *gh.Client) (*gh.Response, error) {
		_, resp, err := client.Issues.EditComment(ctx, c.owner, c.name, id, &gh.IssueComment{Body: &body})
		return resp, err
	})
}

func noteMark(key string) string { return "<!-- longshift:note=" + url.PathEscape(key) + " -->" }

// hasLine tells whether the mark is a line of the text. Editing in a browser changes line ends.
func hasLine(text, mark string) bool {
	for l := range strings.Lines(text) {
		if strings.TrimSpace(l) == mark {
			return true
		}
	}
	return false
}
