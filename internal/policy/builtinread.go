package policy

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// read judges read: options, and names that must be plain ones.
func (b *builtins) read(args []grammar.Word, st *state) flow {
	after := st.copy()
	var names []string
	array := false
	for i := 0; i < len(args); i++ {
		text, ok := args[i].Text()
		if !ok {
			b.verdict.deny("read.name", "what read is given is not written out; write plain options and names")
			return both(after)
		}
		if len(names) == 0 && strings.HasPrefix(text, "-") && len(text) > 1 {
			skip := b.readOption(text, &array)
			if skip && i+1 < len(args) {
				i++
				if array {
					if n, ok := b.name("read", args[i]); ok {
						after.set(n, value{array: true, list: []grammar.Word{{Parts: []grammar.Part{{Source: st.in.srcOr(grammar.Any)}}, Many: true}}})
					}
					array = false
				}
			}
			continue
		}
		if n, ok := b.name("read", args[i]); ok {
			names = append(names, n)
		}
	}
	if len(names) == 0 && len(args) == 0 {
		names = []string{"REPLY"}
	}
	src := st.in.srcOr(grammar.Any)
	if len(names) > 1 {
		src = grammar.Any
	}
	if b.policy.c.Boxed && src == grammar.Any && st.in.kind != noInput {
		src = grammar.Tree // usually names; the sandbox stops a path that leads elsewhere
	}
	for _, n := range names {
		after.set(n, sourceValue(src))
	}
	return flow{after, after, out{}}
}

// srcOr returns the source of the input's lines, or the other one when that is not known.
func (in input) srcOr(other grammar.Source) grammar.Source {
	if in.src == grammar.Literal {
		return other
	}
	return in.src
}

// readOption judges an option of read. It reports whether the next word belongs to it.
func (b *builtins) readOption(text string, array *bool) bool {
	for i, c := range text[1:] {
		last := i == len(text)-2
		switch c {
		case 'r', 's':
		case 'a':
			*array = true
			return last
		case 'p', 'd', 'n', 'N', 't', 'u':
			return last
		default:
			b.verdict.ask("read.option", "option %s of read is not known; leave it out", part(text))
			return false
		}
	}
	return false
}

// mapfile judges mapfile and readarray.
func (b *builtins) mapfile(args []grammar.Word, st *state) flow {
	after := st.copy()
	name := "MAPFILE"
	for i := 0; i < len(args); i++ {
		text, ok := args[i].Text()
		switch {
		case !ok:
			b.verdict.deny("mapfile.name", "what mapfile is given is not written out; write plain options and a name")
		case text == "-t":
		case text == "-n" || text == "-s" || text == "-O" || text == "-d" || text == "-u":
			i++
			if i < len(args) && text != "-d" && args[i].Fits(grammar.Number) != "" {
				b.verdict.deny("mapfile.option", "the value of %s of mapfile is no number", text)
			}
		case strings.HasPrefix(text, "-"):
			b.verdict.deny("mapfile.option", "option %s of mapfile runs code or is not known; use -t alone", part(text))
		default:
			if n, ok := b.name("mapfile", args[i]); ok {
				name = n
			}
		}
	}
	src := st.in.srcOr(grammar.Any)
	after.set(name, value{array: true, list: []grammar.Word{{Parts: []grammar.Part{{Source: src}}, Many: true}}})
	return both(after)
}
