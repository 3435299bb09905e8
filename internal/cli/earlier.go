package cli

import (
	"context"
	"fmt"
	"io"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// earlierTask reads an ended task that another one is made of.
type earlierTask struct {
	viewer *tasks.Viewer
	config *environ.Config
	parse  func(input []byte) (task.Input, error)
	user   string
}

func newEarlierTask(f *factory) earlierTask {
	return earlierTask{f.viewer, f.config, f.wiring.ParseInput, f.env.User()}
}

// read returns the input of an ended task, as of the person who asks now, and its last status.
func (e earlierTask) read(ctx context.Context, given string) (c client.Client, in task.Input, s *signals.Status, err error) {
	c, found, err := e.viewer.LookUp(ctx, given)
	if err != nil {
		return c, in, nil, err
	}
	if found.Running() {
		return c, in, nil, fault.New(fault.Conflict, "task %s has not ended", found.ID).
			WithHint("steer it with `longshift tell`, or end it with `longshift cancel`")
	}
	seen, err := e.viewer.Once(ctx, c, found)
	if err != nil && seen.Status == nil {
		return c, in, nil, err
	}
	input, err := tasks.InputOf(ctx, c, found)
	if err != nil {
		return c, in, nil, err
	}
	if in, err = e.parse(input); err != nil {
		return c, in, nil, err
	}
	in.RequestedBy = &task.Person{Name: e.user, Via: "cli"}
	return c, in, seen.Status, nil
}

// name settles the id of the new task.
func (e earlierTask) name(l *launcher, in task.Input) error {
	conf, err := e.config.Read()
	if err != nil {
		return err
	}
	return l.name(in, forgeHost(conf))
}

// planText tells an agent what was planned, and what came of it.
func planText(w io.Writer, p *task.Plan) {
	if p == nil {
		return
	}
	fmt.Fprintf(w, "\nIts plan: %s\n", term.Plain(p.Summary))
	for _, d := range p.Deliverables {
		fmt.Fprintf(w, "- %s (%s): %s\n", d.ID, d.Status, term.OneLine(d.Description))
	}
}
