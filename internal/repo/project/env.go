package project

import (
	"maps"
	"slices"
)

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
