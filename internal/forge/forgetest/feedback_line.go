package forgetest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// lineComments are the comments on lines as the description has them.
func (g *GitHub) lineComments(repo *Repository, p *Pull) []any {
	list := []any{}
	for _, c := range repo.feedback().lines[p.Number] {
		list = append(list, g.lineBody(repo, p, c))
	}
	return list
}

func (g *GitHub) lineBody(repo *Repository, p *Pull, c *Comment) map[string]any {
	url := fmt.Sprintf("%s/repos/%s/pulls/comments/%d", g.URL, repo.Name, c.ID)
	page := fmt.Sprintf("%s/%s/pull/%d#discussion_r%d", g.URL, repo.Name, p.Number, c.ID)
	pull := fmt.Sprintf("%s/repos/%s/pulls/%d", g.URL, repo.Name, p.Number)
	link := func(to string) map[string]any { return map[string]any{"href": to} }
	_, head := g.headOf(repo, p)
	m := g.object("pull-request-review-comment", map[string]any{
		"id": c.ID, "body": c.Body, "user": g.account(c.By), "created_at": stamp(c.At), "updated_at": stamp(c.changed()),
		"url": url, "html_url": page, "pull_request_url": pull, "path": c.Path, "diff_hunk": c.Hunk,
		"commit_id": head, "original_commit_id": head, "author_association": g.association(repo, c.By),
		"pull_request_review_id": c.Review, "original_line": max(c.Line, 7), "subject_type": "line", "side": "RIGHT",
		"_links": map[string]any{"self": link(url), "html": link(page), "pull_request": link(pull)},
	})
	if c.Line > 0 { // GitHub leaves an outdated one without
		m["line"], m["original_line"] = c.Line, c.Line
	}
	if c.ReplyTo != 0 {
		m["in_reply_to_id"] = c.ReplyTo
	}
	return m
}

// reply adds a comment of ours to a thread.
func (g *GitHub) reply(repo *Repository, p *Pull, to string, body []byte) answer {
	var in struct{ Body string }
	g.read(body, &in)
	id, _ := strconv.ParseInt(to, 10, 64)
	f := repo.feedback()
	i := slices.IndexFunc(f.lines[p.Number], func(c *Comment) bool { return c.ID == id && c.ReplyTo == 0 })
	if i < 0 {
		return refuse(http.StatusNotFound, "Not Found")
	}
	first := f.lines[p.Number][i]
	c := &Comment{ID: g.id(), By: g.user, Body: in.Body, At: g.now(), Path: first.Path, Line: first.Line, Hunk: first.Hunk, ReplyTo: id}
	f.lines[p.Number] = append(f.lines[p.Number], c)
	return answer{status: http.StatusCreated, body: g.lineBody(repo, p, c)}
}
