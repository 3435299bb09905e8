package workflows

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// mostUnfinished is how often in a row a check may not come to its end before a person is asked.
const mostUnfinished = 2

// baseline runs setup and check before anything is planned. What fails then is no fault of the task's work, and is told to everybody
// who judges it.
func (t *pipeline) baseline(ctx workflow.Context) error {
	if t.settings.Check == "" {
		return nil
	}
	if err := t.setup(ctx); err != nil {
		return err
	}
	t.enter(ctx, task.Checking)
	if err := t.check(ctx); err != nil {
		return err
	}
	t.status.BaseCheck = t.status.Check
	return nil
}

// setup runs the setup command. Its failure stops nothing; its output is for people.
func (t *pipeline) setup(ctx workflow.Context) error {
	if t.settings.Setup == "" {
		return nil
	}
	t.enter(ctx, task.SettingUp)
	t.setups++
	c, err := t.command(ctx, host.RunSetup, t.settings.Setup, t.setups, "setup: ")
	if err != nil {
		return err
	}
	t.status.Setup = c
	return nil
}

// check runs the check command on what stands until it comes to its end: one that is killed or runs out of time says nothing about
// the work. Its failure stops nothing.
func (t *pipeline) check(ctx workflow.Context) error {
	if t.settings.Check == "" {
		return nil
	}
	for n := 1; ; n++ {
		t.checks++
		c, err := t.command(ctx, host.RunChecks, t.settings.Check, t.checks, "check: ")
		if err != nil {
			return err
		}
		if c.Unfinished == "" {
			t.status.Check, t.unchecked = c, false
			return nil
		}
		if n%mostUnfinished == 0 {
			if err := t.suspend(ctx, signals.ReasonInfra, "the check did not come to its end, %d times: %s", n, c.Unfinished); err != nil {
				return err
			}
		}
	}
}

// sound tells whether the last check lets the work pass.
func (t *pipeline) sound() bool {
	c := t.status.Check
	return c == nil || c.Passed() || t.knownRed(c)
}

// knownRed tells whether the settings let a failing check pass, for each test that fails is known by name and failed on the base.
func (t *pipeline) knownRed(c *signals.Check) bool {
	base := t.status.BaseCheck
	if t.settings.KnownRed != task.KnownRedReady || base == nil || base.Passed() || len(c.Failing) == 0 {
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
	return clip(text, 400) + ")"
}

// command runs the setup or check command on the task's host.
func (t *pipeline) command(ctx workflow.Context, activity any, command string, n int, label string) (*signals.Check, error) {
	if err := t.haveTime(ctx); err != nil {
		return nil, err
	}
	wall := t.status.BudgetTime - t.status.Worked
	var c signals.Check
	err := t.insist(ctx, func() error {
		return t.onHost(ctx, step{
			options: func(ctx workflow.Context) workflow.Context {
				return t.long(ctx, label+clip(command, 100), wall)
			},
			call: func(ctx workflow.Context) error {
				in := activities.CommandInput{Ref: t.ref(), N: n, Command: command, Commit: t.status.Head, Wall: wall, Next: t.ahead(nil),
					Paths: t.settings.Paths, Env: t.settings.Env, Precedence: t.precedence(ctx)}
				return workflow.ExecuteActivity(ctx, activity, in).Get(ctx, &c)
			},
		})
	})
	if err != nil {
		return nil, err
	}
	t.worked(c.Duration)
	word := "passed"
	switch {
	case c.Unfinished != "":
		word = "did not come to its end (" + c.Unfinished + ")"
	case c.Flaky:
		word = "is flaky: it failed, and passed on the same content,"
	case !c.Passed():
		word = "failed"
	}
	t.say(ctx, "command", "%s%s %s in %s%s", label, firstLine(command), word, c.Duration.Round(time.Millisecond), named(c.Failing))
	return &c, nil
}
