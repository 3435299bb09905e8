package policy

import (
	"github.com/longshift/longshift/internal/policy/grammar"
	"github.com/longshift/longshift/internal/task"
)

// known tells whether a role is one of those that sessions have.
func known(r task.Role) bool {
	switch r {
	case task.Planner, task.Implementer, task.Reviewer, task.Auditor, task.Verifier, task.Manager:
		return true
	}
	return false
}

// class judges what running a program amounts to against what the role may do.
func (j *judge) class(c grammar.Class, what string) {
	switch c {
	case grammar.Inspect:
		return
	case grammar.Change:
		j.changes(what)
	case grammar.Run:
		j.runs(what)
	case grammar.Install:
		j.installs(what)
	default:
		j.ask("class.unknown", "what %s amounts to is not known; a person decides", what)
	}
}

// changes judges something that changes files.
func (j *judge) changes(what string) {
	switch {
	case j.role.ReadOnly():
		j.deny("role.change", "%s changes files, and a %s only reads; say in your answer what should change", what, j.role)
	case j.p.c.WriteOff:
		j.deny("write.off", "writing is switched off for this task; only look, and say in your answer what should change")
	}
}

// runs judges something that runs code of the repository.
func (j *judge) runs(what string) {
	switch {
	case j.role == task.Auditor || j.role == task.Verifier || j.role == task.Implementer:
	default:
		j.deny("role.run", "%s runs code of the repository, and a %s only reads; say in your answer what should be run", what, j.role)
		return
	}
	if j.p.c.WriteOff {
		j.deny("write.off", "writing is switched off for this task, and %s runs code that may write; only look", what)
	}
}

// installs judges something that fetches what the project declares.
func (j *judge) installs(what string) {
	j.changes(what)
	j.need(grammar.NeedRegistry, what)
}

// need judges a condition that must hold.
func (j *judge) need(n grammar.Need, what string) {
	c := j.p.c
	switch n {
	case grammar.NeedRegistry:
		if !c.Registry {
			j.ask("need.registry", "%s needs a package registry, and this task has none; work with what is installed", what)
		}
	case grammar.NeedDestructive:
		if !c.Destructive {
			j.ask("need.destructive", "%s takes files away, and this task may not (allow destructive commands in the settings); git rm and git mv of tracked files are allowed", what)
		}
	case grammar.NeedTmp:
		if !c.PrivateTmp {
			j.ask("need.tmp", "%s uses /tmp, which is not private here; use a folder of the repository that git ignores", what)
		}
	case grammar.NeedLoopback:
		if !c.Loopback {
			j.ask("need.loopback", "%s talks to this machine's own network, which other things share here; test without a server", what)
		}
	case grammar.NeedNamespace:
		if !c.Namespace {
			j.ask("need.namespace", "%s reaches processes that are not only this task's; let the command end by itself (timeout)", what)
		}
	default:
		j.ask("need.unknown", "%s needs something that is not known (%s)", what, part(string(n)))
	}
}
