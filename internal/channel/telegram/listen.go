package telegram

import (
	"context"
	"encoding/json"
	"time"

	"github.com/go-telegram/bot"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
)

// handleTime limits the handling of one update.
const handleTime = time.Minute

// Listen receives updates until ctx ends, and then returns nil. It returns Denied if the token is refused before it ever
// worked; a later refusal is retried. Telegram keeps updates for a day, so those from before the start are handled too.
// An update is confirmed after hear has succeeded, so it may be delivered twice, with the same Event.ID.
//
// Telegram allows one poll per bot, and a new one ends the old one, so concurrent listeners take turns.
func (t *Telegram) Listen(ctx context.Context, handle channel.Handle) error {
	l := &listener{Telegram: t, handle: handle}
	defer t.poll.CloseIdleConnections()
	for ctx.Err() == nil {
		if err := l.round(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// listener is one run of Listen.
type listener struct {
	*Telegram
	handle   channel.Handle
	me       user
	token    string // to which me belongs
	offset   int64  // all updates below are handled; 0 if Telegram knows that
	failures int    // consecutive failed polls
	conflict string // reason of the last logged conflict
	stuck    int64  // the update that hear fails on
	tries    int    // how often it has failed
	presses  presses
}

// round polls once and handles the updates.
func (l *listener) round(ctx context.Context) error {
	if err := l.identify(ctx); err != nil {
		return l.trouble(ctx, asRefusal(err))
	}
	hold := l.hold
	if l.presses.behind(l.now()) {
		hold = 0
	}
	list, r := l.updates(ctx, l.token, l.offset, hold)
	if r != nil {
		return l.trouble(ctx, r)
	}
	l.presses.polled(list, l.now())
	if l.failures > 0 {
		l.log.Info("Telegram answers again", "failures", l.failures)
	}
	// After a week without updates, their numbers may restart lower. So an offset is not kept once it has been sent.
	l.failures, l.offset = 0, 0
	for _, raw := range list {
		if !l.take(ctx, raw) {
			return nil
		}
	}
	return nil
}

// identify fetches the bot's identity, once per token.
func (l *listener) identify(ctx context.Context) error {
	token, err := l.secret(ctx)
	if err != nil || token == l.token {
		return err
	}
	return l.call(ctx, "getMe", func(ctx context.Context, b *bot.Bot) error {
		me, err := b.GetMe(ctx)
		if err != nil {
			return err
		}
		l.presses = presses{} // numbers of another bot's updates may be the same
		l.token, l.me = token, user{ID: me.ID, Username: me.Username}
		l.log.Info("listening to Telegram", "bot", me.Username, "id", me.ID, "hears mentions in groups", me.CanReadAllGroupMessages)
		return nil
	})
}

// take handles one update. It returns false if the update and those after it must be polled again.
func (l *listener) take(ctx context.Context, raw json.RawMessage) bool {
	id := numberOf(raw)
	if id == 0 {
		l.log.Error("Telegram sent an update without a number")
		return true
	}
	var u update
	if err := json.Unmarshal(raw, &u); err != nil {
		l.log.Error("an update of Telegram can't be read and is left out", "update", id)
		l.offset = id + 1
		return true
	}
	e, ok := u.event(l.me)
	if !ok {
		l.dismiss(ctx, u, "")
		l.offset = u.ID + 1
		return ctx.Err() == nil
	}
	if u.Press != nil {
		e.At = l.presses.at(u.ID)
	}
	limited, cancel := context.WithTimeout(ctx, handleTime)
	answer, err := l.handle(limited, e)
	cancel()
	if err != nil {
		return l.refused(ctx, u, e, err)
	}
	l.offset = u.ID + 1
	l.reply(ctx, u, e, answer)
	return ctx.Err() == nil
}

// refused waits after hear has failed, or gives up on an update after many tries, so that it can't block the others for
// ever. Longshift's own outages are not the update's fault, so they allow ten times as many tries.
func (l *listener) refused(ctx context.Context, u update, e channel.Event, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	if l.stuck != u.ID {
		l.stuck, l.tries = u.ID, 0
	}
	l.tries++
	most := l.backoff.Tries
	if k := fault.KindOf(err); k == fault.Infra || k == fault.Stopping {
		most *= 10
	}
	if l.tries >= most {
		l.log.Error("an event of Telegram is given up", "event", e.ID, "kind", e.Kind, "tries", l.tries, "error", err)
		l.dismiss(ctx, u, "This could not be taken in. Please try again later.")
		l.offset, l.stuck, l.tries = u.ID+1, 0, 0
		return ctx.Err() == nil
	}
	l.log.Warn("an event of Telegram could not be taken in, it is asked for again", "event", e.ID, "kind", e.Kind, "try", l.tries,
		"error", err)
	l.wait(ctx, l.after(l.tries))
	return false
}
