package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// undoOptions are what undo uses, and its flag.
type undoOptions struct {
	earlierTask
	sender   *sender
	terminal *term.Input
	streams  term.Streams
	printer  *term.Printer
	git      environ.Git
	yes      bool
}

func newUndoCommand(f *factory) *cobra.Command {
	o := &undoOptions{earlierTask: newEarlierTask(f), sender: newSender(f), terminal: f.terminal, streams: f.streams, printer: f.printer,
		git: f.git}
	c := &cobra.Command{
		Use:   "undo <task>",
		Short: "Close the pull request of an ended task and delete its branch",
		Long: `Close the pull request of an ended task without merging it, and delete the task's branch, checkpoint and fence on the remote.
A branch that somebody else has moved stays. Of a task whose pull request is merged nothing is deleted. What is gone already is no
error: undo can be repeated. A worker does it, and continues when this command is interrupted.`,
		Example:           "  longshift undo x1y2z3\n  longshift undo x1y2z3 --yes -o json | jq -r '.deleted[]'",
		Args:              command.TakesTask(1),
		ValidArgsFunction: f.tasks.CompleteEnded,
		Annotations:       command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitConflict, fault.ExitServer, fault.ExitInterrupt),
		RunE:              func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
	c.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return c
}

func (o *undoOptions) run(ctx context.Context, given string) error {
	if !o.yes && !o.streams.InTTY {
		return fault.New(fault.Input, "undo asks before it deletes, and standard input is no terminal").WithHint("give --yes")
	}
	c, was, s, err := o.read(ctx, given, "end it with `longshift cancel`, then undo it")
	if err != nil {
		return err
	}
	in, url, err := o.input(ctx, c, was.Fork, s)
	if err != nil {
		return err
	}
	if err := o.free(ctx, in); err != nil {
		return err
	}
	if !o.yes {
		yes, err := o.confirm(ctx, undoPlan(in, url))
		if err != nil {
			return err
		}
		if !yes {
			o.printer.Say("nothing was changed")
			return nil
		}
	}
	result, err := o.undo(ctx, c, s.WorkflowID, in)
	if err != nil {
		return err
	}
	done := undone{Task: s.WorkflowID, PullRequest: url, Closed: result.Closed, Deleted: result.Deleted, NoFork: result.NoFork, Moved: result.Moved,
		branch: in.Branch}
	if done.Deleted == nil {
		done.Deleted = []string{}
	}
	return o.printer.Print(done, done.text)
}

// undo has a worker do it, and waits for the result. An Undo of the task that runs already is waited for.
func (o *undoOptions) undo(ctx context.Context, c client.Client, id string, in signals.UndoInput) (result signals.Undone, err error) {
	call, cancel := server.Answer(ctx)
	defer cancel()
	run, err := c.ExecuteWorkflow(call, client.StartWorkflowOptions{ID: signals.UndoID(id), TaskQueue: signals.Queue,
		WorkflowTaskTimeout: signals.WorkflowTaskTimeout}, signals.Undo, in)
	if err == nil {
		o.sender.patiently(func() { err = run.Get(ctx, &result) })
	}
	switch {
	case err == nil:
		return result, nil
	case ctx.Err() != nil:
		o.printer.Say("interrupted; the undo continues if it was started: see with `longshift undo %s`", id)
		return result, term.Exit{Code: fault.ExitInterrupt}
	}
	return result, o.sender.tasks.Refused(err, id)
}

// confirm asks on the terminal. Only a yes counts as one.
func (o *undoOptions) confirm(ctx context.Context, what string) (bool, error) {
	fmt.Fprint(o.streams.Err, term.Plain(what)+" [y/N]: ")
	line, _, err := o.terminal.Lines().Next(ctx)
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", err
}

// undoPlan asks whether to do what undo would do.
func undoPlan(in signals.UndoInput, url string) string {
	what := "Delete "
	if url != "" {
		what = "Close " + url + ", and delete "
	}
	if in.Branch != "" {
		what += "branch " + in.Branch + " and "
	}
	return what + "the other refs of task " + in.TaskID + " in " + in.Repository + "?"
}

// undone is what undo prints.
type undone struct {
	Task        string   `json:"task"`
	PullRequest string   `json:"pullRequest,omitempty"` // address
	Closed      bool     `json:"closed"`                // by this undo
	Deleted     []string `json:"deleted"`               // full names of refs
	NoFork      bool     `json:"noFork,omitempty"`      // no fork of the repository's name was found
	Moved       string   `json:"moved,omitempty"`       // commit of the branch, when it stays because somebody has moved it

	branch string
}

func (u undone) text() string {
	var b strings.Builder
	if u.Closed {
		fmt.Fprintf(&b, "closed %s\n", term.OneLine(u.PullRequest))
	}
	for _, ref := range u.Deleted {
		fmt.Fprintf(&b, "deleted %s\n", term.OneLine(ref))
	}
	if u.NoFork {
		b.WriteString("no fork of the repository's name is left; in one of another name, delete what the task has pushed yourself\n")
	}
	if b.Len() == 0 {
		b.WriteString("nothing was left to do\n")
	}
	if u.Moved != "" {
		fmt.Fprintf(&b, "branch %s stays: it was moved to %.10s meanwhile; undo again if the task's follower did that, or delete it yourself "+
			"with `git push --delete`\n", term.OneLine(u.branch), u.Moved)
	}
	return b.String()
}
