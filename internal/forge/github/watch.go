package github

import (
	"context"
	"errors"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

var (
	_ forge.Watcher = (*Forge)(nil)
	_ forge.Talker  = (*Forge)(nil)
	_ forge.Tracker = (*Forge)(nil)
	_ forge.Marker  = (*Forge)(nil)
)

// visit begins a call of the forge about a repository, without asking whether that exists.
func (f *Forge) visit(ctx context.Context, r task.Repository) (*session, error) {
	if err := f.has(r); err != nil {
		return nil, err
	}
	return f.session(ctx, r.Owner, r.Name)
}

// has refuses what can't be a repository on this GitHub.
func (f *Forge) has(r task.Repository) error {
	host := strings.TrimPrefix(task.HostName(r.Host), "www.")
	switch {
	case !repositoryForm.MatchString(r.Owner + "/" + r.Name), r.Name == ".", r.Name == "..": // a path would lead elsewhere
		return fault.New(fault.Input, "repository %q is not one of GitHub's", r.Text).WithHint("give owner/name")
	case host != "" && !strings.EqualFold(host, f.host):
		return fault.New(fault.Input, "repository %q is not on %s", r.Text, f.host).
			WithHint("set LONGSHIFT_GITHUB_URL for a GitHub Enterprise Server")
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
