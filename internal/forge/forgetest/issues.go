package forgetest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// firstIssue is the number of the first issue of a repository: pull requests, which share the row of numbers, keep the low ones.
const firstIssue = 1001

type Issue struct {
	Number    int
	Title     string
	Body      string
	State     string // open or closed
	Author    string
	Labels    []string
	Assignees []string
	Created   time.Time
	Updated   time.Time
}

// issue is an Issue with what has happened to it.
type issue struct {
	Issue
	events []happening
	edits  []edit // of its body
	moved  string // address that calls are sent on to
	gone   bool
}

// happening is one event of an issue.
type happening struct {
	kind string // labeled, unlabeled, assigned, unassigned or renamed
	by   string
	what string // label or assignee, or the title
	was  string // title
	at   time.Time
}

// AddIssue opens an issue and gives its number. Its labels and assignees are put on by its author, bob unless it is named.
func (g *GitHub) AddIssue(repo string, i Issue) int {
	g.mu.Lock()
	r := g.repo(repo)
	i.Number, i.State = firstIssue+len(r.issues), "open"
	if i.Author == "" {
		i.Author = "bob"
	}
	i.Created, i.Updated = g.now(), g.now()
	labels, assignees := i.Labels, i.Assignees
	i.Labels, i.Assignees = nil, nil
	r.issues = append(r.issues, &issue{Issue: i})
	g.mu.Unlock()
	for _, l := range labels {
		g.Label(repo, i.Number, i.Author, l)
	}
	for _, a := range assignees {
		g.Assign(repo, i.Number, i.Author, a)
	}
	return i.Number
}

func (g *GitHub) Label(repo string, number int, by, label string) {
	g.happen(repo, number, happening{kind: "labeled", by: by, what: label}, func(i *issue) { i.Labels = union(i.Labels, []string{label}) })
}

func (g *GitHub) Unlabel(repo string, number int, by, label string) {
	g.happen(repo, number, happening{kind: "unlabeled", by: by, what: label}, func(i *issue) { i.Labels = without(i.Labels, label) })
}

func (g *GitHub) Assign(repo string, number int, by, to string) {
	g.happen(repo, number, happening{kind: "assigned", by: by, what: to}, func(i *issue) { i.Assignees = union(i.Assignees, []string{to}) })
}

func (g *GitHub) Unassign(repo string, number int, by, from string) {
	g.happen(repo, number, happening{kind: "unassigned", by: by, what: from}, func(i *issue) { i.Assignees = without(i.Assignees, from) })
}

func (g *GitHub) Retitle(repo string, number int, by, title string) {
	g.mu.Lock()
	was := ""
	if i := g.repo(repo).issue(number); i != nil {
		was = i.Title
	}
	g.mu.Unlock()
	g.happen(repo, number, happening{kind: "renamed", by: by, what: title, was: was}, func(i *issue) { i.Title = title })
}

// CloseIssue closes an issue. The description has no room for that among the events of an issue.
func (g *GitHub) CloseIssue(repo string, number int) {
	g.happen(repo, number, happening{}, func(i *issue) { i.State = "closed" })
}

// EditIssue changes an issue without an event that anybody could see.
func (g *GitHub) EditIssue(repo string, number int, change func(i *Issue)) {
	g.happen(repo, number, happening{}, func(i *issue) { change(&i.Issue) })
}

// DeleteIssue lets nothing of an issue stand but that it is gone.
func (g *GitHub) DeleteIssue(repo string, number int) {
	g.happen(repo, number, happening{}, func(i *issue) { i.gone = true })
}

// MoveIssue takes an issue to another repository, and gives its number there. GitHub sends calls to the old one on.
func (g *GitHub) MoveIssue(repo string, number int, to string) int {
	var moved Issue
	g.happen(repo, number, happening{}, func(i *issue) { moved = i.Issue })
	n := g.AddIssue(to, moved)
	g.happen(repo, number, happening{}, func(i *issue) { i.moved = fmt.Sprintf("/repositories/%d/issues/%d", g.repo(to).id, n) })
	return n
}

// happen changes an issue and notes the event, if it has a name.
func (g *GitHub) happen(repo string, number int, h happening, change func(i *issue)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := g.repo(repo).issue(number)
	if i == nil {
		g.t.Errorf("there is no issue #%d in %s", number, repo)
		return
	}
	change(i)
	h.at, i.Updated = g.now(), g.now()
	if h.kind != "" {
		i.events = append(i.events, h)
	}
}

func (r *Repository) issue(number int) *issue {
	if n := number - firstIssue; n >= 0 && n < len(r.issues) {
		return r.issues[n]
	}
	return nil
}

func without(list []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(n string) bool { return strings.EqualFold(n, name) })
}

// servedIssues are the operations on issues, their history, and commands in comments.
var servedIssues = map[string][]string{
	"/repos/{owner}/{repo}/issues":                                 {"get"},
	"/repos/{owner}/{repo}/issues/comments":                        {"get"},
	"/repos/{owner}/{repo}/issues/{issue_number}":                  {"get"},
	"/repos/{owner}/{repo}/issues/{issue_number}/events":           {"get"},
	"/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions": {"post"},
	"/repos/{owner}/{repo}/issues/comments/{comment_id}":           {"patch", "delete"},
	"/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}":    {"delete"},
}

// operateIssues carries out a call of servedIssues; g.mu is held.
func (g *GitHub) operateIssues(repo *Repository, rt *route, r *http.Request, body []byte) (answer, bool) {
	_, last, _ := strings.Cut(rt.path, "{repo}")
	number, _ := strconv.Atoi(rt.params["issue_number"])
	switch r.Method + " " + last {
	case "GET /issues":
		return g.listIssues(repo, r), true
	case "GET /issues/comments":
		return g.listComments(repo, r), true
	case "GET /issues/{issue_number}":
		return g.readIssue(repo, number, r), true
	case "GET /issues/{issue_number}/events":
		return g.listEvents(repo, number, r), true
	case "GET /issues/{issue_number}/labels", "POST /issues/{issue_number}/labels", "DELETE /issues/{issue_number}/labels/{name}":
		if repo.pull(number) != nil && r.Method != http.MethodDelete {
			return answer{}, false
		}
		return g.labelIssue(repo, number, rt.params["name"], r, body), true
	case "PATCH /issues/comments/{comment_id}":
		return g.patchComment(repo, rt.params["comment_id"], body), true
	case "DELETE /issues/comments/{comment_id}":
		return g.removeComment(repo.feedback().comments, rt.params["comment_id"]), true
	case "POST /issues/comments/{comment_id}/reactions":
		return g.react(repo, rt.params["comment_id"], body), true
	}
	return answer{}, false
}
