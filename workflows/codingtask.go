// Package workflows decides what happens in which order. It is deterministic and does no I/O: of Longshift it imports the contract, types of
// data and pure functions, and activities as typed nil receivers or functions. A change to the order of commands needs workflow.GetVersion
// and a recorded history.
package workflows

import (
	"encoding/json"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// CodingTask carries one task from a sentence to a pull request. Its input is one task.Input as a JSON object.
// Every ending that is not a mistake in the input is a result, with its outcome in it.
func CodingTask(ctx workflow.Context, input json.RawMessage) (signals.Status, error) {
	t, err := begin(ctx, input)
	if err != nil {
		return signals.Status{}, err
	}
	t.useImages(ctx, false)
	return t.finish(ctx, t.run(t.work))
}

// run is the whole pipeline. Each stage returns nil when the next one may start, or the ending of the task.
func (t *pipeline) run(ctx workflow.Context) error {
	for _, stage := range []func(workflow.Context) error{t.prepare, t.checks.baseline} {
		if err := stage(ctx); err != nil {
			return err
		}
	}
	t.status.Iteration = 1
	if t.def.input.Sync {
		return t.sync(ctx)
	}
	for from := planning; ; {
		at, err := t.iterate(ctx, from)
		l := (*lost)(nil)
		switch {
		case asError(err, &l):
			from = t.deliverables.lose(ctx, l, at)
		case err != nil || t.status.Review.Approved:
			return err
		case t.status.Iteration >= t.settings.Iterations:
			return end(task.MaxIterations, "the review still asks for changes after %d rounds: %s", t.status.Iteration, t.status.Review.Text)
		default:
			if err := t.atImpasse(ctx); err != nil {
				return err
			}
			t.status.Iteration++
			from = planning
		}
	}
}

// Stages of an iteration that it may begin with.
const (
	planning  = 0
	settingUp = 2
)

// iterate runs the stages beginning with from, and publishes what the review approves. On an error it returns the stage that failed.
func (t *pipeline) iterate(ctx workflow.Context, from int) (at int, err error) {
	stages := []func(workflow.Context) error{t.plan, t.approve, t.checks.setup, t.deliverables.execute, t.review}
	if from == planning {
		t.journal.say(ctx, "iteration", "%d of %d", t.status.Iteration, t.status.Iterations)
	}
	for at = from; at < len(stages); at++ {
		if err := stages[at](ctx); err != nil {
			return at, err
		}
	}
	if !t.status.Review.Approved {
		return at, nil
	}
	return at, t.publisher.publish(ctx)
}
