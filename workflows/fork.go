package workflows

import (
	"go.temporal.io/sdk/workflow"
)

// forkOff sees to the fork that takes the task's branch, where the input wants one.
func (t *pipeline) forkOff(ctx workflow.Context) error {
	if !t.input.Fork {
		return nil
	}
	err := t.insist(ctx, func() error {
		return workflow.ExecuteActivity(t.control(ctx, "find or make the fork"), desk.ForkRepository, t.repo).Get(ctx, &t.fork)
	})
	if err == nil {
		t.say(ctx, "fork", "branches go to %s", t.fork.Text)
	}
	return err
}
