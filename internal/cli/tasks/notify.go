package tasks

import (
	"context"
	"os/exec"

	"github.com/spf13/pflag"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/signals"
)

// FollowFlags are the flags of commands that follow a task.
type FollowFlags struct {
	UntilPlan             bool // end when the plan waits for a decision
	wait, notify, verbose bool
	debug                 bool
}

// Define adds the flags. when says when they count, "" for always.
func (f *FollowFlags) Define(flags *pflag.FlagSet, when string) {
	flags.BoolVar(&f.wait, "wait", false, when+"without a terminal: stay while the task is suspended")
	flags.BoolVar(&f.verbose, "verbose", false, when+"show every line of the log, and what sessions do; for all of it see longshift logs -f")
	flags.BoolVar(&f.notify, "notify", false,
		when+"ring the bell, and show a notification on the desktop, when the task needs you and when it ends")
	DefineDebug(flags, &f.debug, when)
}

// Given returns the flag that was given, "" for none.
func (f *FollowFlags) Given() string {
	switch {
	case f.wait:
		return "--wait"
	case f.verbose:
		return "--verbose"
	case f.notify:
		return "--notify"
	case f.debug:
		return "--debug"
	}
	return ""
}

// notifier returns what tells a person who does not look at the terminal: its bell, and a notification where the desktop has a program
// for that.
func (v *Viewer) notifier(ctx context.Context, screen *term.Screen) func(text string) {
	desktop := v.desktop()
	return func(text string) {
		if screen.IsLive() {
			screen.Bell()
		}
		if len(desktop) == 0 {
			return
		}
		ctx, cancel := context.WithTimeout(ctx, environ.AskWithin)
		defer cancel()
		cmd := exec.CommandContext(ctx, desktop[0], append(desktop[1:], text)...)
		cmd.Env = v.server.Env.Vars
		_ = cmd.Run() // without a desktop session there is the bell
	}
}

// desktop is the command that shows a text, nil for none.
func (v *Viewer) desktop() []string {
	for _, command := range [][]string{
		{"notify-send", "--app-name=Longshift", "Longshift"},
		{"osascript", "-e", "on run argv", "-e", `display notification (item 1 of argv) with title "Longshift"`, "-e", "end run"},
	} {
		if path, err := v.server.Env.Program(command[0]); err == nil {
			return append([]string{path}, command[1:]...)
		}
	}
	return nil
}

// notify says that the task needs a person, once each time, and once that it has ended, which its workflow may outlast.
func (f *follower) notify(s *signals.Status) {
	needed, ended := f.needed, f.ended
	f.needed, f.ended = s.NeedsHuman, IsEnded(s)
	switch {
	case f.options.Notify == nil:
	case f.ended && !ended:
		f.options.Notify(f.id + ": " + OutcomeText(s))
	case f.ended:
	case f.needed && !needed:
		why := phaseText(s.Phase)
		if s.Reason != "" {
			why = reasonText(s.Reason)
		}
		f.options.Notify(f.id + " needs you: " + why)
	}
}
