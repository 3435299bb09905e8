package forgetest

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Reactions gives the reactions to a comment, each as name and content.
func (g *GitHub) Reactions(repo string, comment int64) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.repo(repo).reactions[comment])
}

// listComments gives what was said at all issues and pull requests of a repository.
func (g *GitHub) listComments(repo *Repository, r *http.Request) answer {
	q := r.URL.Query()
	since, a, bad := sinceOf(q)
	if bad {
		return a
	}
	type placed struct {
		*Comment
		number int
	}
	var found []placed
	talk := repo.feedback().comments
	for _, number := range slices.Sorted(maps.Keys(talk)) {
		for _, c := range talk[number] {
			if !c.changed().Before(since) {
				found = append(found, placed{c, number})
			}
		}
	}
	sorted(found, q, func(p placed) (created, updated time.Time) { return p.At, p.changed() })
	list := []any{}
	for _, p := range found {
		m := g.commentBody(repo, p.number, p.Comment)
		if p.number < firstIssue {
			m["html_url"] = strings.Replace(m["html_url"].(string), "/issues/", "/pull/", 1)
		}
		list = append(list, m)
	}
	return g.page(list, r.URL)
}

// lastComment is when something was said last at an issue: that changes the issue as well.
func (r *Repository) lastComment(number int) time.Time {
	var last time.Time
	for _, c := range r.feedback().comments[number] {
		if c.changed().After(last) {
			last = c.changed()
		}
	}
	return last
}

// react adds a reaction, or finds the same one of the same account.
func (g *GitHub) react(repo *Repository, comment string, body []byte) answer {
	var in struct{ Content string }
	g.read(body, &in)
	id, _ := strconv.ParseInt(comment, 10, 64)
	known := false
	for _, list := range repo.feedback().comments {
		known = known || slices.ContainsFunc(list, func(c *Comment) bool { return c.ID == id })
	}
	if !known {
		return refuse(http.StatusNotFound, "Not Found")
	}
	a := answer{status: http.StatusOK, body: g.object("reaction", map[string]any{
		"id": id*10 + 1, "content": in.Content, "user": g.userBody(g.user), "created_at": stamp(g.now()),
	})}
	if text := g.user + " " + in.Content; !slices.Contains(repo.reactions[id], text) {
		if repo.reactions == nil {
			repo.reactions = map[int64][]string{}
		}
		repo.reactions[id] = append(repo.reactions[id], text)
		a.status = http.StatusCreated
	}
	return a
}
