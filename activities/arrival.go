package activities

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Watching says which repositories are polled.
type Watching struct {
	Repositories []string // owner/name; owner/* is for webhooks only
	Label        string   // of issues that become tasks
	Every        time.Duration
}

// Events finds what people have done on forges, and carries out what they ask for by it.
type Events struct {
	forge    forgeOf
	watching Watching
	take     func(context.Context, forge.Event) (string, error) // nil without listeners
	onForge  func(context.Context, forge.Event) error           // nil without listeners
}

// Waits before a request is tried again that the forge has denied: each is twice as long as the one before, up to the longest.
const (
	deniedAgain  = 10 * time.Minute
	deniedLonger = 2 * time.Hour
)

// Arrive carries out a request from a forge, and returns its result in a line. It is idempotent: tasks are started under the id of their
// issue, and messages count once. A request that the forge denies is tried again, as it is not sent a second time: it is carried out when
// the token has been renewed.
func (ev *Events) Arrive(ctx context.Context, e forge.Event) (string, error) {
	if ev.take == nil {
		return "", fault.New(fault.Infra, "nobody listens to forges on this worker").
			WithHint("set LONGSHIFT_GITHUB_REPOSITORIES for every worker")
	}
	what, err := ev.take(ctx, e)
	if fault.KindOf(err) == fault.Denied {
		wait := min(deniedAgain<<min(activity.GetInfo(ctx).Attempt-1, 10), deniedLonger)
		err = &fault.Later{After: wait, Err: fault.New(fault.Infra, "%w", err)}
	}
	return what, err
}

// ForgePoll is the result of a poll of a forge.
type ForgePoll struct {
	Cursor string        `json:"cursor"`
	Events int           `json:"events,omitempty"` // passed on
	Every  time.Duration `json:"every"`            // until the next poll
	Stop   bool          `json:"stop,omitempty"`   // the repository is not watched any more
}

// PollForge handles the events of a repository since the cursor. The cursor moves when all are handled; an event that is handled twice
// counts once.
func (ev *Events) PollForge(ctx context.Context, in signals.WatchInput) (ForgePoll, error) {
	named := slices.ContainsFunc(ev.watching.Repositories, func(r string) bool { return strings.EqualFold(r, in.Repository) })
	if ev.onForge == nil || !named || ev.watching.Every <= 0 {
		return ForgePoll{Stop: true}, nil
	}
	r, err := task.ParseRepository(in.Repository)
	if err != nil {
		return ForgePoll{}, err
	}
	f, err := ev.forge(ctx, r)
	if err != nil {
		return ForgePoll{}, err
	}
	w, ok := f.(forge.Watcher)
	if !ok {
		return ForgePoll{}, fault.New(fault.Input, "repository %s is on a forge that can't be watched", in.Repository)
	}
	events, cursor, err := w.Since(ctx, r, ev.watching.Label, in.Cursor)
	if err != nil {
		return ForgePoll{}, fmt.Errorf("look for news of %s: %w", in.Repository, err)
	}
	for _, e := range events {
		if err := ev.onForge(ctx, e); err != nil {
			return ForgePoll{}, fmt.Errorf("pass on %s: %w", e.ID, err)
		}
	}
	return ForgePoll{Cursor: cursor, Events: len(events), Every: ev.watching.Every}, nil
}
