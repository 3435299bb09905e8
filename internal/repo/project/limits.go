package project

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// Limits is what the operator allows. Repositories and tasks can ask for less, never for more. Zero values limit nothing,
// but for Agents.
type Limits struct {
	MaxCost       float64           // US dollars for one task
	MaxTime       time.Duration     // running time of one task
	MaxIterations int               //
	Agents        []string          // agents that may be used, the preferred one first; empty for all but script
	Approval      string            // minimum approval of a plan: "none", "auto" or "required"
	Profiles      []string          // tool chains that agents may use; empty for the default ones
	NoDestructive bool              // agents may never remove or move files
	NoAllow       bool              // settings may allow no commands
	Pages         []string          // what WebFetch may read: hosts with their subdomains, or host/path
	Env           map[string]string // variables that the operator sets for every task
}

// strictness lists the approval modes from lax to strict.
var strictness = []string{task.ApprovalNone, task.ApprovalAuto, task.ApprovalRequired}

// Validate checks the operator's own values.
func (l Limits) Validate() error {
	switch {
	case l.MaxCost < 0 || l.MaxTime < 0 || l.MaxIterations < 0:
		return fault.New(fault.Input, "an operator limit is negative").WithHint("give a value above 0, or 0 for no limit")
	case l.Approval != "" && !slices.Contains(strictness, l.Approval):
		return fault.New(fault.Input, "the operator's approval is %q", l.Approval).WithHint("use none, auto or required")
	}
	for _, p := range l.Profiles {
		if !slices.Contains(task.Profiles(), p) {
			return fault.New(fault.Input, "the operator allows the tool chain %q, which there is not", p).
				WithHint("use %s", strings.Join(task.Profiles(), ", "))
		}
	}
	for _, a := range l.Agents {
		if !slices.Contains(task.Agents(), a) {
			return fault.New(fault.Input, "the operator allows the agent %q, which there is not", a).
				WithHint("use %s", strings.Join(task.Agents(), " or "))
		}
	}
	return nil
}

func (l Limits) allowed() []string {
	if len(l.Agents) > 0 {
		return l.Agents
	}
	return slices.DeleteFunc(task.Agents(), func(a string) bool { return a == task.AgentScript })
}

// checkSource rejects values that a source may not set. The script agent runs commands from its scenario without any policy, so only an
// operator can enable it.
func (l Limits) checkSource(c task.Config, where string) error {
	named := c.AgentsNamed()
	for _, key := range slices.Sorted(maps.Keys(named)) {
		for _, agent := range named[key] {
			if slices.Contains(task.Agents(), agent) && !slices.Contains(l.allowed(), agent) {
				return fault.New(fault.Input, "%s: %s is %q, which the operator does not allow", where, key, agent).
					WithHint("use %s, or have the operator name it in LONGSHIFT_AGENTS", strings.Join(l.allowed(), " or "))
			}
		}
	}
	if c.Scenario != nil && !slices.Contains(l.allowed(), task.AgentScript) {
		return fault.New(fault.Input, "%s: scenario is set, but the operator does not allow the script agent", where).
			WithHint("remove scenario")
	}
	return nil
}

// narrow reduces the settings to the limits and records what it has reduced. It warns where a source had asked for more.
func (l Limits) narrow(r *Resolved) {
	s := &r.Settings
	if l.MaxCost > 0 && s.Budget.Cost > l.MaxCost {
		s.Budget.Cost = l.MaxCost
		r.cut("budget.cost")
	}
	if l.MaxTime > 0 && s.Budget.Time.Std() > l.MaxTime {
		s.Budget.Time = task.Duration(l.MaxTime)
		r.cut("budget.time")
	}
	if l.MaxIterations > 0 && s.Iterations > l.MaxIterations {
		s.Iterations = l.MaxIterations
		r.cut("iterations")
	}
	if slices.Index(strictness, s.Approval.Mode) < slices.Index(strictness, l.Approval) {
		s.Approval.Mode = l.Approval
		r.cut("approval.mode")
	}
	if l.Approval == task.ApprovalRequired && !s.Approval.Again { // every plan: that after a review, too
		s.Approval.Again = true
		r.cut("approval.again")
	}
	l.narrowCommands(r)
	l.narrowEnv(r)
	l.narrowTools(r)
	if s.Budget.PlanCost > s.Budget.Cost {
		s.Budget.PlanCost = s.Budget.Cost
		r.follow("budget.planCost", "budget.cost")
	}
}

// narrowEnv leaves out the variables that the operator sets: those are in the environment of every task, and would be overridden.
func (l Limits) narrowEnv(r *Resolved) {
	for _, name := range slices.Sorted(maps.Keys(r.Settings.Env)) {
		value, taken := l.Env[name]
		if !taken {
			continue
		}
		kept := maps.Clone(r.Settings.Env)
		delete(kept, name)
		r.Settings.Env = kept
		o := r.at("env." + name)
		r.warn("env.%s: %s from %s is not used, for the operator sets it: %s", name, o.Value, o.Origin, value)
		o.Value, o.Origin = value, OriginOperator
	}
}

// narrowTools leaves out the pages that the operator has not granted. What else needs a grant is left out where it is used.
func (l Limits) narrowTools(r *Resolved) {
	t := &r.Settings.Tools
	allowed := slices.DeleteFunc(slices.Clone(t.Allow), func(tool string) bool {
		pages := task.ToolSettings{Allow: []string{tool}}.Pages()
		return len(pages) > 0 && !slices.ContainsFunc(l.Pages, func(granted string) bool { return task.PageWithin(granted, pages[0]) })
	})
	if len(allowed) < len(t.Allow) {
		t.Allow = allowed
		r.cut("tools.allow")
	}
}

// narrowCommands limits the agents' commands to what the operator allows.
func (l Limits) narrowCommands(r *Resolved) {
	c := &r.Settings.Commands
	allowed := l.Profiles
	if len(allowed) == 0 {
		allowed = task.DefaultProfiles()
	}
	asked := c.Profiles
	c.Profiles = narrower(allowed, asked)
	switch {
	case len(asked) == 0:
		r.at("commands.profiles").Value = r.now("commands.profiles")
	case slices.ContainsFunc(asked, func(p string) bool { return p != task.ProfileNone && !slices.Contains(allowed, p) }):
		r.cut("commands.profiles")
	}
	for _, tier := range []struct {
		key  string
		list *[]string
	}{{"commands.allow", &c.Allow}, {"commands.allowPlanner", &c.AllowPlanner}, {"commands.allowImplementer", &c.AllowImplementer},
		{"commands.allowReviewer", &c.AllowReviewer}} {
		if l.NoAllow && len(*tier.list) > 0 {
			*tier.list = nil
			r.cut(tier.key)
		}
	}
	if c.Destructive && l.NoDestructive {
		c.Destructive = false
		r.cut("commands.destructive")
	}
}
