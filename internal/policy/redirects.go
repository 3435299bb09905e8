package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// redirected is what redirects do besides: away means that standard output goes elsewhere.
type redirected struct{ away bool }

// redirects judges redirects, and follows where standard input comes from.
type redirects struct {
	policy  *Policy
	verdict *collector
	meter   *meter
	source  *source
	words   *expander
	joiner  *joiner
	paths   *paths
	rights  *rights
	writes  *writes
	inputs  *inputs
}

// apply judges redirects in order; st.in becomes what the command reads.
func (s *redirects) apply(list []*syntax.Redirect, st *state) redirected {
	var r redirected
	for _, rd := range list {
		if !s.meter.step() {
			return r
		}
		if isDigits(rd.Word.Lit()) && s.source.redirectAt(rd.Word.End().Offset()) {
			s.verdict.deny("syntax.error", "bash takes a number right before < or > for a descriptor; put a space between")
		}
		fd, ok := descriptor(rd)
		if !ok {
			s.verdict.ask("redirect.variable", "a redirect that puts its number into a variable is not followed; use a number")
		}
		s.one(rd, fd, st, &r)
	}
	return r
}

// descriptor returns the number before the operator, or the default one.
func descriptor(rd *syntax.Redirect) (string, bool) {
	if rd.N != nil {
		return rd.N.Value, isDigits(rd.N.Value)
	}
	switch rd.Op {
	case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return "0", true
	}
	return "1", true
}

func (s *redirects) one(rd *syntax.Redirect, fd string, st *state, r *redirected) {
	switch rd.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		s.file(rd, Write, st)
		r.away = r.away || fd == "1"
	case syntax.RdrInOut:
		s.file(rd, Write, st)
		s.file(rd, Read, st)
		if fd == "0" {
			st.in = input{kind: fileInput, src: grammar.Any}
		}
	case syntax.RdrIn:
		w := s.file(rd, Read, st)
		if fd == "0" {
			st.in = input{kind: fileInput, src: grammar.Any}
			if w.Is("/dev/null") {
				st.in = input{}
			}
			if fromProcess(rd.Word) {
				st.in = input{kind: pipeInput, src: grammar.Any, narrow: s.words.lastProcess().narrow}
				if s.words.lastProcess().some {
					st.in.src = s.joiner.source(s.words.lastProcess())
				}
			}
		}
	case syntax.DplIn, syntax.DplOut:
		s.duplicate(rd, fd, st, r)
	case syntax.Hdoc, syntax.DashHdoc:
		in := input{kind: textInput, src: grammar.Any}
		if rd.Hdoc != nil {
			in.text = inputText(s.policy.c.Boxed, s.words.document(rd, st))
		}
		if fd == "0" {
			st.in = in
		}
	case syntax.WordHdoc:
		w := s.words.single(rd.Word, st, false)
		if fd == "0" {
			st.in = input{kind: textInput, src: s.policy.source(w.Parts), text: inputText(s.policy.c.Boxed, w)}
		}
	default:
		s.verdict.deny("node.unknown", "this redirect is not bash; use > or >>")
	}
}

// fromProcess reports whether a redirect reads what <(...) prints.
func fromProcess(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	p, ok := w.Parts[0].(*syntax.ProcSubst)
	return ok && p.Op == syntax.CmdIn
}

// duplicate judges 2>&1, >&-, and >&file.
func (s *redirects) duplicate(rd *syntax.Redirect, fd string, st *state, r *redirected) {
	text := rd.Word.Lit()
	number := strings.TrimSuffix(text, "-")
	switch {
	case text == "-":
		if fd == "0" {
			st.in = input{}
		}
	case isDigits(number) && len(number) <= 3:
		if fd == "0" && number != "0" {
			st.in = input{kind: fileInput, src: grammar.Any}
		}
		r.away = r.away || fd == "1" && number != "1"
	case rd.Op == syntax.DplOut && rd.N == nil:
		s.file(rd, Write, st)
		r.away = true
	default:
		s.verdict.ask("redirect.unknown", "where this redirect leads is not known; write a number or a file name")
	}
}

// file judges the file of a redirect.
func (s *redirects) file(rd *syntax.Redirect, acc Access, st *state) grammar.Word {
	defer s.verdict.restore(s.verdict.about(s.source.text(rd)))
	words := s.words.fields(rd.Word, st)
	if len(words) != 1 || words[0].Many {
		s.verdict.ask("redirect.unknown",
			"the file of this redirect is not one known name; write it out, in double quotes if it holds a variable")
		return grammar.Word{}
	}
	w := words[0]
	if t, ok := w.Text(); ok && network(t) {
		s.verdict.deny("redirect.network", "bash would open a network connection for this name; a task does not need that")
		return w
	}
	if w.Source() == grammar.Any || w.Tilde {
		s.verdict.ask("redirect.unknown", "where this redirect leads is not known; write the file name out")
		return w
	}
	if acc == Read {
		s.inputs.word(w, st)
	}
	s.paths.check(w, acc, st, "redirect")
	if acc == Write && !harmlessSink(w) {
		s.rights.changes("a redirect into a file")
		s.paths.checkCommands(w)
		s.writes.add(w, st, false)
		if rd.Op != syntax.AppOut && rd.Op != syntax.AppAll {
			s.writes.addFresh(w, st)
		}
	}
	return w
}

// network reports whether bash would open a network connection for a name.
func network(t string) bool {
	return strings.HasPrefix(t, "/dev/tcp") || strings.HasPrefix(t, "/dev/udp")
}

// harmlessSink reports whether writing to a word changes no file.
func harmlessSink(w grammar.Word) bool {
	t, ok := w.Text()
	if !ok {
		return strings.HasPrefix(w.Prefix(), "/dev/fd/")
	}
	switch t {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/fd/1", "/dev/fd/2", "-":
		return true
	}
	return false
}
