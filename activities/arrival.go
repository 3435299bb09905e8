package activities

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// Watching says which repositories are asked for news, and how often.
type Watching struct {
	Repositories []string // owner/name; owner/* is for webhooks only
	Label        string   // that makes an issue ours
	Every        time.Duration
}

// Arrive carries out what somebody asked for on a forge, and says in a line what came of it. Called again it has the same effect as
// one call: tasks are started under the name of their issue, and messages count once.
func (c *Control) Arrive(ctx context.Context, e forge.Event) (string, error) {
	if c.Take == nil {
		return "", fault.New(fault.Infra, "nobody listens to forges on this worker").WithHint("set LONGSHIFT_GITHUB_REPOSITORIES for every worker")
	}
	return c.Take(ctx, e)
}

// Watched is what a look at a forge has come to.
type Watched struct {
	Cursor string        `json:"cursor"`
	Events int           `json:"events,omitempty"` // passed on
	Every  time.Duration `json:"every"`            // until the next look
	Stop   bool          `json:"stop,omitempty"`   // the repository is watched no more
}

// LookAtForge asks what has happened in a repository since the cursor, and passes it on. The cursor moves when all of it is passed on:
// what is passed on twice counts once.
func (c *Control) LookAtForge(ctx context.Context, in signals.WatchInput) (Watched, error) {
	named := slices.ContainsFunc(c.Watching.Repositories, func(r string) bool { return strings.EqualFold(r, in.Repository) })
	if c.OnForge == nil || !named || c.Watching.Every <= 0 {
		return Watched{Stop: true}, nil
	}
	r, err := task.ParseRepository(in.Repository)
	if err != nil {
		return Watched{}, err
	}
	f, err := c.Forge(ctx, r)
	if err != nil {
		return Watched{}, err
	}
	w, ok := f.(forge.Watcher)
	if !ok {
		return Watched{}, fault.New(fault.Input, "repository %s is on a forge that can't be watched", in.Repository)
	}
	events, cursor, err := w.Since(ctx, r, c.Watching.Label, in.Cursor)
	if err != nil {
		return Watched{}, fmt.Errorf("look for news of %s: %w", in.Repository, err)
	}
	for _, e := range events {
		if err := c.OnForge(ctx, e); err != nil {
			return Watched{}, fmt.Errorf("pass on %s: %w", e.ID, err)
		}
	}
	return Watched{Cursor: cursor, Events: len(events), Every: c.Watching.Every}, nil
}
