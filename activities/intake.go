package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// FindInput asks a source for new work.
type FindInput struct {
	Intake  signals.IntakeInput        `json:"intake"`
	Refused map[string]signals.Refusal `json:"refused,omitempty"` // by the look before
	Now     time.Time                  `json:"now"`
}

// Found is new work, in the order in which it is to be begun.
type Found struct {
	Work []intake.Work `json:"work,omitempty"` // of each the whole text, together bounded
	signals.Pass
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
)

// FindWork looks through the source until it has found as much as may be begun. A piece of work that has had its task is passed over.
// It starts nothing, and claims nothing; what a dead task has claimed it frees.
func (c *Control) FindWork(ctx context.Context, in FindInput) (Found, error) {
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
	if f.room <= 0 {
		return f.out, nil
	}
	if err := f.release(ctx); err != nil {
		return Found{}, fmt.Errorf("look at %s: %w", in.Intake.Source, err)
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

// settler is a source that lists nothing while somebody writes to it.
type settler interface {
	// Settles says how long it takes until it does, when nobody goes on writing; 0 when it does now.
	Settles(ctx context.Context, q intake.Query) (time.Duration, error)
}

// recaller is a source that remembers which tasks work on what it lists, and leaves it out for as long.
type recaller interface {
	// Claims gives what is claimed: Item.ID is the task's workflow, the note what it was claimed with.
	Claims(ctx context.Context, q intake.Query) ([]intake.Claimed, error)
}

// release reports tasks that were ended from outside, and could not do it: their work would be left out for good.
func (f *finder) release(ctx context.Context) error {
	r, ok := f.source.(recaller)
	if !ok {
		return nil
	}
	claims, err := r.Claims(ctx, f.query)
	if err != nil {
		return err
	}
	for _, c := range claims {
		info, err := described(ctx, c.ID, "")
		if err != nil {
			return err
		}
		if isRunning(info) {
			continue
		}
		err = f.source.Report(ctx, f.query, c.Key, intake.Note{TaskID: c.TaskID, Outcome: task.Failed, Sum: c.Sum})
		if kind := fault.KindOf(err); err != nil && kind != fault.NotFound && kind != fault.Conflict {
			return err
		}
	}
	return nil
}

// finder is one look.
type finder struct {
	*Control
	source      Source
	in          FindInput
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
	activity.RecordHeartbeat(ctx, f.out.Seen)
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
		f.out.Refused[key] = signals.Refusal{At: f.in.Now, Why: f.Redact.String(w.No)}
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
	if len(f.out.Left) < mostLeft {
		f.out.Left = append(f.out.Left, signals.Left{Key: key, Why: f.Redact.String(why)})
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

// roomFor says how many tasks of an intake may be started, and how many wait for their turn. Tasks of a tracker may wait, so that people
// see them. A file is taken only when it can be worked on at once: until then it may be changed, and another put before it.
func (c *Control) roomFor(ctx context.Context, r task.Repository, in signals.IntakeInput) (room, waiting int, err error) {
	inside, waiting, err := c.atGate(ctx, r, in.Name)
	switch intake.Kind(in.Source) {
	case intake.Heartbeat:
		return 1 - inside - waiting, waiting, err
	case intake.Backlog:
		return max(in.Guard.Sessions, 1) - inside - waiting, waiting, err
	}
	return in.Queue - waiting, waiting, err
}

// atGate counts the tasks of an intake that work, and those that wait for their turn, at the repository's gate. A gate knows only what it
// was told, and nobody may wait there for whom it would look: those that run no more are taken out here.
func (c *Control) atGate(ctx context.Context, r task.Repository, name string) (inside, waiting int, err error) {
	id := c.gateID(r, false)
	switch info, err := described(ctx, id, ""); {
	case err != nil:
		return 0, 0, err
	case !isRunning(info): // it would still answer
		return 0, 0, nil
	}
	v, err := activity.GetClient(ctx).QueryWorkflow(ctx, id, "", signals.QueryGate)
	if err != nil {
		return 0, 0, fault.New(fault.Infra, "ask the gate who waits: %w", err)
	}
	var state signals.GateState
	if err := v.Get(&state); err != nil {
		return 0, 0, fault.New(fault.Internal, "read the gate's answer: %w", err)
	}
	there := func(h signals.Holder) (bool, error) {
		gone, spent, err := hasGone(ctx, h)
		if err == nil && gone {
			request := signals.LeaveRequest{Workflow: h.Workflow, Run: h.Run, Spent: spent}
			err = toGate(ctx, id, signals.Leave, "gone/"+h.Run, request, nil)
		}
		return !gone, err
	}
	for _, w := range state.Waiters {
		if w.Intake != name {
			continue
		}
		is, err := there(signals.Holder{Workflow: w.Workflow, Run: w.Run, Before: math.MaxFloat64}) // one that waits spends nothing
		if err != nil {
			return 0, 0, err
		}
		if is {
			waiting++
		}
	}
	for _, h := range state.Holders {
		if h.Intake != name {
			continue
		}
		is, err := there(h)
		if err != nil {
			return 0, 0, err
		}
		if is {
			inside++
		}
	}
	return inside, waiting, nil
}
