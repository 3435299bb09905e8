package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

func newSessionCommand(f *factory) *cobra.Command {
	c := &cobra.Command{
		Use: "session", Short: "Look at sessions of the native agent",
		Example: "  longshift session show x1y2z3 --session 2",
		Args:    cobra.ArbitraryArgs, RunE: command.NeedsCommand, Annotations: command.Exits(),
	}
	c.AddCommand(newSessionShowCommand(f))
	return c
}

// sessionOptions are what session show uses, and its flags.
type sessionOptions struct {
	viewer  *tasks.Viewer
	printer *term.Printer
	config  *environ.Config
	redact  func(config.Config) func(string) string
	session int
	all     bool
}

func newSessionShowCommand(f *factory) *cobra.Command {
	o := &sessionOptions{viewer: f.viewer, printer: f.printer, config: f.config, redact: f.wiring.Redact}
	c := &cobra.Command{
		Use:   "show <session>",
		Short: "Replay the conversation of a session of the native agent",
		Long: `Replay the conversation of a session of the native agent: what the model was asked, and round by round what it said, the
tools that it called, what they returned, and what people said. A session that runs is shown as far as it has come.

A session is named by the id of its workflow, TASK-session-N, or by its task and --session. Of a task with one session the id of the task
is enough. Conversations are files in the data folder of the host that ran the session; LONGSHIFT_DATA must be the worker's.

-o jsonl prints one object for each round: an answer of the model with its calls and their results. -o json prints one document, with what
the conversation began with too. Neither cuts anything. Secrets that this command knows, or that look like one, are hidden.`,
		Example: "  longshift session show acme-web-fix-login-x1y2z3-session-2\n  longshift session show x1y2z3 --session 2 --all | less\n" +
			"  longshift session show x1y2z3-session-2 -o jsonl | jq -r '.calls[]?.tool'",
		Args:              command.Takes(1, 1, "the session"),
		ValidArgsFunction: f.tasks.CompleteAll,
		Annotations:       command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitServer, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("session") && o.session < 1 {
				return fault.New(fault.Input, "--session %d: no session number", o.session).WithHint("give a number from 1 up")
			}
			return o.run(c.Context(), args[0])
		},
	}
	c.Flags().IntVar(&o.session, "session", 0, "the session of the task, by its `number`")
	c.Flags().BoolVar(&o.all, "all", false, "show prompts, arguments and results in full")
	return c
}

func (o *sessionOptions) run(ctx context.Context, given string) error {
	sessions, err := o.find(ctx, given)
	if err != nil {
		return err
	}
	return o.show(sessions)
}

// find looks up the task whose session is meant.
func (o *sessionOptions) find(ctx context.Context, given string) (taskSessions, error) {
	c, f, err := o.viewer.LookUp(ctx, given)
	if id, n, ok := signals.ParseSessionID(given); ok && o.session == 0 && fault.KindOf(err) == fault.NotFound {
		o.session = n
		c, f, err = o.viewer.LookUp(ctx, id)
	}
	if err != nil {
		return taskSessions{}, err
	}
	config, err := o.config.Read()
	if err != nil {
		return taskSessions{}, err
	}
	status := o.viewer.Poller(c, f).Poll(ctx).Status
	if ctx.Err() != nil {
		return taskSessions{}, term.ErrInterrupted
	}
	dir, err := taskFolder(config.Data, f, status)
	return taskSessions{task: f.ID, dir: dir, host: environ.OwnHost(config.Data), status: status}, err
}

func (o *sessionOptions) show(sessions taskSessions) error {
	if err := sessions.read(); err != nil {
		return err
	}
	s, err := sessions.choose(o.session)
	if err != nil {
		return err
	}
	if sessions.host != "" && sessions.isElsewhere(s) {
		o.printer.Say("session %d has gone on on host %s; this is as far as it came here", s.N, term.OneLine(s.Host))
	}
	c, err := conversationIn(s.folder)
	if err != nil {
		return unreadable(err, s.task, fmt.Sprintf("session %d", s.N))
	}
	config, err := o.config.Read()
	if err != nil {
		return err
	}
	redact := o.redact(config)
	clean := func(text string) string { return redact(term.Plain(text)) }
	r := newReplay(c, s, clean)
	if o.printer.Format == term.FormatJSONL {
		return o.printer.Print(r.Rounds, nil)
	}
	text := replayText{printer: o.printer, clean: clean, all: o.all}
	if err := o.printer.Print(r, func() string { return text.of(r) }); err != nil {
		return err
	}
	if text.cut {
		o.printer.Say("long texts are cut; --all shows them whole")
	}
	return nil
}

// conversationIn reads the conversation of a session as far as it has come.
func conversationIn(folder transcript.Folder) (*transcript.Conversation, error) {
	head, err := folder.Head()
	if err != nil {
		return nil, err
	}
	return folder.Store().Load(head)
}

// unreadable is the error for a conversation that can't be read.
func unreadable(err error, task, session string) error {
	kind := fault.Internal
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.Denied, "%s of task %s: %w", session, task, err).WithHint("run as the user of the worker")
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, transcript.ErrMissing):
		kind = fault.NotFound
	}
	return fault.New(kind, "%s of task %s: %w", session, task, err).WithHint("what it did is in its log too: `longshift logs %s`", task)
}
