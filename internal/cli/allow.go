package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

func (p *program) allowCommand() *cobra.Command {
	var r signals.AllowRequest
	c := p.questionCommand("allow", "Let a command run that waits for a person, or a branch be pushed",
		"The approval is for this text, in this folder, in this task, once, with the files that it names as they are, and it expires;\nthat of a push is for these files as they are.")
	c.Flags().StringVar(&r.Comment, "comment", "", "`text` told to the session")
	c.Flags().BoolVar(&r.ForTask, "for-task", false, "let the command run in this task "+signals.ForTask)
	c.RunE = func(c *cobra.Command, args []string) error {
		r.Question = strings.Join(args[1:], "")
		return p.deliver(c.Context(), args[0], signals.Allow, func(m signals.Message) any { r.Message = m; return r })
	}
	return c
}

func (p *program) denyCommand() *cobra.Command {
	var r signals.DenyRequest
	c := p.questionCommand("deny", "Refuse a command that waits for a person, or a push", "The session is told, and does without. A branch that may not be pushed is kept, and no pull request is opened.")
	c.Flags().StringVar(&r.Reason, "reason", "", "`text` told to the session")
	c.RunE = func(c *cobra.Command, args []string) error {
		r.Question = strings.Join(args[1:], "")
		return p.deliver(c.Context(), args[0], signals.Deny, func(m signals.Message) any { r.Message = m; return r })
	}
	return c
}

// questionCommand is the shape of the two answers.
func (p *program) questionCommand(name, short, long string) *cobra.Command {
	return &cobra.Command{
		Use: name + " <task> [question]", Short: short,
		Long:    long + "\nWithout a question, the only one that waits is meant; `longshift status TASK` shows them.",
		Example: "  longshift " + name + " x1y2z3\n  longshift " + name + " x1y2z3 4f2a91c0",
		Args:    takes(1, 2, "the task"), ValidArgsFunction: p.completeTask,
		Annotations: exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitConflict, fault.ExitServer, fault.ExitInterrupt),
	}
}

// questionsText shows the commands that wait for a person.
func questionsText(status *signals.Status, now time.Time) string {
	var b strings.Builder
	for _, q := range status.Questions {
		if q.Push() {
			fmt.Fprintf(&b, "%s  the branch is to be pushed with these changes\n  %s\n  rule %s: %s\n", oneLine(q.ID), indent(plain(q.Command), 2), oneLine(q.Rule), oneLine(q.Reason))
			continue
		}
		in := "the workspace"
		if q.Dir != "" {
			in = oneLine(q.Dir)
		}
		fmt.Fprintf(&b, "%s  %s\n  in %s, asked by session %d (%s), rule %s: %s\n", oneLine(q.ID), oneLine(q.Command), in, q.Session, oneLine(string(q.Role)),
			oneLine(q.Rule), oneLine(q.Reason))
		if bound := q.Bound(); bound != "" {
			fmt.Fprintf(&b, "  %s\n", oneLine(bound))
		}
		if left := q.Expires.Sub(now); left > 0 {
			fmt.Fprintf(&b, "  no answer in %s is a no\n", remaining(left))
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
