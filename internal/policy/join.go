package policy

import (
	"reflect"
	"sort"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// join gives the state in which both of two branches leave the shell. Either may be nil: a branch that is never left.
func (j *judge) join(a, b *state) *state {
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
		c.in = input{kind: max(a.in.kind, b.in.kind), src: grammar.Any, made: a.in.made || b.in.made}
	}
	c.vars = j.joinVars(a.vars, b.vars)
	return &c
}

// joinVars walks both chains to where they part, and joins what came after.
func (j *judge) joinVars(a, b *binding) *binding {
	if a == b {
		return a
	}
	x, y := a, b
	names := map[string]bool{}
	for x != y && j.step() {
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
			joined.set(n, j.p.joinValues(va, vb))
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

// joinStacks joins what pushd has kept; nothing is known when one stack is deeper.
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

// joinPlaces gives the places that either list has; none when they are too many to be looked at one by one.
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

// samePlace gives the index of a place, stray or not; -1 when it is not there.
func samePlace(all []place, p place) int {
	for i, q := range all {
		if p.path == q.path && p.below == q.below {
			return i
		}
	}
	return -1
}

func holdsPlace(all []place, p place) bool {
	for _, q := range all {
		if p == q {
			return true
		}
	}
	return false
}

// same tells whether two states are alike, for a loop that waits for its effects to settle.
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
