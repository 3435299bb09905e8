package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/signals"
)

// finder goes through the list of a source.
type finder struct {
	*Sources
	source      Source
	in          PollSourceInput
	query       intake.Query
	asked       bool // the limiter, for room
	room        int  // tasks that may still be started
	read, bytes int
	last        intake.Item // that was read
	failed      int         // in a row
	remembered  int         // pieces whose source was told that they have had their task
	out         Found
	err         error
}

// consider handles one piece of work of the list, and tells whether there is room for more.
func (f *finder) consider(ctx context.Context, i intake.Item) bool {
	f.out.Seen++
	seen := f.out.Seen
	setHeartbeatDetails(ctx, func() any { return seen })
	key := i.Key + "\x00" + i.Sum + "\x00" + i.Changed.UTC().Format(time.RFC3339)
	if r, refused := f.out.Refused[key]; refused {
		f.leave(i.Key, r.Why)
		return f.more()
	}
	switch info, err := described(ctx, i.ID, ""); {
	case err != nil:
		f.err = err
		return false
	case isRunning(info):
		return f.more()
	case info != nil:
		why := "it has had its task: " + i.ID
		f.remember(ctx, i, key, info, why)
		f.leave(i.Key, why)
		return f.more()
	}
	if hasPassed(f.in.Passed, i) && i.Changed.Before(f.in.Passed.At.Add(-unsettled)) {
		return f.more()
	}
	if f.err = f.askRoom(ctx); f.err != nil || f.full() {
		return false
	}
	f.read++
	f.last = i
	w, err := f.source.Read(ctx, f.query, i.Key)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return f.more()
	case err != nil:
		f.leave(i.Key, "it can't be read: "+err.Error())
		if f.failed++; f.failed < mostFailed {
			return f.more()
		}
		f.err = fmt.Errorf("read %s: %w", i.Key, err)
		return false
	case w.No != "":
		f.failed = 0
		if f.in.Now.Sub(i.Changed) > unsettled { // two changes within one second have the same time
			f.out.Refused[key] = signals.Refusal{At: f.in.Now, Why: f.redact.String(w.No)}
		}
		f.leave(i.Key, w.No)
		return f.more()
	}
	f.failed = 0
	f.hide(&w)
	encoded, err := json.Marshal(w)
	if err != nil {
		f.err = fault.New(fault.Internal, "encode %s: %w", i.Key, err)
		return false
	}
	if f.bytes += len(encoded); f.bytes > mostText && len(f.out.Work) > 0 {
		f.out.More = true
		return false
	}
	f.out.Work = append(f.out.Work, w)
	f.room--
	return f.more()
}

// askRoom asks the limiter, once, how many tasks may be started. That is a query, which is an action: a poll without new work does without.
func (f *finder) askRoom(ctx context.Context) (err error) {
	if !f.asked {
		var there census
		f.room, there, err = f.limiters.roomFor(ctx, f.query.Repository, f.in.Intake)
		f.out.Waiting, f.asked = there.waiting, err == nil
		if f.room <= 0 {
			f.out.Others = there.others
		}
	}
	return err
}

// full reports whether it is known that no task may be started.
func (f *finder) full() bool { return f.asked && f.room <= 0 }

func (f *finder) more() bool {
	f.out.More = f.full() || f.read >= mostRead || f.out.Seen >= mostSeen
	return !f.out.More
}

// passed returns up to where the next poll leaves out the list. Refusals are not remembered for long, so it would otherwise read the same
// pieces again and never come to those behind them. It is no count: pieces leave the list when they are claimed.
func (f *finder) passed() signals.Passed {
	switch {
	case f.read >= mostRead:
		return signals.Passed{Key: f.last.Key, Priority: f.last.Priority, Created: f.last.Created, At: f.in.Now}
	case f.full(), f.out.More && f.out.Seen < mostSeen: // it has not come to the end for another reason
		return f.in.Passed
	}
	return signals.Passed{}
}

// hasPassed tells whether a piece of work comes before a position in its list, or is there. Trackers list by priority, then by age; of two
// pieces with one time it is not known which comes first. Files have neither, and are listed by name.
func hasPassed(p signals.Passed, i intake.Item) bool {
	switch {
	case p.Key == "":
		return false
	case i.Priority != p.Priority:
		return i.Priority > p.Priority
	case !i.Created.Equal(p.Created):
		return i.Created.Before(p.Created)
	case i.Created.IsZero():
		return i.Key <= p.Key
	}
	return i.Key == p.Key
}

func (f *finder) leave(key, why string) {
	if len(f.out.Skipped) < mostLeft {
		f.out.Skipped = append(f.out.Skipped, signals.Skipped{Key: key, Why: f.redact.String(why)})
	}
}

// hide removes secrets from texts of strangers, which go into histories.
func (f *finder) hide(w *intake.Work) {
	texts := []*string{&w.Title, &w.Task, &w.By}
	if w.Issue != nil {
		texts = append(texts, &w.Issue.Title, &w.Issue.Body)
	}
	for _, t := range texts {
		*t = f.redact.String(*t)
	}
}
