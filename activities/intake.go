package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// PollSourceInput asks a source for new work.
type PollSourceInput struct {
	Intake  signals.IntakeInput        `json:"intake"`
	Refused map[string]signals.Refusal `json:"refused,omitempty"` // by the look before
	Now     time.Time                  `json:"now"`
}

// Found is new work, in the order in which it is to be begun.
type Found struct {
	Work []intake.Work `json:"work,omitempty"` // of each the whole text, together bounded
	signals.PollResult
}

// Bounds of one look.
const (
	mostSeen    = 20_000           // pieces of work
	mostRead    = 50               // that are read as a whole
	mostLeft    = 20               // that are named
	mostText    = 512 << 10        // bytes of what is found in one look, as history holds it
	mostFailed  = 3                // pieces in a row that can't be read: then it is the source
	refusedFor  = 30 * time.Minute // work that must not be begun is not read again before, unless it has changed
	mostRefused = 1000
	unsettled   = time.Minute // after its last change, by the source's clock, work is read again
)

// PollSource looks through the source until it has found as much as may be begun. A piece of work that has had its task is passed over.
// It starts nothing, and claims nothing; what a dead task has claimed it frees.
func (c *Control) PollSource(ctx context.Context, in PollSourceInput) (Found, error) {
	s, err := c.source(in.Intake.Source)
	if err != nil {
		return Found{}, err
	}
	r, err := task.ParseRepository(in.Intake.Repository)
	if err != nil {
		return Found{}, err
	}
	f := &finder{Control: c, source: s, in: in, query: intake.Query{Repository: r, Label: in.Intake.Label, Assignee: in.Intake.Assignee, Team: in.Intake.Team, Path: in.Intake.Path}}
	f.out.At, f.out.Refused = in.Now, map[string]signals.Refusal{}
	for key, r := range in.Refused { // also what this look may not come to
		if in.Now.Sub(r.At) < refusedFor && len(f.out.Refused) < mostRefused {
			f.out.Refused[key] = r
		}
	}
	if f.room, f.out.Waiting, err = c.roomFor(ctx, r, in.Intake); err != nil {
		return Found{}, err
	}
	for _, step := range []func(context.Context) error{f.release, f.keeps} {
		if err := step(ctx); err != nil {
			return Found{}, fmt.Errorf("look at %s: %w", in.Intake.Source, err)
		}
	}
	if f.room <= 0 {
		return f.out, nil
	}
	if q, ok := s.(settler); ok { // asked before the list, so that what is left out there is known to be left out
		if f.out.Again, err = q.Settles(ctx, f.query); err != nil {
			return Found{}, fmt.Errorf("look at %s: %w", in.Intake.Source, err)
		}
	}
	if err := s.List(ctx, f.query, func(i intake.Item) bool { return f.look(ctx, i) }); err != nil {
		return Found{}, fmt.Errorf("list work of %s: %w", in.Intake.Source, err)
	}
	if f.err != nil && len(f.out.Work) == 0 { // what was found before is begun all the same
		return Found{}, f.err
	}
	return f.out, nil
}

// finder is one look.
type finder struct {
	*Control
	source      Source
	in          PollSourceInput
	query       intake.Query
	room        int // tasks that may still be started
	read, bytes int
	failed      int // in a row
	out         Found
	err         error
}

// look takes one piece of work of the list, and tells whether there is room for more.
func (f *finder) look(ctx context.Context, i intake.Item) bool {
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
		if f.in.Now.Sub(i.Changed) > unsettled { // what changes again within the same second would not be told apart
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

func (f *finder) more() bool {
	f.out.More = f.room <= 0 || f.read >= mostRead || f.out.Seen >= mostSeen
	return !f.out.More
}

func (f *finder) leave(key, why string) {
	if len(f.out.Skipped) < mostLeft {
		f.out.Skipped = append(f.out.Skipped, signals.Skipped{Key: key, Why: f.Redact.String(why)})
	}
}

// hide takes secrets out of what strangers have written: it goes into histories.
func (f *finder) hide(w *intake.Work) {
	texts := []*string{&w.Title, &w.Task, &w.By}
	if w.Issue != nil {
		texts = append(texts, &w.Issue.Title, &w.Issue.Body)
	}
	for _, t := range texts {
		*t = f.Redact.String(*t)
	}
}
