package app

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/inbox"
)

const (
	mostNews    = 2000
	newsAge     = 24 * time.Hour // older events change nothing
	newsCall    = 30 * time.Second
	newsPause   = time.Second // after a failed delivery; doubled each time
	newsLongest = time.Minute
)

// news accepts a forge's events immediately, so that the forge gets its response, and delivers them later. Accepted events are kept on
// disk and survive a crash. They may be delivered twice, which has no further effect.
type news struct {
	box  inbox.Box
	hand func(context.Context, forge.Event) error
	log  *slog.Logger
	now  func() time.Time
	came chan struct{}
}

func newNews(cfg config.Config, hand func(context.Context, forge.Event) error, log *slog.Logger) *news {
	return &news{box: boxOf(cfg, "github"), hand: hand, log: log, now: time.Now, came: make(chan struct{}, 1)}
}

// boxOf is the inbox of a platform in the data directory.
func boxOf(cfg config.Config, platform string) inbox.Box {
	return inbox.Box{Dir: filepath.Join(cfg.Data, "inbox", platform), Most: mostNews}
}

// take stores an event. If it returns no error, the event will be delivered.
func (n *news) take(_ context.Context, e forge.Event) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if _, err := n.box.Put(b, n.now()); err != nil {
		return err
	}
	select {
	case n.came <- struct{}{}:
	default:
	}
	return nil
}

// run delivers new events, and those left by an earlier process, until ctx ends.
func (n *news) run(ctx context.Context) {
	pause := newsPause
	for {
		var again <-chan time.Time
		if n.pass(ctx) {
			pause = newsPause
		} else {
			again = time.After(pause)
			pause = min(2*pause, newsLongest)
		}
		select {
		case <-ctx.Done():
			return
		case <-n.came:
		case <-again:
		}
	}
}

// pass tries each item once and reports whether none is left. A failed item does not block others.
func (n *news) pass(ctx context.Context) (done bool) {
	left, err := n.box.Left()
	if err != nil {
		n.log.ErrorContext(ctx, "News of the forge can't be read; the poll finds them", "error", err)
		return false
	}
	done = true
	for _, item := range left {
		if ctx.Err() != nil {
			return false
		}
		if n.one(ctx, item) {
			err = item.Done()
		} else {
			done = false
		}
	}
	return done && err == nil
}

// one delivers an item and reports whether it is done.
func (n *news) one(ctx context.Context, item *inbox.Item) bool {
	var e forge.Event
	if err := json.Unmarshal(item.Payload, &e); err != nil {
		n.log.ErrorContext(ctx, "News of the forge is unreadable, and dropped", "error", err)
		return true
	}
	if n.now().Sub(item.At) > newsAge {
		n.log.WarnContext(ctx, "News of the forge could not be handed on for a day, and is dropped", "event", e.ID)
		return true
	}
	call, cancel := context.WithTimeout(ctx, newsCall)
	defer cancel()
	err := n.hand(call, e)
	switch {
	case err == nil:
		return true
	case fault.KindOf(err) == fault.Input:
		n.log.WarnContext(ctx, "News of the forge can't be used", "event", e.ID, "error", err)
		return true
	}
	n.log.WarnContext(ctx, "News of the forge can't be handed on yet", "event", e.ID, "error", err)
	return false
}
