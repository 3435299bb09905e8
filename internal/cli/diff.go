package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/fault"
)

// diffOptions are what diff uses.
type diffOptions struct{ *branchFinder }

func newDiffCommand(f *factory) *cobra.Command {
	o := &diffOptions{newBranchFinder(f)}
	return &cobra.Command{
		Use:   "diff <task> [-- <flags of git diff>]",
		Short: "Show what a task has changed",
		Long: `Show what a task has changed since the commit that it started from, by git diff with your pager and colours. Commits that are
on a forge are fetched into the clone of the current folder; no branch is changed. A task that still works shows what it has committed.`,
		Example:           "  longshift diff x1y2z3\n  longshift diff x1y2z3 -- --stat\n  longshift diff x1y2z3 -o json | jq -r '.files[].path'",
		Args:              command.TakesTask(100),
		ValidArgsFunction: f.tasks.CompleteAll,
		Annotations:       command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitConflict, fault.ExitServer, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, args []string) error {
			if n := c.ArgsLenAtDash(); len(args) > 1 && n != 1 {
				return fault.New(fault.Input, "unexpected argument %q", args[1]).WithHint("flags of git diff follow after --")
			}
			if len(args) > 1 && !o.printer.IsText() {
				return fault.New(fault.Input, "-o %s with flags of git diff: it lists all files with their numbers of lines", o.printer.Format).
					WithHint("leave out what follows --, or -o")
			}
			return o.run(c.Context(), args[0], args[1:])
		},
	}
}

func (o *diffOptions) run(ctx context.Context, given string, flags []string) error {
	t, err := o.find(ctx, given)
	if err != nil {
		return err
	}
	if !o.printer.IsText() {
		files, err := o.files(ctx, t)
		if err != nil {
			return err
		}
		return o.printer.Print(files, nil)
	}
	return o.attached(ctx, t.Dir, fault.Work, append([]string{"diff", t.Base + "..." + t.Head}, flags...)...)
}

// taskDiff is what diff prints as JSON.
type taskDiff struct {
	taskBranch
	Files []fileDiff `json:"files"`
}

// fileDiff counts the lines of one file. Both counts are -1 for a binary file.
type fileDiff struct {
	Path    string `json:"path"`
	Added   int    `json:"added"`
	Deleted int    `json:"deleted"`
}

func (o *diffOptions) files(ctx context.Context, t taskBranch) (taskDiff, error) {
	d := taskDiff{taskBranch: t, Files: []fileDiff{}}
	text, err := o.git.Run(ctx, t.Dir, "diff", "--numstat", "--no-renames", "-z", t.Base+"..."+t.Head)
	if err != nil {
		return d, fmt.Errorf("git diff: %w", err)
	}
	count := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil { // "-" stands for binary content
			return -1
		}
		return n
	}
	for entry := range strings.SplitSeq(strings.TrimSuffix(text, "\x00"), "\x00") {
		if part := strings.SplitN(entry, "\t", 3); len(part) == 3 {
			d.Files = append(d.Files, fileDiff{part[2], count(part[0]), count(part[1])})
		}
	}
	return d, nil
}
