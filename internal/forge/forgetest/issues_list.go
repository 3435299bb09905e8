package forgetest

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// listIssues gives issues and pull requests, as GitHub does.
func (g *GitHub) listIssues(repo *Repository, r *http.Request) answer {
	q := r.URL.Query()
	since, a, bad := sinceOf(q)
	if bad {
		return a
	}
	var found []*issue
	for _, i := range append(pullsAsIssues(repo), repo.issues...) {
		if last := repo.lastComment(i.Number); last.After(i.Updated) {
			i.Updated = last
		}
		switch {
		case i.gone || i.moved != "" || i.Updated.Before(since):
		case q.Get("state") != "all" && i.State != cmp.Or(q.Get("state"), "open"):
		case q.Get("assignee") != "" && !has(i.Assignees, q.Get("assignee")):
		case q.Get("labels") != "" && slices.ContainsFunc(strings.Split(q.Get("labels"), ","), func(l string) bool { return !has(i.Labels, l) }):
		default:
			found = append(found, i)
		}
	}
	sorted(found, q, func(i *issue) (created, updated time.Time) { return i.Created, i.Updated })
	return g.pageOf(len(found), r.URL, func(n int) any { return g.issueBody(repo, found[n]) })
}

// sinceOf reads the time from which on things count. GitHub gives whole seconds.
func sinceOf(q url.Values) (time.Time, answer, bool) {
	if q.Get("since") == "" {
		return time.Time{}, answer{}, false
	}
	since, err := time.Parse(time.RFC3339, q.Get("since"))
	if err != nil {
		return since, refuse(http.StatusUnprocessableEntity, "Validation Failed"), true
	}
	return since, answer{}, false
}

// sorted puts a list in the order that is asked for: by default the newest first.
func sorted[T any](list []T, q url.Values, times func(T) (created, updated time.Time)) {
	slices.SortStableFunc(list, func(a, b T) int {
		ac, au := times(a)
		bc, bu := times(b)
		order := ac.Compare(bc)
		if q.Get("sort") == "updated" {
			order = au.Truncate(time.Second).Compare(bu.Truncate(time.Second))
		}
		if q.Get("direction") != "asc" {
			order = -order
		}
		return order
	})
}

// pullsAsIssues: every pull request is an issue as well.
func pullsAsIssues(r *Repository) []*issue {
	var all []*issue
	for _, p := range r.pulls {
		all = append(all, &issue{Issue: Issue{
			Number: p.Number, Title: p.Title, Body: p.Body, State: p.State, Author: p.Author, Labels: p.Labels, Created: p.Created,
			Updated: p.Created,
		}})
	}
	return all
}

// readIssue gives one issue, tells that it was deleted, or sends the caller on to where it is now.
func (g *GitHub) readIssue(repo *Repository, number int, r *http.Request) answer {
	i, a, bad := g.findIssue(repo, number, r, "")
	if bad {
		return a
	}
	return answer{status: http.StatusOK, body: g.issueBody(repo, i)}
}

func (g *GitHub) findIssue(repo *Repository, number int, r *http.Request, rest string) (*issue, answer, bool) {
	if p := repo.pull(number); p != nil {
		return pullsAsIssues(repo)[number-1], answer{}, false
	}
	switch i := repo.issue(number); {
	case i == nil:
		return nil, refuse(http.StatusNotFound, "Not Found"), true
	case i.gone:
		return nil, refuse(http.StatusGone, "This issue was deleted"), true
	case i.moved != "":
		a := refuse(http.StatusMovedPermanently, "Moved Permanently")
		prefix, _, _ := strings.Cut(r.URL.Path, "/repos/")
		a.header = http.Header{"Location": {"http://" + r.Host + prefix + i.moved + rest}}
		return nil, a, true
	default:
		return i, answer{}, false
	}
}

// issueBody is an issue as the description has it.
func (g *GitHub) issueBody(repo *Repository, i *issue) map[string]any {
	api := fmt.Sprintf("%s/api/v3/repos/%s", g.URL, repo.Name)
	m := g.object("issue", map[string]any{
		"id": 9000 + i.Number, "number": i.Number, "title": i.Title, "body": i.Body, "state": i.State, "user": g.userBody(i.Author),
		"labels": g.labels(i.Labels), "assignees": g.users(i.Assignees), "created_at": stamp(i.Created), "updated_at": stamp(i.Updated),
		"repository_url": api, "url": fmt.Sprintf("%s/issues/%d", api, i.Number), "locked": false,
		"html_url": fmt.Sprintf("%s/%s/issues/%d", g.URL, repo.Name, i.Number),
	})
	if len(i.Assignees) > 0 {
		m["assignee"] = g.userBody(i.Assignees[0])
	}
	if i.Number < firstIssue {
		page := fmt.Sprintf("%s/%s/pull/%d", g.URL, repo.Name, i.Number)
		m["html_url"] = page
		m["pull_request"] = map[string]any{
			"url": fmt.Sprintf("%s/pulls/%d", api, i.Number), "html_url": page, "diff_url": page + ".diff", "patch_url": page + ".patch",
		}
	}
	return m
}

// listEvents gives what has happened to an issue, oldest first.
func (g *GitHub) listEvents(repo *Repository, number int, r *http.Request) answer {
	i, a, bad := g.findIssue(repo, number, r, "/events")
	if bad {
		return a
	}
	list := []any{}
	for n, h := range i.events {
		fields := map[string]any{
			"id": number*1000 + n, "event": h.kind, "actor": g.userBody(h.by), "created_at": stamp(h.at), "commit_id": nil, "commit_url": nil,
		}
		switch {
		case h.kind == "renamed":
			fields["rename"] = map[string]any{"from": h.was, "to": h.what}
		case strings.HasSuffix(h.kind, "labeled"):
			fields["label"] = map[string]any{"name": h.what, "color": "ededed"}
		default:
			fields["assignee"], fields["assigner"] = g.userBody(h.what), g.userBody(h.by)
		}
		list = append(list, g.object(h.kind+"-issue-event", fields))
	}
	return g.page(list, r.URL)
}
