package forgetest

import (
	"net/http"
	"strings"
	"time"
)

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

// SetStatus gives a commit a state under a name; the newest counts.
func (g *GitHub) SetStatus(repo string, s Status) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s.ID, s.At = g.id(), g.at(s.At)
	f := g.feedbackOn(repo)
	f.statuses = append(f.statuses, &s)
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
