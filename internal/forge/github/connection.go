package github

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// connection is the way to GitHub: where it is, who we are there, and what it has asked of us and refused.
type connection struct {
	token    func(ctx context.Context) (string, error)
	app      *app     // nil with a token
	base     *url.URL // of the API; nil is github.com
	host     string   // where people see repositories
	http     http.Client
	log      *slog.Logger
	now      func() time.Time
	sleep    func(ctx context.Context, d time.Duration) error
	limit    limit
	pace     pace
	refusals refusals
}

// visit begins a call of the forge about a repository, without asking whether that exists.
func (c *connection) visit(ctx context.Context, r task.Repository) (*session, error) {
	if err := c.has(r); err != nil {
		return nil, err
	}
	s := &session{connection: c, owner: r.Owner, name: r.Name}
	if c.app != nil {
		return s, s.login(ctx)
	}
	return s, s.byToken(ctx)
}

// has refuses what can't be a repository on this GitHub.
func (c *connection) has(r task.Repository) error {
	host := strings.TrimPrefix(task.HostName(r.Host), "www.")
	switch {
	case !repositoryForm.MatchString(r.Owner + "/" + r.Name), r.Name == ".", r.Name == "..": // a path would lead elsewhere
		return fault.New(fault.Input, "repository %q is not one of GitHub's", r.Text).WithHint("give owner/name")
	case host != "" && !strings.EqualFold(host, c.host):
		return fault.New(fault.Input, "repository %q is not on %s", r.Text, c.host).
			WithHint("set LONGSHIFT_GITHUB_URL for a GitHub Enterprise Server")
	}
	return nil
}

// paused fails while GitHub has asked for a pause.
func (c *connection) paused(who string) error {
	if wait := c.limit.wait(who, c.now()); wait > 0 {
		return &problem{message: "GitHub has asked for a pause", passing: true, limited: true, wait: wait}
	}
	return nil
}

// answered tells whether GitHub has refused a request with one of these statuses. Rate limits are no refusals.
func answered(err error, statuses ...int) bool {
	var p *problem
	if !errors.As(err, &p) || p.limited {
		return false
	}
	for _, s := range statuses {
		if p.status == s {
			return true
		}
	}
	return false
}
