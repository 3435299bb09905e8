package forgetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// operate carries out a valid call and gives its answer.
func (g *GitHub) operate(rt *route, r *http.Request, body []byte) answer {
	g.mu.Lock()
	defer g.mu.Unlock()
	if rt.path == "/user" {
		return g.me()
	}
	if ofApp(rt.path) {
		return g.operateApp(rt, r)
	}
	repo := g.repo(rt.params["owner"] + "/" + rt.params["repo"])
	if repo == nil || !g.reaches(r, repo) {
		return refuse(http.StatusNotFound, "Not Found")
	}
	for _, part := range []func(*Repository, *route, *http.Request, []byte) (answer, bool){g.operateFeedback, g.operateIssues} {
		if a, done := part(repo, rt, r, body); done {
			return a
		}
	}
	var pull *Pull
	for _, name := range []string{"pull_number", "issue_number"} {
		if text, ok := rt.params[name]; ok {
			number, _ := strconv.Atoi(text)
			if pull = repo.pull(number); pull == nil {
				return refuse(http.StatusNotFound, "Not Found")
			}
		}
	}
	_, last, _ := strings.Cut(rt.path, "{repo}")
	switch r.Method + " " + last {
	case "GET ":
		return answer{status: http.StatusOK, body: g.fullBody(repo)}
	case "POST /forks":
		return g.fork(repo, body)
	case "GET /git/matching-refs/{ref}":
		return g.matching(repo, rt.params["ref"])
	case "GET /pulls":
		return g.listPulls(repo, r)
	case "POST /pulls":
		return g.createPull(repo, body)
	case "GET /pulls/{pull_number}":
		if r.Header.Get("Accept") == diffMedia {
			return g.diff(repo, pull)
		}
		return answer{status: http.StatusOK, body: g.pullBody("pull-request", repo, pull)}
	case "PATCH /pulls/{pull_number}":
		return g.editPull(repo, pull, body)
	case "GET /pulls/{pull_number}/requested_reviewers":
		return answer{status: http.StatusOK, body: map[string]any{"users": g.users(pull.Reviewers), "teams": g.teams(pull.Teams)}}
	case "POST /pulls/{pull_number}/requested_reviewers", "POST /issues/{issue_number}/labels":
		if repo.ReadOnly {
			return refuse(http.StatusForbidden, "Must have triage access to repository.")
		}
	}
	switch r.Method + " " + last {
	case "POST /pulls/{pull_number}/requested_reviewers":
		return g.requestReviewers(repo, pull, body)
	case "GET /issues/{issue_number}/labels":
		return answer{status: http.StatusOK, body: g.labels(pull.Labels)}
	case "POST /issues/{issue_number}/labels":
		return g.addLabels(pull, body)
	}
	g.t.Errorf("the server does not play %s %s", r.Method, rt.path)
	return refuse(http.StatusNotFound, "Not Found")
}

// invalid is a 422 with one entry.
func invalid(resource, field, code, message string) answer {
	entry := map[string]any{"resource": resource, "code": code}
	if field != "" {
		entry["field"] = field
	}
	if message != "" {
		entry["message"] = message
	}
	a := refuse(http.StatusUnprocessableEntity, "Validation Failed")
	a.body.(map[string]any)["errors"] = []any{entry}
	return a
}

func (g *GitHub) listPulls(repo *Repository, r *http.Request) answer {
	q := r.URL.Query()
	want := q.Get("state")
	if want == "" {
		want = "open"
	}
	owner, branch, filtered := strings.Cut(q.Get("head"), ":")
	filtered = filtered && !g.unsifted // GitHub ignores a filter without an owner
	var found []any
	for _, p := range slices.Backward(repo.pulls) {
		if want != "all" && p.State != want || filtered && (p.Head != branch || !strings.EqualFold(owner, p.owner(repo))) {
			continue
		}
		if base := q.Get("base"); base != "" && base != p.Base {
			continue
		}
		found = append(found, g.pullBody("pull-request-simple", repo, p))
	}
	return g.page(found, r.URL)
}

// page cuts a list and links to the next part.
func (g *GitHub) page(all []any, u *url.URL) answer {
	return g.pageOf(len(all), u, func(n int) any { return all[n] })
}

