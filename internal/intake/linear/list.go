package linear

import (
	"context"
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/httpclient"
	"github.com/longshift/longshift/internal/intake"
)

const (
	maxTerm  = 256  // bytes of a label, account or team
	maxURL   = 2048 // bytes
	todo     = "unstarted"
	started  = "started"
	maxPages = 1000 // pages of 100 issues per priority, in case a server never ends its list
)

// keyForm matches Linear's issue identifier: the team's key and a number.
var keyForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,31}-[0-9]{1,9}$`)

func check(q intake.Query, key string) error {
	if !keyForm.MatchString(key) {
		return fault.New(fault.Input, "key %q is not an issue of Linear", forge.CleanLine(key, 60)).WithHint("it looks like ENG-12")
	}
	return checkQuery(q)
}

func checkQuery(q intake.Query) error {
	if q.Label == "" && q.Assignee == "" {
		return fault.New(fault.Input, "a Linear source has neither label nor assignee, and would take every issue").
			WithHint("set its label or its assignee (\"me\" is the account of the token)")
	}
	for _, term := range []struct{ name, value string }{{"label", q.Label}, {"assignee", q.Assignee}, {"team", q.Team}} {
		if len(term.value) > maxTerm {
			return fault.New(fault.Input, "%s of a Linear source has %d bytes, more than %d", term.name, len(term.value), maxTerm)
		}
	}
	return nil
}

// List implements intake.Source. Linear does not document how it sorts by priority, so each priority is queried separately, oldest issues
// first. The first request asks for a few issues of every priority, which is usually enough.
func (l *Linear) List(ctx context.Context, q intake.Query, visit func(intake.Item) bool) error {
	if err := checkQuery(q); err != nil {
		return err
	}
	s, err := l.session(ctx)
	if err != nil {
		return err
	}
	first, err := read(ctx, s, "list issues", func() (*waitingResponse, error) {
		return waiting(ctx, s, wanted(q, 1), wanted(q, 2), wanted(q, 3), wanted(q, 4), wanted(q, 0))
	})
	if err != nil {
		return err
	}
	for i, p := range []page{first.Urgent, first.High, first.Normal, first.Low, first.None} {
		if on, err := s.pages(ctx, wanted(q, float64((i+1)%5)), p, visit); err != nil || !on {
			return err
		}
	}
	return nil
}

// pages visits a priority's issues, starting with a given page. It reports whether to continue.
func (s *session) pages(ctx context.Context, f filter, p page, visit func(intake.Item) bool) (bool, error) {
	for range maxPages {
		for _, i := range p.Nodes {
			if !keyForm.MatchString(i.Identifier) {
				continue // the key could not be used in a call
			}
			if !visit(i.item()) {
				return false, nil
			}
		}
		after := p.PageInfo.EndCursor
		if !p.PageInfo.HasNextPage || after == "" {
			return true, nil
		}
		s.tries = httpclient.Tries{} // visit may take long, so retries start from zero
		more, err := read(ctx, s, "list issues", func() (*waitingMoreResponse, error) { return waitingMore(ctx, s, f, after) })
		if err != nil {
			return false, err
		}
		p = more.Issues
		if p.PageInfo.HasNextPage && p.PageInfo.EndCursor == after {
			return false, fault.New(fault.Infra, "Linear: list issues: the same page comes again and again")
		}
	}
	return false, fault.New(fault.Input, "Linear: list issues: more than %d pages of one priority", maxPages).
		WithHint("narrow the source with a label or a team")
}

// wanted is the filter for issues of one priority: 1 is urgent, 4 is low, 0 is none.
func wanted(q intake.Query, priority float64) filter {
	f := filter{State: &state{Type: text{Eq: todo}}, Priority: &number{Eq: priority}}
	if q.Label != "" {
		f.Labels = &labels{Some: label{Name: text{Fold: q.Label}}}
	}
	if q.Team != "" {
		f.Team = &team{Key: text{Fold: q.Team}}
	}
	switch {
	case q.Assignee == "":
	case strings.EqualFold(q.Assignee, "me"):
		// An app can't be an assignee. Issues are delegated to it and stay assigned to a person.
		me := &user{IsMe: &truth{Eq: true}}
		f.Or = []filter{{Assignee: me}, {Delegate: me}}
	default:
		name := &text{Fold: q.Assignee}
		them := &user{Or: []user{{Email: name}, {DisplayName: name}, {Name: name}}}
		f.Or = []filter{{Assignee: them}, {Delegate: them}}
	}
	return f
}

// item converts an issue. Its title is untrusted.
func (i item) item() intake.Item {
	title, _ := forge.IssueText(i.Title, "")
	it := intake.Item{Key: i.Identifier, ID: "issue:linear:" + strings.ToLower(i.Identifier), Title: title,
		URL: forge.CleanLine(i.Url, maxURL), Created: i.CreatedAt, Changed: i.UpdatedAt}
	if i.Priority >= 1 && i.Priority <= 4 {
		it.Priority = 5 - int(i.Priority)
	}
	return it
}
