package forgetest

import (
	"fmt"
	"net/http"
	"time"
)

// repoBody is a repository as a schema of the description has it.
func (g *GitHub) repoBody(schema string, r *Repository) map[string]any {
	name := r.Name[len(r.owner())+1:]
	return g.object(schema, map[string]any{
		"id": r.id, "name": name, "full_name": r.Name, "owner": g.userBody(r.owner()), "default_branch": r.Default,
		"archived": r.Archived, "html_url": g.URL + "/" + r.Name, "url": g.URL + "/repos/" + r.Name,
	})
}

// fullBody is a repository asked for by its name: with what the token may do there, and where it comes from.
func (g *GitHub) fullBody(r *Repository) map[string]any {
	body := g.repoBody("full-repository", r)
	if !g.people.app { // which is not told
		body["permissions"] = map[string]any{"admin": false, "maintain": false, "push": !r.ReadOnly, "triage": !r.ReadOnly, "pull": true}
	}
	if r.ForkedFrom != "" {
		body["fork"], body["parent"], body["source"] = true, g.repoBody("repository", g.repo(r.ForkedFrom)), g.repoBody("repository", g.root(r))
	}
	return body
}

func (g *GitHub) userBody(login string) map[string]any {
	return g.object("simple-user", map[string]any{
		"login": login, "type": g.accountType(login), "html_url": g.URL + "/" + login, "url": g.URL + "/users/" + login,
	})
}

// pullBody is a pull request as a schema of the description has it.
func (g *GitHub) pullBody(schema string, r *Repository, p *Pull) map[string]any {
	branch := func(of *Repository, name, commit string) map[string]any {
		return map[string]any{
			"label": of.owner() + ":" + name, "ref": name, "sha": commit,
			"user": g.userBody(of.owner()), "repo": g.repoBody("repository", of),
		}
	}
	from, head := g.headOf(r, p)
	m := g.object(schema, map[string]any{
		"number": p.Number, "title": p.Title, "body": p.Body, "state": p.State, "draft": p.Draft, "locked": false,
		"created_at": stamp(p.Created), "updated_at": stamp(p.Created), "closed_at": nil, "merged_at": nil,
		"html_url":  fmt.Sprintf("%s/%s/pull/%d", g.URL, r.Name, p.Number),
		"url":       fmt.Sprintf("%s/repos/%s/pulls/%d", g.URL, r.Name, p.Number),
		"user":      g.userBody(p.Author),
		"labels":    g.labels(p.Labels),
		"head":      branch(from, p.Head, head),
		"base":      branch(r, p.Base, r.commit(p.Base)),
		"assignees": []any{}, "requested_reviewers": g.users(p.Reviewers), "requested_teams": g.teams(p.Teams),
	})
	if p.State == "closed" {
		m["closed_at"] = stamp(g.now())
	}
	if p.Merged {
		m["merged_at"] = stamp(g.now())
	}
	if schema == "pull-request" {
		m["merged"], m["mergeable"], m["merged_by"] = p.Merged, r.mergeable(p), g.account(p.MergedBy)
	}
	return m
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func (g *GitHub) labels(names []string) []any {
	list := []any{}
	for i, n := range names {
		list = append(list, g.object("label", map[string]any{"id": i + 1, "name": n, "color": "ededed", "default": false, "description": ""}))
	}
	return list
}

func (g *GitHub) users(logins []string) []any {
	list := []any{}
	for _, l := range logins {
		list = append(list, g.userBody(l))
	}
	return list
}

func (g *GitHub) teams(slugs []string) []any {
	list := []any{}
	for i, s := range slugs {
		list = append(list, g.object("team", map[string]any{"id": i + 1, "slug": s, "name": s}))
	}
	return list
}

// diffMedia asks for what a pull request changes.
const diffMedia = "application/vnd.github.diff"

// diff is what a pull request changes since its branch began. It needs a GitDir.
func (g *GitHub) diff(r *Repository, p *Pull) answer {
	_, head := g.headOf(r, p)
	out, err := r.git("diff", "--no-color", "refs/heads/"+p.Base+"..."+head)
	if err != nil {
		g.t.Errorf("diff of #%d: %v", p.Number, err)
	}
	return answer{status: http.StatusOK, diff: out + "\n"}
}
