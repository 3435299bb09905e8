package activities

import (
	"context"
	"fmt"
	"time"

	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

type PollSourceInput struct {
	Intake  signals.IntakeInput        `json:"intake"`
	Refused map[string]signals.Refusal `json:"refused,omitempty"` // by the poll before
	Quiet   int                        `json:"quiet,omitempty"`   // polls in a row before this one that have found nothing
	Passed  signals.Passed             `json:"passed,omitzero"`   // work at the head of the list that has been read; see PollResult
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
	mostTold    = 20               // pieces whose source is told in a poll that they have had their task: trackers slow down who writes much
	mostFailed  = 3                // pieces in a row that can't be read; after that the source has failed
	refusedFor  = 30 * time.Minute // refused work is not read again for this long, unless it has changed
	mostRefused = 1000
	unsettled   = time.Minute // work that changed so recently, by the source's clock, is read again
)

// PollSource reads the source until it has found as much work as may be started. It skips work that has had its task. It starts and claims
// nothing, releases the claims of tasks that were ended from outside, and tells the source which work has had its task. It also sets the
// interval until the next poll.
func (so *Sources) PollSource(ctx context.Context, in PollSourceInput) (Found, error) {
	found, err := so.findWork(ctx, in)
	if err != nil {
		return Found{}, err
	}
	adapt(ctx, in.Intake, found.Quiet)
	return found, nil
}

// findWork reads the source, as PollSource says.
func (so *Sources) findWork(ctx context.Context, in PollSourceInput) (Found, error) {
	s, err := so.source(in.Intake.Source)
	if err != nil {
		return Found{}, err
	}
	r, err := task.ParseRepository(in.Intake.Repository)
	if err != nil {
		return Found{}, err
	}
	f := &finder{Sources: so, source: s, in: in, query: intake.Query{Repository: r, Label: in.Intake.Label, Assignee: in.Intake.Assignee,
		Team: in.Intake.Team, Path: in.Intake.Path}}
	f.out.At, f.out.Refused = in.Now, map[string]signals.Refusal{}
	for key, r := range in.Refused { // also those that this poll does not reach
		if in.Now.Sub(r.At) < refusedFor && len(f.out.Refused) < mostRefused {
			f.out.Refused[key] = r
		}
	}
	for _, step := range []func(context.Context) error{f.release, f.keeps} {
		if err := step(ctx); err != nil {
			return Found{}, fmt.Errorf("look at %s: %w", in.Intake.Source, err)
		}
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
	f.out.Quiet = f.quiet()
	f.out.Passed = f.passed()
	return f.out, nil
}
