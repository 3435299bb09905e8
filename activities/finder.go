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
	*Control
	source      Source
	in          PollSourceInput
	query       intake.Query
	asked       bool // the limiter, for room
	room        int  // tasks that may still be started
	read, bytes int
	failed      int // in a row
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
		f.leave(i.Key, "it has had its task: "+i.ID)
		return f.more()
	}
	if seen <= f.in.Past && i.Changed.Before(f.in.PastAt.Add(-unsettled)) {
		return f.more()
	}
	if f.err = f.askRoom(ctx); f.err != nil || f.full() {
		return false
	}
	f.read++
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
			f.out.Refused[key] = signals.Refusal{At: f.in.Now, Why: f.Redact.String(w.No)}
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
		f.room, there, err = f.roomFor(ctx, f.query.Repository, f.in.Intake)
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

// past returns how much of the list the next poll leaves out, and when that was read. Refusals are not remembered for long, so it would
// otherwise read the same pieces again and never come to those behind them.
func (f *finder) past() (int, time.Time) {
	switch {
	case f.read >= mostRead:
		return f.out.Seen, f.in.Now
	case f.full(), f.out.More && f.out.Seen < mostSeen: // it has not come to the end for another reason
		return f.in.Past, f.in.PastAt
	}
	return 0, time.Time{}
}

func (f *finder) leave(key, why string) {
	if len(f.out.Skipped) < mostLeft {
		f.out.Skipped = append(f.out.Skipped, signals.Skipped{Key: key, Why: f.Redact.String(why)})
	}
}

// hide removes secrets from texts of strangers, which go into histories.
func (f *finder) hide(w *intake.Work) {
	texts := []*string{&w.Title, &w.Task, &w.By}
	if w.Issue != nil {
		texts = append(texts, &w.Issue.Title, &w.Issue.Body)
	}
	for _, t := range texts {
		*t = f.Redact.String(*t)
	}
}
