package forgetest

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

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
	Run         int64  // of a job: the run that it belongs to; 0 is one that all such jobs of the commit share
	Step        string // of a job that failed: the step that did
	Log         string // of a job; "" is one whose log is gone
	At          time.Time
	App         string // slug of the app that has written it; example-ci when empty
	Key         string // its external id
	URL         string // page with more
}

// Annotation is a remark of a check about lines of a file.
type Annotation struct {
	Path    string
	Line    int
	Level   string // notice, warning or failure
	Message string
}

// SetCheck puts a check on a commit, or changes the one that has this id, and gives its id.
func (g *GitHub) SetCheck(repo string, c Check) int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.Status == "" {
		c.Status = "completed"
	}
	c.At = g.at(c.At)
	f := g.feedbackOn(repo)
	for _, old := range f.checks {
		if c.ID != 0 && old.ID == c.ID {
			c.Run = cmp.Or(c.Run, old.Run)
			*old = c
			return c.ID
		}
	}
	c.ID = g.id()
	if c.Job && c.Run == 0 {
		c.Run = f.runOf(c.Head)
	}
	f.checks = append(f.checks, &c)
	return c.ID
}

// checkRuns lists the checks of a commit. Of those with one name the latest stands for all, unless all are asked for.
func (g *GitHub) checkRuns(repo *Repository, ref string, r *http.Request) answer {
	latest, name := map[string]int64{}, r.URL.Query().Get("check_name")
	for _, c := range repo.feedback().checks {
		if c.Head == ref {
			latest[c.Name] = c.ID
		}
	}
	list := []any{}
	for _, c := range repo.feedback().checks {
		if c.Head == ref && (name == "" || name == c.Name) && (latest[c.Name] == c.ID || r.URL.Query().Get("filter") == "all") {
			list = append(list, g.checkBody(repo, c))
		}
	}
	a := g.page(list, r.URL)
	a.body = map[string]any{"total_count": len(list), "check_runs": a.body}
	return a
}

func (g *GitHub) checkBody(repo *Repository, c *Check) map[string]any {
	m := g.object("check-run", map[string]any{
		"id": c.ID, "name": c.Name, "head_sha": c.Head, "external_id": c.Key, "status": c.Status, "conclusion": nil,
		"started_at": stamp(c.At), "completed_at": nil, "pull_requests": []any{},
		"html_url": fmt.Sprintf("%s/%s/runs/%d", g.URL, repo.Name, c.ID), "details_url": cmp.Or(c.URL, "https://ci.example.com/1"),
		"output": map[string]any{
			"title": orNil(c.Title), "summary": orNil(c.Summary), "text": orNil(c.Text), "annotations_count": len(c.Annotations),
			"annotations_url": fmt.Sprintf("%s/repos/%s/check-runs/%d/annotations", g.URL, repo.Name, c.ID),
		},
	})
	slug := cmp.Or(c.App, "example-ci")
	if c.Job {
		slug = "github-actions"
		m["html_url"] = g.jobPage(repo, c)
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
