package forgetest

import (
	"net/http"
	"slices"
	"time"
)

type edit struct {
	by string
	at time.Time
}

// Rewrite lets somebody change the body of an issue. Unlike EditIssue it leaves what GitHub leaves: who it was, and when. An empty name
// is an account that is gone.
func (g *GitHub) Rewrite(repo string, number int, by, body string) {
	g.happen(repo, number, happening{}, func(i *issue) {
		if len(i.edits) == 0 {
			i.edits = append(i.edits, edit{i.Author, i.Created}) // with the first edit the text before it becomes one
		}
		i.Body = body
		i.edits = append(i.edits, edit{by, g.now()})
	})
}

// AddIssues opens n issues like one, a second apart and the first one now.
func (g *GitHub) AddIssues(repo string, n int, like Issue) {
	first := g.AddIssue(repo, like)
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.repo(repo)
	model := r.issue(first)
	for k := 1; k < n; k++ {
		i := *model
		i.Number = firstIssue + len(r.issues)
		i.Created = model.Created.Add(time.Duration(k) * time.Second)
		i.Updated = i.Created
		i.Labels, i.Assignees, i.events = slices.Clone(i.Labels), slices.Clone(i.Assignees), slices.Clone(i.events)
		r.issues = append(r.issues, &i)
	}
}

// labelIssue reads the labels of an issue, adds some, or takes one off.
func (g *GitHub) labelIssue(repo *Repository, number int, name string, r *http.Request, body []byte) answer {
	if a, bad := repo.gone(number); bad {
		return a
	}
	i := repo.issue(number)
	change := func(kind, label string, labels []string) {
		i.Labels, i.Updated = labels, g.now()
		i.events = append(i.events, happening{kind: kind, by: g.user, what: label, at: g.now()})
	}
	switch {
	case i == nil:
		return refuse(http.StatusNotFound, "Not Found")
	case r.Method == http.MethodDelete && !has(i.Labels, name):
		return refuse(http.StatusNotFound, "Label does not exist")
	case r.Method == http.MethodDelete:
		change("unlabeled", name, without(i.Labels, name))
	case r.Method == http.MethodPost:
		var in struct{ Labels []string }
		g.read(body, &in)
		for _, l := range in.Labels {
			if len([]rune(l)) > 50 {
				return invalid("Label", "name", "custom", "name is too long (maximum is 50 characters)")
			}
			if !has(i.Labels, l) {
				change("labeled", l, union(i.Labels, []string{l}))
			}
		}
	}
	return answer{status: http.StatusOK, body: g.labels(i.Labels)}
}