// pageOf is page for a list of which only the entries of the page are made. With cursors it links to a place in the list, as GitHub does
// for long ones; the page's number is then there as well, and does not count.
func (g *GitHub) pageOf(all int, u *url.URL, entry func(n int) any) answer {
	q := u.Query()
	size, err := strconv.Atoi(q.Get("per_page"))
	if err != nil {
		size = 30
	}
	size = min(size, g.pageSize)
	page, _ := strconv.Atoi(q.Get("page"))
	page = max(page, 1)
	if after, ok := strings.CutPrefix(q.Get("after"), "place-"); ok {
		page, _ = strconv.Atoi(after)
	}
	from, to := min((page-1)*size, all), min(page*size, all)
	list := []any{}
	for n := from; n < to; n++ {
		list = append(list, entry(n))
	}
	a := answer{status: http.StatusOK, body: list}
	if to < all {
		q.Set("page", strconv.Itoa(page+1))
		if g.cursors {
			q.Set("after", "place-"+strconv.Itoa(page+1))
			q.Set("page", "1")
		}
		a.header = http.Header{"Link": {fmt.Sprintf(`<%s%s?%s>; rel="next"`, g.URL, u.Path, q.Encode())}}
	}
	return a
}

func (g *GitHub) createPull(repo *Repository, body []byte) answer {
	var in struct {
		Title, Head, Base, Body string
		Draft                   bool
	}
	g.read(body, &in)
	p := Pull{Title: in.Title, Body: in.Body, Head: in.Head, Base: in.Base, Draft: in.Draft}
	if owner, branch, named := strings.Cut(in.Head, ":"); named {
		if p.Head = branch; !strings.EqualFold(owner, repo.owner()) {
			for _, f := range g.repos {
				if strings.EqualFold(f.owner(), owner) && g.root(f) == g.root(repo) {
					p.From = f.Name
				}
			}
			if p.From == "" {
				return invalid("PullRequest", "head", "invalid", "")
			}
		}
	}
	_, head := g.headOf(repo, &p)
	switch {
	case strings.TrimSpace(in.Title) == "":
		return invalid("PullRequest", "title", "missing_field", "")
	case repo.commit(in.Base) == "":
		return invalid("PullRequest", "base", "invalid", "")
	case head == "":
		return invalid("PullRequest", "head", "invalid", "")
	case !repo.ahead(in.Base, head):
		return invalid("PullRequest", "", "custom", fmt.Sprintf("No commits between %s and %s", in.Base, in.Head))
	case in.Draft && repo.NoDrafts:
		return refuse(http.StatusUnprocessableEntity, "Draft pull requests are not supported in this repository.")
	}
	if a, bad := tooLong(in.Title, in.Body); bad {
		return a
	}
	for _, other := range repo.pulls {
		if other.State == "open" && other.Head == p.Head && other.From == p.From && other.Base == in.Base {
			return invalid("PullRequest", "", "custom", fmt.Sprintf("A pull request already exists for %s:%s.", p.owner(repo), p.Head))
		}
	}
	return answer{status: http.StatusCreated, body: g.pullBody("pull-request", repo, g.add(repo, p))}
}

func tooLong(title, body string) (answer, bool) {
	switch {
	case utf8.RuneCountInString(title) > 256:
		return invalid("PullRequest", "title", "custom", "title is too long (maximum is 256 characters)"), true
	case utf8.RuneCountInString(body) > 65536:
		return invalid("PullRequest", "body", "custom", "body is too long (maximum is 65536 characters)"), true
	}
	return answer{}, false
}

func (g *GitHub) editPull(repo *Repository, p *Pull, body []byte) answer {
	in := struct{ Title, Body, State, Base *string }{}
	g.read(body, &in)
	for _, f := range []struct{ from, to *string }{{in.Title, &p.Title}, {in.Body, &p.Body}, {in.State, &p.State}, {in.Base, &p.Base}} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	if a, bad := tooLong(p.Title, p.Body); bad {
		return a
	}
	return answer{status: http.StatusOK, body: g.pullBody("pull-request", repo, p)}
}

func (g *GitHub) read(body []byte, into any) {
	if err := json.Unmarshal(body, into); err != nil {
		g.t.Errorf("read request: %v\n%s", err, body)
	}
}
