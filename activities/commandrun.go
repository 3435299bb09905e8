package activities

import (
	"context"
	"os"

	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace"
)

type commandRunner struct {
	boxes    *boxes
	env      Environment
	commands *commandLog
}

// run runs the command in a box. It writes an entry into the command log first, and completes it at the end.
func (r *commandRunner) run(
	ctx context.Context, in CommandInput, tree *workspace.Tree, s process.Spec, kind string,
) (process.Result, error) {
	where, err := layoutOf(ctx, tree)
	if err != nil {
		return process.Result{}, err
	}
	dirs := r.boxes.dirs(where, in.TaskID)
	if in.Clean {
		dirs.Home = cleanHomeOf(r.boxes.data, in.TaskID)
	}
	if err := os.MkdirAll(dirs.Home, 0o700); err != nil {
		return process.Result{}, fault.New(fault.Infra, "make the task's home folder: %w", err)
	}
	box, err := r.boxes.spec(ctx, where, dirs, false, pathScope{PathSettings: in.Paths})
	if err != nil {
		return process.Result{}, err
	}
	box.Writable = append(box.Writable, dirs.Home)
	r.boxes.connectRegistries(&box, dirs.Home, ".", dirs, func() *Caller { return &Caller{Task: in.TaskID, Role: kind} })
	if s.Env, err = r.env.forCommand(where.of, dirs, kind, in.Env); err != nil {
		return process.Result{}, err
	}
	done, err := r.commands.begin(ctx, audit.Record{Task: in.TaskID, Kind: audit.KindRun, Tool: kind, Command: visible(in.Command),
		Decision: audit.Allow, Rule: "project." + kind, Reason: "the " + kind + " command of the project's settings"})
	if err != nil {
		return process.Result{}, fault.New(fault.Infra, "write the command log: %w", err)
	}
	// Half of what is kept is the end of the output: more than the tail, because hiding secrets may shorten it.
	res, err := r.boxes.run(ctx, s, process.Limits{Wall: in.Wall, Keep: 4 * tailSize}, box)
	if err == nil {
		done(res.Recorded(), res.Duration)
	}
	return res, err
}
