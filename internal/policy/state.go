package policy

import (
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// state is what is known of the shell at one point of a script. Copies are cheap: variables are a chain that only grows.
type state struct {
	cwd    []place // the working folders it may be in; none when that is not known
	dirs   [][]place
	vars   *binding
	in     input
	params bool           // the words may have been set: $1 is not known to be empty
	args   []grammar.Word // "$@" of a function that is called; nil when that is not known
	funcs  *funcs
}

// place is a folder. With below, it is that folder or one below it.
type place struct {
	path  string
	below bool
	stray bool // only if a cd to a folder of the tree has failed
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

// inputKind is where standard input comes from.
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
	narrow bool          // lists only some files, not all there are
	text   *grammar.Word // the text of a here-document, a here-string or an echo; nil when that is not known
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

// A value that exceeds these is forgotten: doubling a variable forty times fits into one line.
const (
	maxText  = 16 << 10 // bytes of a value
	maxParts = 64
	maxList  = 1024 // elements of an array
)

// small returns the value, or an unknown one when it has grown too large.
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

// text returns the value's text when it is known.
func (v value) text() (string, bool) {
	if v.array {
		return "", false
	}
	return grammar.Word{Parts: v.parts}.Text()
}

// resolve returns the folders or files that a word may mean; none when that is not known.
func (st *state) resolve(w grammar.Word) []place {
	text, ok := pathText(w)
	if !ok {
		return nil
	}
	if i := strings.IndexAny(text, "*?[\x01"); i >= 0 {
		if leadsUp(text[i:]) {
			return nil
		}
		text = text[:i]
		text = text[:strings.LastIndexByte(text, '/')+1]
		return st.under(text, true)
	}
	return st.under(text, false)
}

// under returns what a path may mean in each folder that the shell may be in.
func (st *state) under(text string, below bool) []place {
	if strings.HasPrefix(text, "/") {
		return []place{{path: clean(text), below: below}}
	}
	var all []place
	for _, at := range st.cwd {
		p := place{clean(at.path + "/" + text), below || at.below, at.stray}
		if at.below && leadsUp(text) {
			return nil
		}
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}
