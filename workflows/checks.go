package workflows

import (
	"fmt"
	"slices"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// mostUnfinished is how often in a row a check may be cut off before a person is asked.
const mostUnfinished = 2

// checks runs the setup and check commands of the repository.
type checks struct {
	facts
	journal  *journal
	budget   *budget
	parking  *parking
	runner   *runner
	briefing *briefing

	checked   int  // runs of the check command
	setups    int  // runs of the setup command
	proofs    int  // runs of proofs of deliverables
	ready     tree // for which setup has passed
	setIn     int  // in which of the task's workspaces setup last ran
	cleanIn   int  // which of them was last emptied of all that is not committed
	unchecked bool // something has changed since the last check
}

// tree is a work tree at a commit.
type tree struct {
	made int // which of the task's workspaces it is, from 1
	head string
}

// setupOnce is the change since which setup does not run again on a tree for which it has passed.
const setupOnce = "setup-once"

// invalidate notes that the work has changed since the last check.
func (ck *checks) invalidate() { ck.unchecked = true }

// missing tells whether the work as it is has not been checked.
func (ck *checks) missing() bool { return ck.status.Check == nil || ck.unchecked }

// baseline runs setup and check before anything is planned. Planner, implementer and reviewer are told what failed before the task's work.
func (ck *checks) baseline(ctx workflow.Context) error {
	if ck.settings.Check == "" {
		return nil
	}
	if err := ck.setup(ctx); err != nil {
		return err
	}
	ck.journal.enter(ctx, task.Checking)
	if err := ck.check(ctx); err != nil {
		return err
	}
	ck.status.BaseCheck = ck.status.Check
	return nil
}

// setup runs the setup command, unless it has passed on the tree as it is. A failure stops nothing; its output is for people.
func (ck *checks) setup(ctx workflow.Context) error {
	if ck.ready == ck.tree() && workflow.GetVersion(ctx, setupOnce, workflow.DefaultVersion, 1) >= 1 {
		return nil
	}
	return ck.setUp(ctx, false)
}

// freshTree is the change since which setup runs in each work tree: also in that of a follow-up round, and of the host that took the task over.
const freshTree = "fresh-tree"

// setupAnew runs the setup command when it has not run in this work tree. Nothing that it made elsewhere is there.
func (ck *checks) setupAnew(ctx workflow.Context) error {
	if !ck.bare(ctx) {
		return nil
	}
	phase := ck.status.Phase
	if err := ck.setUp(ctx, false); err != nil {
		return err
	}
	ck.journal.enter(ctx, phase)
	return nil
}

// bare tells whether the work tree is one in which setup has not run.
func (ck *checks) bare(ctx workflow.Context) bool {
	return ck.settings.Setup != "" && ck.setIn != ck.runner.made && workflow.GetVersion(ctx, freshTree, workflow.DefaultVersion, 1) >= 1
}

func (ck *checks) tree() tree { return tree{ck.runner.made, ck.status.Head} }

// setUp runs the setup command; clean is for commands whose result is evidence.
func (ck *checks) setUp(ctx workflow.Context, clean bool) error {
	if ck.settings.Setup == "" {
		return nil
	}
	ck.journal.enter(ctx, task.SettingUp)
	ck.setups++
	in := activities.CommandInput{N: ck.setups, Command: ck.settings.Setup, Clean: clean}
	c, err := ck.command(ctx, commands.RunSetup, in, "setup: ")
	if err != nil {
		return err
	}
	ck.status.Setup, ck.setIn = c, ck.runner.made
	ck.ready = tree{} // a clean run has another home folder, and followed on the removal of ignored files
	if c.Passed() && !clean {
		ck.ready = ck.tree()
	}
	return nil
}

// check runs the check command on the workspace, again if it is killed or runs out of time: that says nothing about the work. A failure
// stops nothing.
func (ck *checks) check(ctx workflow.Context) error {
	if ck.settings.Check == "" {
		return nil
	}
	for unfinished := 0; ; {
		c, err := ck.judge(ctx, false, func() (*signals.Check, error) {
			ck.checked++
			return ck.command(ctx, commands.RunChecks, activities.CommandInput{N: ck.checked, Command: ck.settings.Check}, "check: ")
		})
		if err != nil {
			return err
		}
		if c.Unfinished == "" {
			ck.status.Check, ck.unchecked = c, false
			return nil
		}
		if unfinished++; unfinished%mostUnfinished == 0 {
			if err := ck.parking.suspendOwn(ctx, signals.ReasonInfra, "the check did not finish, %d times: %s",
				unfinished, c.Unfinished); err != nil {
				return err
			}
		}
	}
}

// prove runs the proof of a deliverable on the work as it is.
func (ck *checks) prove(ctx workflow.Context, d task.Deliverable, clean bool) (*signals.Check, error) {
	return ck.judge(ctx, clean, func() (*signals.Check, error) {
		ck.proofs++
		in := activities.CommandInput{N: ck.proofs, Command: d.Proof, Commands: ck.settings.Commands, Clean: clean}
		return ck.command(ctx, commands.RunProof, in, d.ID+": ")
	})
}

// sound tells whether the last check lets the work pass.
func (ck *checks) sound() bool {
	c := ck.status.Check
	return c == nil || c.Passed() || ck.knownRed(c)
}

// knownRed tells whether the settings let a failing check pass, for each test that fails is known by name and failed on the base.
func (ck *checks) knownRed(c *signals.Check) bool {
	base := ck.status.BaseCheck
	if ck.settings.KnownRed != task.KnownRedReady || base == nil || base.Passed() || len(c.Failing) == 0 {
		return false
	}
	return !slices.ContainsFunc(c.Failing, func(name string) bool { return !slices.Contains(base.Failing, name) })
}

// named lists the first few names of tests.
func named(tests []string) string {
	if len(tests) == 0 {
		return ""
	}
	const most = 5
	text := " (" + strings.Join(tests[:min(len(tests), most)], ", ")
	if n := len(tests) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return excerpt.Clip(text, 400) + ")"
}

// mostOutput limits the end of a command's output in the log, in bytes. All of it is in a file on the host.
const mostOutput = 1000

// command runs a command that judges the work, or sets it up, on the task's host.
func (ck *checks) command(ctx workflow.Context, activity any, in activities.CommandInput, label string) (*signals.Check, error) {
	if err := ck.parking.haveTime(ctx); err != nil {
		return nil, err
	}
	var c signals.Check
	err := ck.parking.insist(ctx, func() error {
		wall := ck.status.BudgetTime - ck.status.Worked // a person may have added to it while the step could not run
		return ck.runner.onHost(ctx, step{
			options: func(ctx workflow.Context) workflow.Context {
				return ck.assignment.long(ctx, label+excerpt.Clip(in.Command, 100), wall)
			},
			call: func(ctx workflow.Context) error {
				in.Ref, in.Commit, in.Wall, in.Next = ck.ref(), ck.status.Head, wall, ck.briefing.ahead()
				in.Paths, in.Env, in.Precedence = ck.settings.Paths, ck.settings.Env, ck.precedence(ctx)
				return workflow.ExecuteActivity(ctx, activity, in).Get(ctx, &c)
			},
		})
	})
	if err != nil {
		return nil, err
	}
	ck.budget.worked(c.Duration)
	word := "passed"
	switch {
	case c.Unfinished != "":
		word = "did not finish (" + c.Unfinished + ")"
	case c.Flaky:
		word = "is flaky: it failed, and passed on the same content,"
	case !c.Passed():
		word = "failed"
	}
	if c.Tail != "" { // before the line that chats show
		ck.journal.say(ctx, "output", "%s%s", label, excerpt.Tail(c.Tail, mostOutput))
	}
	ran := ""
	if c.Ran != nil {
		ran = ", " + c.Ran.String()
	}
	ck.journal.say(ctx, "command", "%s%s %s in %s%s%s", label, firstLine(in.Command), word, took(c.Duration), ran, named(c.Failing))
	return &c, nil
}

// nothingToDo ends a task that changes nothing. While the check fails that is no success.
func (ck *checks) nothingToDo(format string, args ...any) error {
	if !ck.sound() {
		return end(task.ChecksFailed, "nothing was changed, and %s\n%s", ck.red(), fmt.Sprintf(format, args...))
	}
	return end(task.AlreadyDone, format, args...)
}

// red says how the check fails.
func (ck *checks) red() string {
	c := ck.status.Check
	text := fmt.Sprintf("the check %s fails with exit code %d%s", firstLine(c.Command), c.ExitCode, named(c.Failing))
	if b := ck.status.BaseCheck; b != nil && !b.Passed() {
		text += "; it failed on the base, too" + named(b.Failing)
	}
	return text
}
