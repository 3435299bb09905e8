package forgetest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Check is a check run on a commit.
type Check struct {
	ID          int64 // of one that stands and is to be changed; 0 is a new one
	Name        string
	Head        string // commit
	Status      string // completed when empty
	Conclusion  string // of a completed one
	Title       string
	Summary     string
	Text        string
	Annotations []Annotation
	Job         bool   // of GitHub Actions
	Log         string // of a job; "" is one whose log is gone
	At          time.Time
}

// Annotation is a remark of a check about lines of a file.
type Annotation struct {
	Path    string
	Line    int
	Level   string // notice, warning or failure
	Message string
}

// Status is the state that some system has given to a commit, under a name.
type Status struct {
	ID      int64
	Head    string // commit
	Context string // its name
	State   string // error, failure, pending or success
	Text    string
	URL     string
	At      time.Time
}

// SetCheck puts a check on a commit, or changes the one that has this id, and gives its id.
func (g *GitHub) SetCheck(repo string, c Check) int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.Status == "" {
		c.Status = "completed"
	}
	c.At = g.at(c.At)
	f := g.said(repo)
	for _, old := range f.checks {
		if c.ID != 0 && old.ID == c.ID {
			*old = c
			return c.ID
		}
	}
	c.ID = g.id()
	f.checks = append(f.checks, &c)
	return c.ID
}

// SetStatus gives a commit a state under a name; the newest counts.
func (g *GitHub) SetStatus(repo string, s Status) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s.ID, s.At = g.id(), g.at(s.At)
	f := g.said(repo)
	f.statuses = append(f.statuses, &s)
}

// checkRuns lists the checks of a commit. Of those with one name the latest stands for all, unless all are asked for.
func (g *GitHub) checkRuns(repo *Repository, ref string, r *http.Request) answer {
	latest := map[string]int64{}
	for _, c := range repo.feedback().checks {
		if c.Head == ref {
			latest[c.Name] = c.ID
		}
	}
	list := []any{}
	for _, c := range repo.feedback().checks {
		if c.Head == ref && (latest[c.Name] == c.ID || r.URL.Query().Get("filter") == "all") {
			list = append(list, g.checkBody(repo, c))
		}
	}
	a := g.page(list, r.URL)
	a.body = map[string]any{"total_count": len(list), "check_runs": a.body}
	return a
}

func (g *GitHub) checkBody(repo *Repository, c *Check) map[string]any {
	m := g.object("check-run", map[string]any{
		"id": c.ID, "name": c.Name, "head_sha": c.Head, "status": c.Status, "conclusion": nil,
		"started_at": stamp(c.At), "completed_at": nil, "pull_requests": []any{},
		"html_url": fmt.Sprintf("%s/%s/runs/%d", g.URL, repo.Name, c.ID), "details_url": "https://ci.example.com/1",
		"output": map[string]any{
			"title": orNil(c.Title), "summary": orNil(c.Summary), "text": orNil(c.Text), "annotations_count": len(c.Annotations),
			"annotations_url": fmt.Sprintf("%s/repos/%s/check-runs/%d/annotations", g.URL, repo.Name, c.ID),
		},
	})
	slug := "example-ci"
	if c.Job {
		slug = "github-actions"
		m["html_url"] = fmt.Sprintf("%s/%s/actions/runs/77/job/%d", g.URL, repo.Name, c.ID)
		m["details_url"] = m["html_url"]
	}
	m["app"] = g.object("nullable-integration", map[string]any{"id": 1, "slug": slug, "name": slug, "owner": g.userBody("github")})
	if c.Status == "completed" {
		m["conclusion"], m["completed_at"] = c.Conclusion, stamp(c.At)
	}
	return m
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (g *GitHub) annotations(repo *Repository, id string, r *http.Request) answer {
	for _, c := range repo.feedback().checks {
		if strconv.FormatInt(c.ID, 10) != id {
			continue
		}
		list := []any{}
		for _, n := range c.Annotations {
			list = append(list, g.object("check-annotation", map[string]any{
				"path": n.Path, "start_line": n.Line, "end_line": n.Line, "annotation_level": n.Level, "message": n.Message,
			}))
		}
		return g.page(list, r.URL)
	}
	return refuse(http.StatusNotFound, "Not Found")
}

// combined lists the newest status under each name.
func (g *GitHub) combined(repo *Repository, ref string, r *http.Request) answer {
	newest := map[string]int64{}
	for _, s := range repo.feedback().statuses {
		if s.Head == ref {
			newest[s.Context] = s.ID
		}
	}
	list, state := []any{}, "success"
	for _, s := range repo.feedback().statuses {
		if newest[s.Context] != s.ID {
			continue
		}
		if s.State != "success" {
			state = strings.Replace(s.State, "error", "failure", 1)
		}
		list = append(list, g.object("simple-commit-status", map[string]any{
			"id": s.ID, "context": s.Context, "state": s.State, "description": orNil(s.Text), "target_url": orNil(s.URL),
			"created_at": stamp(s.At), "updated_at": stamp(s.At),
		}))
	}
	if len(list) == 0 {
		state = "pending" // as GitHub says of a commit without any
	}
	a := g.page(list, r.URL)
	a.body = g.object("combined-commit-status", map[string]any{
		"sha": ref, "state": state, "total_count": len(list), "statuses": a.body, "repository": g.repoBody("minimal-repository", repo),
	})
	return a
}
