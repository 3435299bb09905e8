package linear

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/task"
)

const (
	maxName      = 80 // bytes of a displayed name
	historyPages = 20 // pages of 100 entries
)

func (l *Linear) Read(ctx context.Context, q intake.Query, key string) (intake.Work, error) {
	if err := check(q, key); err != nil {
		return intake.Work{}, err
	}
	s, err := l.session(ctx)
	if err != nil {
		return intake.Work{}, err
	}
	i, err := s.issue(ctx, key)
	if err != nil {
		return intake.Work{}, err
	}
	w := intake.Work{Item: i.item.item(), No: i.no(q, key)}
	w.Task = fmt.Sprintf("Resolve Linear issue %s.", w.Key)
	w.Issue = &task.Issue{Forge: string(intake.Linear), Key: w.Key, Number: int(i.Number), URL: w.URL}
	w.Issue.Title, w.Issue.Body = forge.IssueText(i.Title, i.Description)
	w.By, err = s.asker(ctx, q, i)
	return w, err
}

// issue reads an issue by its identifier. Old identifiers of an issue that was moved to another team work too.
func (s *session) issue(ctx context.Context, key string) (*issue, error) {
	got, err := read(ctx, s, "read issue "+key, func() (*readIssueResponse, error) { return readIssue(ctx, s, key) })
	if err != nil {
		if fault.KindOf(err) == fault.NotFound {
			err = fault.New(fault.NotFound, "Linear: there is no issue %s, or the token can't see it: %w", key, err)
		}
		return nil, err
	}
	if got.Issue.Id == "" || !keyForm.MatchString(got.Issue.Identifier) {
		return nil, fault.New(fault.Infra, "Linear: read issue %s: the answer holds no issue", key)
	}
	return &got.Issue, nil
}

// gone reports whether the issue was deleted or archived.
func (i *issue) gone() bool { return i.Trashed || !i.ArchivedAt.IsZero() }

// no returns why the issue must not be worked on; "" if it may.
func (i *issue) no(q intake.Query, key string) string {
	switch {
	case i.Trashed:
		return "it is in the trash"
	case !i.ArchivedAt.IsZero():
		return "it is archived"
	case !strings.EqualFold(i.Identifier, key):
		return "it has moved, and is " + i.Identifier + " now"
	case i.State.Type != todo:
		return fmt.Sprintf("it is in state %q, which is %s", forge.CleanLine(i.State.Name, maxName), forge.CleanLine(i.State.Type, maxName))
	case q.Team != "" && !strings.EqualFold(i.Team.Key, q.Team):
		return fmt.Sprintf("it is not in team %s", forge.CleanLine(q.Team, maxName))
	case q.Label != "" && !has(i.Labels.Nodes, q.Label):
		return fmt.Sprintf("it has no label %q", forge.CleanLine(q.Label, maxName))
	case q.Assignee != "" && !i.Assignee.matches(q.Assignee) && !i.Delegate.matches(q.Assignee):
		return fmt.Sprintf("it is not assigned to %s", forge.CleanLine(q.Assignee, maxName))
	}
	return ""
}

func has(tags []tag, name string) bool {
	return slices.ContainsFunc(tags, func(t tag) bool { return strings.EqualFold(t.Name, name) })
}

// matches reports whether the person is the account that a query names.
func (p *person) matches(account string) bool {
	switch {
	case p == nil:
		return false
	case strings.EqualFold(account, "me"):
		return p.IsMe
	}
	return strings.EqualFold(p.Email, account) || strings.EqualFold(p.DisplayName, account) || strings.EqualFold(p.Name, account)
}

// asker returns who has asked for the issue: the last person who has set the label or the assignee, or else its creator. It is empty if
// unknown.
func (s *session) asker(ctx context.Context, q intake.Query, i *issue) (string, error) {
	var (
		by *person
		at time.Time
	)
	whole, err := s.history(ctx, i.Id, func(e event) {
		if e.asks(q, i) && !e.CreatedAt.Before(at) {
			by, at = e.Actor, e.CreatedAt
		}
	})
	if err != nil {
		return "", err
	}
	if by == nil && whole && at.IsZero() {
		by = i.Creator
	}
	if by == nil {
		return "", nil
	}
	return forge.CleanLine(by.DisplayName, maxName), nil
}

// asks reports whether an entry of the history has made the issue match the query.
func (e event) asks(q intake.Query, i *issue) bool {
	if q.Label != "" && has(e.AddedLabels, q.Label) {
		return true
	}
	return q.Assignee != "" && (e.ToDelegate.matches(q.Assignee) ||
		e.ToAssigneeId != "" && i.Assignee.matches(q.Assignee) && e.ToAssigneeId == i.Assignee.Id)
}

// history visits an issue's history in any order. It reports whether the history was complete.
func (s *session) history(ctx context.Context, id string, visit func(event)) (bool, error) {
	after := ""
	for range historyPages {
		ask := func() (*readHistoryResponse, error) { return readHistory(ctx, s, id, after) }
		got, err := read(ctx, s, "read the history of an issue", ask)
		if err != nil {
			return false, err
		}
		h := got.Issue.History
		for _, e := range h.Nodes {
			visit(e)
		}
		if after = h.PageInfo.EndCursor; !h.PageInfo.HasNextPage || after == "" {
			return true, nil
		}
	}
	return false, nil
}
