package listen

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/channel"
)

// Tally lets something be said once a minute for each name, and counts what was left unsaid. The zero value is ready. It is safe for
// concurrent use and bounded: beyond ten thousand names all others share one.
type Tally struct {
	lock sync.Mutex
	said map[string]said
}

type said struct {
	at   time.Time
	more int // since then
}

// saidEvery is how often the same is said.
const saidEvery = time.Minute

// others is the name for all who come when the memory is full.
const others = ""

// Next tells whether it is time to say it for a name, and how often it was not said since the last time.
func (t *Tally) Next(name string, now time.Time) (more int, due bool) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if _, known := t.said[name]; !known && len(t.said) >= mostKept {
		for other, s := range t.said {
			if now.Sub(s.at) >= saidEvery {
				delete(t.said, other)
			}
		}
		if len(t.said) >= mostKept {
			name = others
		}
	}
	last, known := t.said[name]
	if known && now.Sub(last.at) < saidEvery {
		t.said[name] = said{last.at, last.more + 1}
		return 0, false
	}
	if t.said == nil {
		t.said = map[string]said{}
	}
	t.said[name] = said{at: now}
	return last.more, true
}

// turnAway refuses somebody who is on no list. Whoever floods us must not fill the record, which everything that is done waits for:
// it gets one line a minute for each of them, which says how many were left out before it.
func (e *Ear) turnAway(ctx context.Context, ev channel.Event, d deed, reason, text string) channel.Answer {
	if more, due := e.away.Next(ev.Room.Channel+"\x00"+clip(ev.User.ID, 200), e.c.Now()); due {
		if more > 0 {
			reason += fmt.Sprintf(", and %d more", more)
		}
		e.note(ctx, e.act(ev, d, false, reason))
	}
	return channel.Answer{Text: text}
}

// unsure answers somebody of whom the Directory would have to say who it is, and does not. It is no error: what strangers send must
// not be delivered again and again before all that comes after it.
func (e *Ear) unsure(ctx context.Context, ev channel.Event, d deed, err error) (channel.Answer, error) {
	if ctx.Err() != nil { // it is we who go away
		return channel.Answer{}, err
	}
	return e.turnAway(ctx, ev, d, "it is not known who this is: "+err.Error(), "I can't tell right now who you are; please try again in a minute."), nil
}
