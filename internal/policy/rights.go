package policy

import (
	"github.com/longshift/longshift/internal/policy/grammar"
	"github.com/longshift/longshift/task"
)

// known reports whether sessions can have a role.
func known(r task.Role) bool {
	switch r {
	case task.Planner, task.Implementer, task.Reviewer, task.Auditor, task.Verifier, task.Manager:
		return true
	}
	return false
}

// rights judges the class of a command by what the role and the task may do.
type rights struct {
	config  *Config
	role    task.Role
	verdict *collector
}

// class judges a class.
func (r *rights) class(c grammar.Class, what string) {
	switch c {
	case grammar.Inspect:
		return
	case grammar.Change:
		r.changes(what)
	case grammar.Run:
		r.runs(what)
	case grammar.Install:
		r.installs(what)
	default:
		r.verdict.ask("class.unknown", "what %s amounts to is not known; a person decides", what)
	}
}

// changes judges something that changes files.
func (r *rights) changes(what string) {
	switch {
	case r.role.ReadOnly():
		r.verdict.deny("role.change", "%s changes files, and a %s only reads; say in your answer what should change", what, r.role)
	case r.config.WriteOff:
		r.verdict.deny("write.off", "writing is switched off for this task; only look, and say in your answer what should change")
	}
}

// runs judges something that runs code of the repository.
func (r *rights) runs(what string) {
	switch {
	case r.role == task.Auditor || r.role == task.Verifier || r.role == task.Implementer:
	default:
		r.verdict.deny("role.run", "%s runs code of the repository, and a %s only reads; say in your answer what should be run", what, r.role)
		return
	}
	if r.config.WriteOff {
		r.verdict.deny("write.off", "writing is switched off for this task, and %s runs code that may write; only look", what)
	}
}

// installs judges something that fetches what the project declares.
func (r *rights) installs(what string) {
	r.changes(what)
	r.need(grammar.NeedRegistry, what)
}

// need judges a condition that must hold.
func (r *rights) need(n grammar.Need, what string) {
	ask := func(has bool, why string) {
		if !has {
			r.verdict.ask("need."+string(n), "%s %s", what, why)
		}
	}
	c := r.config
	switch n {
	case grammar.NeedRegistry:
		ask(c.Registry, "needs a package registry, and this task has none; work with what is installed")
	case grammar.NeedDestructive:
		ask(c.Destructive, "takes files away, and this task may not (allow destructive commands in the settings); "+
			"git rm and git mv of tracked files are allowed")
	case grammar.NeedTmp:
		ask(c.PrivateTmp, "uses /tmp, which is not private here; use a folder of the repository that git ignores")
	case grammar.NeedLoopback:
		ask(c.Loopback, "talks to this machine's own network, which other things share here; test without a server")
	case grammar.NeedNamespace:
		ask(c.Namespace, "reaches processes that are not only this task's; let the command end by itself (timeout)")
	default:
		r.verdict.ask("need.unknown", "%s needs something that is not known (%s)", what, part(string(n)))
	}
}
