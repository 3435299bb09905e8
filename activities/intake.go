package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

type PollSourceInput struct {
	Intake  signals.IntakeInput        `json:"intake"`
	Refused map[string]signals.Refusal `json:"refused,omitempty"` // by the poll before
	Now     time.Time                  `json:"now"`
}

// Found is new work, in the order in which tasks for it start.
type Found struct {
	Work []intake.Work `json:"work,omitempty"` // with complete texts, bounded by mostText
	signals.PollResult
}

const (
	mostSeen    = 20_000           // pieces of work
	mostRead    = 50               // of them that are read in full
	mostLeft    = 20               // skipped pieces that are named
	mostText    = 512 << 10        // bytes of the work that is found, as encoded in history
	mostFailed  = 3                // pieces in a row that can't be read; after that the source has failed
	refusedFor  = 30 * time.Minute // refused work is not read again for this long, unless it has changed
	mostRefused = 1000
	unsettled   = time.Minute // work that changed so recently, by the source's clock, is read again
)

// PollSource reads the source until it has found as much work as may be started. It skips work that has had its task. It starts and claims
// nothing, and releases the claims of tasks that were ended from outside.
func (c *Control) PollSource(ctx context.Context, in PollSourceInput) (Found, error) {
	s, err := c.source(in.Intake.Source)
	if err != nil {
		return Found{}, err
	}
	r, err := task.ParseRepository(in.Intake.Repository)
	if err != nil {
		return Found{}, err
	}
	f := &finder{Control: c, source: s, in: in, query: intake.Query{Repository: r, Label: in.Intake.Label, Assignee: in.Intake.Assignee,
		Team: in.Intake.Team, Path: in.Intake.Path}}
	f.out.At, f.out.Refused = in.Now, map[string]signals.Refusal{}
	for key, r := range in.Refused { // also those that this poll does not reach
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
	if q, ok := s.(settler); ok { // asked before the list: what the list omits for this reason is then known to come
		if f.out.Again, err = q.Settles(ctx, f.query); err != nil {
			return Found{}, fmt.Errorf("look at %s: %w", in.Intake.Source, err)
		}
	}
	if err := s.List(ctx, f.query, func(i intake.Item) bool { return f.consider(ctx, i) }); err != nil {
		return Found{}, fmt.Errorf("list work of %s: %w", in.Intake.Source, err)
	}
	if f.err != nil && len(f.out.Work) == 0 { // work that was found before the error is started all the same
		return Found{}, f.err
	}
	return f.out, nil
}

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

func (f *finder) more() bool {
	f.out.More = f.room <= 0 || f.read >= mostRead || f.out.Seen >= mostSeen
	return !f.out.More
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
