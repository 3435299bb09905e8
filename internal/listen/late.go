package listen

import (
	"context"
	"time"

	"github.com/longshift/longshift/internal/channel"
)

// How old the words of people may be to decide anything. Platforms deliver again for hours, and what was meant then may be wrong now.
// Requests on a forge wait there for us to come, so they may be older.
const (
	lateInChat  = 15 * time.Minute
	lateOnForge = 24 * time.Hour
)

const tooLate = "that came late"

// late tells whether something happened longer ago than it may. What has no time is new.
func (e *Ear) late(at time.Time, most time.Duration) bool {
	return !at.IsZero() && e.c.Now().Sub(at) > most
}

// decides tells whether a verb changes something.
func decides(verb string) bool {
	r, ok := needs(verb)
	return ok && r != toRead
}

// refuseLate answers what came too late.
func (e *Ear) refuseLate(ctx context.Context, ev channel.Event, d deed) channel.Answer {
	text := "Sorry, that came late, so nothing was done. If you still mean it, please say it again."
	if ev.Kind != channel.Said {
		text = "Sorry, that came late, so nothing was done. If you still mean it, please press the button again."
	}
	return e.refuse(ctx, ev, d, tooLate, text)
}
