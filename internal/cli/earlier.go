package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// earlierTask reads an ended task that another one is made of, or that is undone.
type earlierTask struct {
	tasks  *tasks.Tasks
	viewer *tasks.Viewer
	config *environ.Config
	parse  func(input []byte) (task.Input, error)
	user   string
}

func newEarlierTask(f *factory) earlierTask {
	return earlierTask{f.tasks, f.viewer, f.config, f.wiring.ParseInput, f.env.User()}
}

// read returns the input of an ended task and its last status. hint says what to do about one that has not ended.
func (e earlierTask) read(ctx context.Context, given, hint string) (c client.Client, in task.Input, s *signals.Status, err error) {
	c, found, err := e.viewer.LookUp(ctx, given)
	if err != nil {
		return c, in, nil, err
	}
	input, err := tasks.InputOf(ctx, c, found)
	if err != nil {
		return c, in, nil, err
	}
	if found.Running() {
		return c, in, nil, fault.New(fault.Conflict, "task %s has not ended", found.ID).WithHint("%s", hint)
	}
	if in, err = e.parse(input); err != nil {
		return c, in, nil, err
	}
	seen, err := e.viewer.Once(ctx, c, found)
	if seen.Status == nil {
		return c, in, nil, err
	}
	return c, in, seen.Status, nil // a task that failed has a status, too
}

// follower returns the last status of the workflow that follows a pull request, nil when nobody has followed it.
func (e earlierTask) follower(ctx context.Context, c client.Client, repository string, number int) (*signals.Status, error) {
	repo, err := task.ParseRepository(repository)
	if err != nil || repo.Owner == "" {
		return nil, err
	}
	conf, err := e.config.Read()
	if err != nil {
		return nil, err
	}
	id := signals.PullRequestID(cmp.Or(repo.Host, conf.GitHub.Host()), repo.Owner, repo.Name, number)
	found, err := e.tasks.Find(ctx, c, id)
	switch k := fault.KindOf(err); {
	case err != nil && k != fault.NotFound && k != fault.Input:
		return nil, err
	case found.ID != id: // Find takes parts of ids too, so it may have found the follower of another pull request, or several
		return nil, nil
	}
	seen, err := e.viewer.Once(ctx, c, found)
	if seen.Status == nil {
		return nil, err
	}
	return seen.Status, nil
}

// undone reports whether undo has deleted the branch of an ended task.
func (e earlierTask) undone(ctx context.Context, c client.Client, s *signals.Status) (bool, error) {
	call, cancel := server.Answer(ctx)
	defer cancel()
	id := signals.UndoID(s.WorkflowID)
	d, err := c.DescribeWorkflowExecution(call, id, "")
	var none *serviceerror.NotFound
	if errors.As(err, &none) {
		return false, nil
	}
	if err != nil {
		return false, e.tasks.Refused(err, s.WorkflowID)
	}
	info := d.GetWorkflowExecutionInfo()
	if info.GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED || info.GetStartTime().AsTime().Before(s.Started) { // of an earlier task with this id
		return false, nil
	}
	var out signals.Undone
	if err := c.GetWorkflow(call, id, info.GetExecution().GetRunId()).Get(call, &out); err != nil {
		return false, e.tasks.Refused(err, s.WorkflowID)
	}
	return out.Moved == "", nil // one that somebody has moved stays
}

const steerOrEnd = "steer it with `longshift tell`, or end it with `longshift cancel`"

// start starts a task for the person who asks now. Its id is made of in alone. about, of which the end may be cut off, tells the planner of
// the earlier task.
func (e earlierTask) start(ctx context.Context, l *launcher, c client.Client, in task.Input, told, about string) error {
	conf, err := e.config.Read()
	if err != nil {
		return err
	}
	if err := cmp.Or(e.tasks.RefuseToken("the text of the task", in.Task), e.tasks.RefuseToken("--tell", told)); err != nil {
		return err
	}
	in.RequestedBy = &task.Person{Name: e.user, Via: "cli"}
	if err := l.name(in, conf.GitHub.Host()); err != nil {
		return err
	}
	in.Task += told
	if room := task.MaxTask - len(in.Task); room > 0 {
		in.Task += excerpt.Clip(about, room)
	}
	return l.start(ctx, c, in)
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
