package activities

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// FindInput asks a source for new work.
type FindInput struct {
	Intake  signals.IntakeInput  `json:"intake"`
	Refused map[string]time.Time `json:"refused,omitempty"` // by the look before
	Now     time.Time            `json:"now"`
}

// Found is new work, in the order in which it is to be begun.
type Found struct {
	Work []intake.Work `json:"work,omitempty"` // of each the whole text; so few that it stays below what history takes
	signals.Pass
}

// Bounds of one look.
const (
	mostSeen    = 20_000        // pieces of work
	mostRead    = 50            // that are read as a whole
	mostLeft    = 20            // that are named
	mostText    = 512 << 10     // bytes of what is found in one look
	refusedFor  = 6 * time.Hour // work that must not be begun is not read again before
	mostRefused = 1000
)

// FindWork looks through the source until it has found as much as may be begun. A piece of work that has had its task is passed over.
// It starts nothing, and claims nothing.
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
	f.out.At, f.out.Refused = in.Now, map[string]time.Time{}
	if f.room, f.out.Waiting, err = c.roomFor(ctx, r, in.Intake); err != nil {
		return Found{}, err
	}
	if f.room <= 0 {
		f.out.Refused = in.Refused
		return f.out, nil
	}
	if err := s.List(ctx, f.query, func(i intake.Item) bool { return f.look(ctx, i) }); err != nil {
		return Found{}, fmt.Errorf("list work of %s: %w", in.Intake.Source, err)
	}
	if f.err != nil {
		return Found{}, f.err
	}
	maps.DeleteFunc(f.out.Refused, func(string, time.Time) bool { return len(f.out.Refused) > mostRefused })
	return f.out, nil
}

// finder is one look.
type finder struct {
	*Control
	source      Source
	in          FindInput
	query       intake.Query
	room        int // tasks that may still be started
	read, bytes int
	out         Found
	err         error
}

// look takes one piece of work of the list, and tells whether there is room for more.
func (f *finder) look(ctx context.Context, i intake.Item) bool {
	f.out.Seen++
	activity.RecordHeartbeat(ctx, f.out.Seen)
	if at, refused := f.in.Refused[i.Key+i.Sum]; refused && f.in.Now.Sub(at) < refusedFor {
		f.out.Refused[i.Key+i.Sum] = at
		return f.more()
	}
	switch state, err := f.hasTask(ctx, i.ID); {
	case err != nil:
		f.err = err
		return false
	case state != "":
		if state == "ended" {
			f.leave(i.Key, "it has had its task: "+i.ID)
		}
		return f.more()
	}
	f.read++
	w, err := f.source.Read(ctx, f.query, i.Key)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return f.more()
	case err != nil:
		f.err = fmt.Errorf("read %s: %w", i.Key, err)
		return false
	case w.No != "":
		f.out.Refused[i.Key+i.Sum] = f.in.Now
		f.leave(i.Key, w.No)
		return f.more()
	}
	f.hide(&w)
	f.bytes += len(w.Task)
	if w.Issue != nil {
		f.bytes += len(w.Issue.Body)
	}
	f.out.Work = append(f.out.Work, w)
	f.room--
	return f.more()
}

func (f *finder) more() bool {
	f.out.More = f.room <= 0 || f.read >= mostRead || f.out.Seen >= mostSeen || f.bytes >= mostText
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

// hasTask tells how the task of a piece of work stands: "" when there is none, "running", or "ended".
func (f *finder) hasTask(ctx context.Context, id string) (string, error) {
	d, err := activity.GetClient(ctx).DescribeWorkflowExecution(ctx, id, "")
	var none *serviceerror.NotFound
	switch {
	case errors.As(err, &none):
		return "", nil
	case err != nil:
		return "", fault.New(fault.Infra, "ask for task %s: %w", id, err)
	case d.GetWorkflowExecutionInfo().GetCloseTime() == nil:
		return "running", nil
	}
	return "ended", nil
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

// atGate counts the tasks of an intake that work, and those that wait for their turn, at the repository's gate.
func (c *Control) atGate(ctx context.Context, r task.Repository, name string) (inside, waiting int, err error) {
	v, err := activity.GetClient(ctx).QueryWorkflow(ctx, c.gateID(r, false), "", signals.QueryGate)
	var none *serviceerror.NotFound
	switch {
	case errors.As(err, &none):
		return 0, 0, nil
	case err != nil:
		return 0, 0, fault.New(fault.Infra, "ask the gate who waits: %w", err)
	}
	var state signals.GateState
	if err := v.Get(&state); err != nil {
		return 0, 0, fault.New(fault.Internal, "read the gate's answer: %w", err)
	}
	for _, w := range state.Waiters {
		if w.Intake == name {
			waiting++
		}
	}
	for _, h := range state.Holders {
		if h.Intake == name {
			inside++
		}
	}
	return inside, waiting, nil
}
