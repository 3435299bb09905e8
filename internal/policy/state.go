package policy

import (
	"github.com/longshift/longshift/internal/policy/grammar"
)

// state is what is known of the shell at one point of a script. Copies are cheap: variables are a chain that only grows.
type state struct {
	cwd    []place // the working folders it may be in; none when that is not known
	dirs   [][]place
	vars   *binding
	in     input
	params bool           // "set --" has been there: $1 is not empty any more
	args   []grammar.Word // "$@" of a function that is called; nil when that is not known
	funcs  *funcs
}

// place is a folder. With below, it is that folder or one below it.
type place struct {
	path  string
	below bool
	stray bool // only when a cd to a folder of the tree has failed
}

// binding is one assignment of a variable.
type binding struct {
	name   string
	value  value
	before *binding
	depth  int
}

// value is what is known of a variable.
type value struct {
	parts []grammar.Part
	list  []grammar.Word // elements of an array
	array bool
	set   bool
}

// inputKind says where standard input comes from.
type inputKind int

const (
	noInput   inputKind = iota // /dev/null, or closed
	fileInput                  // a file of the tree
	textInput                  // a here-document or here-string
	pipeInput                  // another command
)

// input is standard input: where it comes from, and what its lines are.
type input struct {
	kind   inputKind
	src    grammar.Source
	made   bool          // comes from a file that this script has written
	narrow bool          // lists only some files, not all there are
	text   *grammar.Word // what a here-document, a here-string or an echo says; nil when that is not known
}

// out is what a command prints.
type out struct {
	some   bool // it prints something that matters
	src    grammar.Source
	text   []grammar.Part // known text, when src is Literal
	narrow bool           // lists only some files, not all there are
}

func (st *state) copy() *state {
	c := *st
	return &c
}

// Beyond these a value is forgotten: doubling a variable forty times fits into one line.
const (
	maxText  = 16 << 10 // bytes of a value
	maxParts = 64
	maxList  = 1024 // elements of an array
)

// small gives the value, or one of which nothing is known when it has grown too large.
func small(v value) value {
	n := 0
	for _, p := range v.parts {
		n += len(p.Text)
	}
	if n > maxText || len(v.parts) > maxParts {
		return anyValue()
	}
	for _, w := range v.list {
		for _, p := range w.Parts {
			n += len(p.Text)
		}
	}
	if len(v.list) > maxList || n > maxText {
		return value{array: true, list: []grammar.Word{{Parts: []grammar.Part{{Source: grammar.Any}}, Many: true}}}
	}
	return v
}

func (st *state) set(name string, v value) {
	v = small(v)
	v.set = true
	depth := 1
	if st.vars != nil {
		depth = st.vars.depth + 1
	}
	st.vars = &binding{name, v, st.vars, depth}
}

func (st *state) get(name string) (value, bool) {
	for b := st.vars; b != nil; b = b.before {
		if b.name == name {
			return b.value, b.value.set
		}
	}
	return value{}, false
}

func anyValue() value { return value{parts: []grammar.Part{{Source: grammar.Any}}} }

func sourceValue(s grammar.Source) value { return value{parts: []grammar.Part{{Source: s}}} }

func literalValue(text string) value { return value{parts: []grammar.Part{{Text: text}}} }

// text gives the value's text when it is known.
func (v value) text() (string, bool) {
	if v.array {
		return "", false
	}
	return grammar.Word{Parts: v.parts}.Text()
}
