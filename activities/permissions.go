package activities

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/loop"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/deliverable"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Permissions says how a host decides on the tool calls of sessions.
type Permissions struct {
	// Policy is the operator's rules for commands. Roots, roles and the task's own rules are added for each session.
	Policy policy.Config
	Audit  Ledger // the command log
	// SettingsAllow lets the settings of tasks allow commands.
	SettingsAllow bool
	// Ask asks a person about a command; nil asks the task's workflow.
	Ask func(context.Context, signals.Question) (signals.Answer, error)

	instead agent.Permit // replaces all of this, in tests of the other defences
}

type enforcers struct {
	Permissions
	readable []string // folders that every session may read
	commands *commandLog
	redact   *redact.Redactor
	log      *slog.Logger
	now      func() time.Time
}

// of makes the enforcer of one session that works in root. Its policy is the operator's, narrowed by the task's settings. The agent may
// also read the folders readable outside of the workspace, such as the caches of tool chains. home is the folder that "~" stands for.
func (e *enforcers) of(in SessionInput, root, home string, readable ...string) (*enforcer, error) {
	c := e.policyFor(root, in.Commands, in.scope())
	c.Home = home
	c.Search, c.Pages, c.Alone = c.Search && in.Tools.Allows(task.ToolSearch), in.Tools.Pages(), !in.Tools.Allows(task.ToolTask)
	c.Readable = slices.Concat(e.readable, readable)
	p, err := policy.New(c)
	if err != nil {
		return nil, fault.New(fault.Input, "the rules for commands: %w", err)
	}
	return &enforcer{in: in, root: root, policy: p, restorable: restorable(root), ask: newPeople(e.asker()).ask,
		loops: map[string]*loop.Detector{}, runs: map[string]running{}, commands: e.commands, redact: e.redact, log: e.log, now: e.now, instead: e.instead}, nil
}

// policyFor returns the operator's policy, narrowed by the settings of a task.
func (p Permissions) policyFor(root string, commands task.CommandSettings, paths pathScope) policy.Config {
	c := p.Policy
	c.Root = root
	c.Profiles = commands.Profiles
	if len(c.Profiles) == 0 { // a task of an earlier release
		c.Profiles = task.DefaultProfiles()
	}
	c.Profiles = slices.DeleteFunc(slices.Clone(c.Profiles), func(p string) bool { return p == task.ProfileNone })
	c.Destructive = c.Destructive && commands.Destructive
	c.Granted = nil
	if p.SettingsAllow {
		c.Granted = slices.Concat(rules(commands.Allow, task.Planner, task.Implementer, task.Reviewer),
			rules(commands.AllowPlanner, task.Planner), rules(commands.AllowImplementer, task.Implementer),
			rules(commands.AllowReviewer, task.Reviewer))
	}
	c.Pkill = commands.Pkill
	c.Ask = slices.Concat(c.Ask, rules(commands.Ask))
	c.Deny = slices.Concat(c.Deny, rules(commands.Deny))
	paths.ReadOnly = append(slices.Clip(paths.ReadOnly), deliverable.Path)
	c.Scopes = paths.scopes()
	return c
}

func rules(patterns []string, roles ...task.Role) []policy.Rule {
	out := make([]policy.Rule, len(patterns))
	for i, p := range patterns {
		out[i] = policy.Rule{Command: p, Why: fmt.Sprintf("the settings of the task name %q", p), Roles: roles}
	}
	return out
}

// asker returns the function that asks people.
func (p Permissions) asker() func(context.Context, signals.Question) (signals.Answer, error) {
	if p.Ask != nil {
		return p.Ask
	}
	return askWorkflow
}
