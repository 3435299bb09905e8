package activities

import (
	"context"
	"encoding/json"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// notRun is the exit code of a command that policy does not allow. It is a shell's for a program that can't be run.
const notRun = 126

// RunProof runs the command that shows that a deliverable is done. Its failure is a result, not an error, and it is repeated as a check is.
// A planner has proposed it, so it runs only where policy would let the implementer run it without asking.
func (c *Commands) RunProof(ctx context.Context, in CommandInput) (signals.Check, error) {
	ctx, release, err := c.slots.acquire(ctx, in.Precedence, in.Wall)
	if err != nil {
		return signals.Check{}, err
	}
	defer release()
	why, err := c.refuses(ctx, in)
	if err != nil {
		return signals.Check{}, err
	}
	if why != "" {
		return signals.Check{Command: in.Command, ExitCode: notRun, Commit: in.Commit,
			Tail: excerpt.Tail(c.redact.String("it was not run: "+why), tailSize)}, nil
	}
	return c.checks(ctx, in, "proof")
}

// refuses says why policy does not let the command run; "" when it does.
func (c *Commands) refuses(ctx context.Context, in CommandInput) (string, error) {
	tree, err := c.workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return "", err
	}
	defer tree.Close()
	where, err := layoutOf(ctx, tree)
	if err != nil {
		return "", err
	}
	dirs := c.runner.boxes.dirs(where, in.TaskID)
	implementer := SessionInput{Ref: in.Ref, Role: task.Implementer, Commands: in.Commands, Paths: in.Paths}
	enforcer, err := c.rules.of(implementer, tree.Dir(), dirs.Home, dirs.Cache)
	if err != nil {
		return "", err
	}
	call, err := json.Marshal(map[string]string{"command": in.Command})
	if err != nil {
		return "", fault.New(fault.Internal, "%w", err)
	}
	d := enforcer.judge(agent.Call{Tool: "Bash", Dir: tree.Dir(), Input: call})
	if d.Verdict == policy.Allow {
		return "", nil
	}
	return d.Reason, nil
}
