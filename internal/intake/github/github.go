// Package github finds work in the issues of a GitHub repository, by label or assignee, and reports on the issue what becomes of it. It
// reads and writes through the interfaces it is given and makes no calls of its own. It starts no task and knows no workflow.
package github

import (
	"cmp"
	"context"
	"log/slog"
	"strconv"
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Hub is the part of the GitHub forge that a Source uses.
type Hub interface {
	forge.Tracker
	forge.Marker
	Access
}

// Access reports who may ask for work (see forge.Watcher).
type Access interface {
	MayWrite(ctx context.Context, r task.Repository, user string) (bool, error)
}

// Config is what a Source needs.
type Config struct {
	Hub   Hub
	Host  string // host in links and workflow ids; "" is github.com
	Label string // the operator's label, such as "longshift"; the label of claimed issues is derived from it, whatever a query names
	Log   *slog.Logger
}

// claimed is the suffix of the operator's label on an issue that a task has claimed.
const claimed = "-claimed"

const maxLabel = 50 // characters, GitHub's own limit

// Source finds work in GitHub issues. It is safe for concurrent use.
type Source struct {
	hub    Hub
	host   string
	claim  string // label of claimed issues
	log    *slog.Logger
	untold sync.Once
}

var (
	_ intake.Source   = (*Source)(nil)
	_ intake.Reporter = (*Source)(nil)
)

// New validates the configuration.
func New(c Config) (*Source, error) {
	if c.Hub == nil {
		return nil, fault.New(fault.Internal, "issues as a source of work need a GitHub")
	}
	s := &Source{hub: c.Hub, host: c.Host, claim: c.Label + claimed, log: cmp.Or(c.Log, slog.New(slog.DiscardHandler))}
	if c.Label == "" || strings.TrimSpace(c.Label) != c.Label || strings.ContainsAny(c.Label, ",\r\n") || len([]rune(s.claim)) > maxLabel {
		return nil, fault.New(fault.Input, "label %.60q can't be the one of issues to work on", c.Label).
			WithHint("give LONGSHIFT_GITHUB_LABEL at most %d characters, without commas: %q is put behind it for claimed issues",
				maxLabel-len(claimed), claimed)
	}
	return s, nil
}

// List implements intake.Source, with the oldest issue first. Priority is always 0.
func (s *Source) List(ctx context.Context, q intake.Query, visit func(intake.Item) bool) error {
	asked, err := s.query(q)
	if err != nil {
		return err
	}
	return s.hub.Issues(ctx, q.Repository, asked, func(i forge.ListedIssue) bool {
		return visit(intake.Item{
			Key: strconv.Itoa(i.Number), ID: s.id(q, i.Number), Sum: i.Sum, Title: i.Title, URL: i.URL, Created: i.Created, Changed: i.Updated,
		})
	})
}

func (s *Source) query(q intake.Query) (forge.IssueQuery, error) {
	if q.Label == "" && q.Assignee == "" {
		return forge.IssueQuery{}, fault.New(fault.Input, "issues of %q as a source of work need a label or an assignee", q.Repository.Text).
			WithHint("set label or assignee; without them every issue that anybody opens would be work")
	}
	if strings.EqualFold(q.Label, s.claim) {
		return forge.IssueQuery{}, fault.New(fault.Input, "label %q is the one of claimed issues", q.Label).WithHint("name another label")
	}
	return forge.IssueQuery{Label: q.Label, Assignee: q.Assignee, Without: s.claim}, nil
}

// id is the workflow id of the issue's one task. A webhook and a command use the same one.
func (s *Source) id(q intake.Query, number int) string {
	return signals.IssueTaskID(s.host, q.Repository.Owner, q.Repository.Name, number)
}

// numberOf parses a key.
func numberOf(key string) (int, error) {
	n, err := strconv.Atoi(key)
	if err != nil || n < 1 || strconv.Itoa(n) != key {
		return 0, fault.New(fault.Input, "%.40q is not the number of an issue", key).WithHint("give a number such as 12")
	}
	return n, nil
}
