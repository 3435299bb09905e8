package forgetest

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// CheckRuns returns the checks of a commit, in the order of their creation.
func (g *GitHub) CheckRuns(repo, head string) (all []Check) {
	g.set(func() {
		for _, c := range g.feedbackOn(repo).checks {
			if c.Head == head {
				all = append(all, *c)
			}
		}
	})
	return all
}

// writeCheck creates a check run, or changes one, for the app that has made it; g.mu is held.
func (g *GitHub) writeCheck(repo *Repository, id string, r *http.Request, body []byte) answer {
	t, given := g.apps.given[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	if !given {
		return refuse(http.StatusForbidden, "You must authenticate via a GitHub App.")
	}
	if g.installation(t.installation).Permissions["checks"] != "write" {
		return refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	var in struct {
		Name, Status, Conclusion string
		Head                     string `json:"head_sha"`
		Key                      string `json:"external_id"`
		URL                      string `json:"details_url"`
		Output                   struct{ Title, Summary, Text string }
	}
	g.read(body, &in)
	c, status := &Check{ID: g.id(), Name: in.Name, Head: in.Head, App: g.apps.app.Slug}, http.StatusCreated
	if id != "" {
		if c, status = repo.feedback().check(id), http.StatusOK; c == nil || c.App != g.apps.app.Slug {
			return refuse(http.StatusNotFound, "Not Found")
		}
	} else if !repo.has(in.Head) {
		return refuse(http.StatusNotFound, "No commit found for SHA: "+in.Head)
	} else {
		repo.feedback().checks = append(repo.feedback().checks, c)
	}
	c.Status, c.Conclusion, c.Key, c.URL, c.At = cmp.Or(in.Status, c.Status, "queued"), in.Conclusion, in.Key, in.URL, g.now()
	c.Title, c.Summary, c.Text = in.Output.Title, in.Output.Summary, in.Output.Text
	return answer{status: status, body: g.checkBody(repo, c)}
}

// check finds a check by its id.
func (f *feedback) check(id string) *Check {
	for _, c := range f.checks {
		if fmt.Sprint(c.ID) == id {
			return c
		}
	}
	return nil
}

// has tells whether the repository has a commit.
func (r *Repository) has(commit string) bool {
	if r.GitDir == "" {
		return slices.Contains(slices.Collect(maps.Values(r.Branches)), commit)
	}
	_, err := r.git("cat-file", "-e", commit+"^{commit}")
	return err == nil
}
