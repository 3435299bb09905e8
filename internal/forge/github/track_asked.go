package github

import (
	"context"
	"strings"
	"time"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

// Asked implements forge.Tracker. It reads the text before the history, so that the history contains any change made in between.
func (t *tracker) Asked(ctx context.Context, r task.Repository, number int, q forge.IssueQuery) (forge.Asked, error) {
	i, err := t.visitIssue(ctx, r, number)
	if err != nil {
		return forge.Asked{}, err
	}
	now, err := i.present(ctx)
	if err != nil {
		return forge.Asked{}, err
	}
	if q, err = t.settle(ctx, i.session, q); err != nil {
		return forge.Asked{}, err
	}
	a := forge.Asked{
		Issue: asIssue(now), Open: now.GetState() == "open", Author: now.GetUser().GetLogin(),
		Created: now.GetCreatedAt().UTC(), Updated: now.GetUpdatedAt().UTC(),
	}
	for _, l := range now.Labels {
		a.Labels = append(a.Labels, l.GetName())
	}
	w := requester{label: q.Label, me: q.Assignee}
	a.Fits = q.Label+q.Assignee != "" && (q.Label == "" || w.hasLabel(now)) && (q.Assignee == "" || w.hasUs(now))
	if !a.Open || !a.Fits {
		return a, nil
	}
	var renamed renames
	if err := i.events(ctx, func(e *gh.IssueEvent) { w.read(e); renamed.read(e) }); err != nil {
		return forge.Asked{}, err
	}
	if q.Label != "" {
		a.By = append(a.By, act("label", w.labelled.by, w.labelled.at))
	}
	if q.Assignee != "" {
		a.By = append(a.By, act("assign", w.assigned.by, w.assigned.at))
	}
	last := newestOf(a.By)
	for _, n := range renamed.acts {
		if !n.At.Before(last) {
			a.Renamed = append(a.Renamed, n)
		}
	}
	return a, nil
}

// renames are who has changed the title of an issue.
type renames struct{ acts []forge.Act }

func (r *renames) read(e *gh.IssueEvent) {
	if e.GetEvent() == "renamed" {
		r.acts = append(r.acts, act("rename", e.GetActor(), e.GetCreatedAt().Time))
	}
}

func act(what string, by *gh.User, at time.Time) forge.Act {
	a := forge.Act{What: what, By: by.GetLogin(), At: at.UTC()}
	if !loginForm.MatchString(strings.TrimSuffix(a.By, "[bot]")) {
		a.By = ""
	}
	a.Bot = a.By != "" && isBot(by)
	return a
}

func newestOf(acts []forge.Act) (at time.Time) {
	for _, a := range acts {
		at = later(at, a.At)
	}
	return at
}
