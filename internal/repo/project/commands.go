package project

import (
	"slices"

	"github.com/longshift/longshift/task"
)

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
	if c.Destructive && l.NoDestructive {
		c.Destructive = false
		r.cut("commands.destructive")
	}
}
