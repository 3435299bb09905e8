package policy

import (
	"reflect"
	"slices"
	"sort"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// joiner merges what is known after branches of which one was taken.
type joiner struct {
	policy *Policy
	meter  *meter
}

// states merges the states at the ends of two branches. Either may be nil: a branch that never ends.
func (jn *joiner) states(a, b *state) *state {
	switch {
	case a == nil:
		return b
	case b == nil || a == b:
		return a
	}
	c := *a
	c.cwd = joinPlaces(a.cwd, b.cwd)
	c.dirs = joinStacks(a.dirs, b.dirs)
	if a.funcs != b.funcs {
		c.funcs = nil
	}
	if !sameWords(a.args, b.args) {
		c.args, c.params = nil, true
	}
	c.params = c.params || a.params || b.params
	if a.in != b.in {
		c.in = input{kind: max(a.in.kind, b.in.kind), src: grammar.Any}
	}
	c.vars = jn.vars(a.vars, b.vars)
	return &c
}

// vars goes back to where both chains part, and merges the bindings after that.
func (jn *joiner) vars(a, b *binding) *binding {
	if a == b {
		return a
	}
	x, y := a, b
	names := map[string]bool{}
	for x != y && jn.meter.step() {
		if depthOf(x) >= depthOf(y) {
			names[x.name], x = true, x.before
		} else {
			names[y.name], y = true, y.before
		}
	}
	order := make([]string, 0, len(names))
	for n := range names {
		order = append(order, n)
	}
	sort.Strings(order)
	joined := &state{vars: x}
	left, right := &state{vars: a}, &state{vars: b}
	for _, n := range order {
		va, oka := left.get(n)
		vb, okb := right.get(n)
		if oka && okb {
			joined.set(n, jn.policy.joinValues(va, vb))
		} else {
			joined.set(n, anyValue())
		}
	}
	return joined.vars
}

func depthOf(b *binding) int {
	if b == nil {
		return 0
	}
	return b.depth
}

// joinStacks merges the stacks of pushd; nothing is known when one is deeper.
func joinStacks(a, b [][]place) [][]place {
	if len(a) != len(b) || len(a) == 0 {
		return nil
	}
	all := make([][]place, len(a))
	for i := range a {
		if all[i] = joinPlaces(a[i], b[i]); all[i] == nil {
			return nil
		}
	}
	return all
}

// joinPlaces returns the places of both lists; none when they are too many to be judged one by one.
func joinPlaces(a, b []place) []place {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	all := append([]place(nil), a...)
	for _, p := range b {
		if i := samePlace(all, p); i >= 0 {
			all[i].stray = all[i].stray && p.stray
		} else {
			all = append(all, p)
		}
	}
	if len(all) > 6 {
		return nil
	}
	return all
}

// samePlace returns the index of a place, stray or not; -1 when it is not there.
func samePlace(all []place, p place) int {
	return slices.IndexFunc(all, func(q place) bool { return p.path == q.path && p.below == q.below })
}

// same reports whether two states are alike, for a loop that waits for its effects to settle.
func (st *state) same(o *state) bool {
	if len(st.cwd) != len(o.cwd) || st.params != o.params {
		return false
	}
	for i := range st.cwd {
		if st.cwd[i] != o.cwd[i] {
			return false
		}
	}
	names := map[string]bool{}
	x, y := st.vars, o.vars
	for x != y {
		if depthOf(x) >= depthOf(y) {
			names[x.name], x = true, x.before
		} else {
			names[y.name], y = true, y.before
		}
	}
	for n := range names {
		va, oka := st.get(n)
		vb, okb := o.get(n)
		if oka != okb || !reflect.DeepEqual(va, vb) {
			return false
		}
	}
	return true
}

// outputs returns what two commands print, one after the other or only one of them.
func (jn *joiner) outputs(a, b out) out {
	switch {
	case !a.some:
		return b
	case !b.some:
		return a
	}
	return out{some: true, src: worse(jn.source(a), jn.source(b))}
}

func (jn *joiner) source(o out) grammar.Source {
	if o.src != grammar.Literal {
		return o.src
	}
	return jn.policy.source(trimEnd(o.text))
}

// forget returns b, with everything unknown that differs from a.
func (jn *joiner) forget(a, b *state) *state {
	c := b.copy()
	if len(joinPlaces(a.cwd, b.cwd)) != len(a.cwd) {
		c.cwd = nil
	}
	for x := b.vars; x != nil; x = x.before {
		va, oka := a.get(x.name)
		vb, _ := b.get(x.name)
		if !oka || jn.policy.source(va.parts) != jn.policy.source(vb.parts) || va.array || vb.array {
			c.set(x.name, anyValue())
		}
		if !jn.meter.step() {
			break
		}
	}
	return c
}

// forgotten returns the variables of a state with nothing known of them.
func (jn *joiner) forgotten(st *state) *binding {
	c := &state{}
	for b := st.vars; b != nil && jn.meter.step(); b = b.before {
		c.set(b.name, anyValue())
	}
	return c.vars
}
