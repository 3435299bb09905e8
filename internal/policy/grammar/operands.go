package grammar

import "fmt"

// finish assigns kinds to the operands, or continues without a sub-command.
func (r *reader) finish() {
	t := r.table
	if t.subs != nil || t.other != nil {
		if t.other != nil {
			r.sub(t.other, "", nil)
		} else {
			r.refuse(".subcommand", fmt.Sprintf("%s without a sub-command is not known", r.name()))
		}
		return
	}
	if t.command >= 0 {
		if t.args[t.command].count == once {
			r.refuse(".operand", fmt.Sprintf("%s misses the command to run", r.name()))
		}
		return
	}
	least := r.least(len(r.args)) // words there are at least, "many" ones not counted
	low, high := t.bounds()
	if high >= 0 && least > high {
		r.refuse(".operand", fmt.Sprintf("%s takes no operand like %q here; leave it out", r.name(), printable(r.args[high].String())))
		return
	}
	if least < low && least == len(r.args) && t.needsAll() {
		r.refuse(".operand", fmt.Sprintf("%s misses an operand", r.name()))
		return
	}
	for i, w := range r.args {
		for _, k := range r.kindsAt(i) {
			r.m.Use(k, w, "")
		}
	}
}

// bounds returns the least and the greatest number of operands; -1 for no limit.
func (t *table) bounds() (low, high int) {
	for _, o := range t.args {
		if o.count == once || o.count == any1 {
			low++
		}
		if o.count == any0 || o.count == any1 {
			high = -1
		} else if high >= 0 {
			high++
		}
	}
	return low, high
}

// needsAll reports whether a missing operand changes what the program does: without a file, an interpreter reads code elsewhere.
func (t *table) needsAll() bool {
	for _, o := range t.args {
		if (o.kind == Code || o.kind == Shell) && (o.count == once || o.count == any1) {
			return true
		}
	}
	return false
}

// least is the least number of words that the first n operands become: a glob that matches nothing stays one word.
func (r *reader) least(n int) int {
	c := 0
	for _, w := range r.args[:n] {
		if !w.Many || w.Glob && w.Source() == Tree {
			c++
		}
	}
	return c
}

// many reports whether any of the operands from a to b may become more than one word.
func (r *reader) many(a, b int) bool {
	for _, w := range r.args[a:b] {
		if w.Many {
			return true
		}
	}
	return false
}

// kindsAt returns all kinds that operand i may have, given that some words may become any number of words.
func (r *reader) kindsAt(i int) []Kind {
	n, limit := len(r.args), len(r.table.args)+1
	self := r.args[i].Many
	front, back := r.least(i), r.least(n)-r.least(min(i+1, n))
	frontTo, backTo := front, back
	if self || r.many(0, i) {
		frontTo = max(front, limit)
	}
	if self || r.many(i+1, n) {
		backTo = max(back, limit)
	}
	var found []Kind
	for f := front; f <= frontTo; f++ {
		for b := back; b <= backTo; b++ {
			if k, ok := r.table.kindOf(f, f+b+1); ok && !holds(found, k) {
				found = append(found, k)
			}
		}
	}
	if found == nil {
		found = []Kind{Never}
	}
	return found
}

// kindOf returns the kind of operand i of n.
func (t *table) kindOf(i, n int) (Kind, bool) {
	required := 0
	star := -1
	for at, o := range t.args {
		switch o.count {
		case once:
			required++
		case any0, any1:
			star = at
		}
	}
	spare := n - required // words for the optional entries, then for the star
	pos := 0
	for at, o := range t.args {
		width := 1
		switch o.count {
		case optional:
			if spare <= 0 {
				width = 0
			} else {
				spare--
			}
		case any0, any1:
			width = max(spare-t.optionalAfter(star), 0)
			spare -= width
		}
		if i < pos+width {
			return t.args[at].kind, true
		}
		pos += width
	}
	return "", false
}

// optionalAfter counts the optional entries after the star, which are filled before it.
func (t *table) optionalAfter(star int) int {
	c := 0
	for _, o := range t.args[star+1:] {
		if o.count == optional {
			c++
		}
	}
	return c
}

func holds(all []Kind, k Kind) bool {
	for _, have := range all {
		if have == k {
			return true
		}
	}
	return false
}
