package policy

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// redirected says what redirects do besides: away means standard output goes to a file.
type redirected struct{ away bool }

// redirects judges them in order; st.in becomes what the command reads.
func (j *judge) redirects(list []*syntax.Redirect, st *state) redirected {
	var r redirected
	for _, rd := range list {
		if !j.step() {
			return r
		}
		if end := rd.Word.End().Offset(); isDigits(rd.Word.Lit()) && end < uint(len(j.src)) && strings.IndexByte("<>", j.src[end]) >= 0 {
			j.deny("syntax.error", "bash takes a number right before < or > for its own; put a space between")
		}
		fd, ok := descriptor(rd)
		if !ok {
			j.ask("redirect.variable", "a redirect that puts its number into a variable is not followed; use a number")
		}
		j.redirect(rd, fd, st, &r)
	}
	return r
}

// descriptor gives the number before the sign, or the usual one.
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

func (j *judge) redirect(rd *syntax.Redirect, fd string, st *state, r *redirected) {
	switch rd.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		j.redirectTo(rd, Write, st)
		r.away = r.away || fd == "1"
	case syntax.RdrInOut:
		j.redirectTo(rd, Write, st)
		j.redirectTo(rd, Read, st)
		if fd == "0" {
			st.in = input{kind: fileInput, src: grammar.Any}
		}
	case syntax.RdrIn:
		w := j.redirectTo(rd, Read, st)
		if fd == "0" {
			st.in = input{kind: fileInput, src: grammar.Any, made: j.isMade(w, st)}
			if w.Is("/dev/null") {
				st.in = input{}
			}
			if fromProcess(rd.Word) {
				st.in = input{kind: pipeInput, src: grammar.Any, narrow: j.piped.narrow}
				if j.piped.some {
					st.in.src = j.sourceOf(j.piped)
				}
			}
		}
	case syntax.DplIn, syntax.DplOut:
		j.duplicate(rd, fd, st, r)
	case syntax.Hdoc, syntax.DashHdoc:
		in := input{kind: textInput, src: grammar.Any}
		if rd.Hdoc != nil {
			in.text = j.heard(j.documentText(rd, st))
		}
		if fd == "0" {
			st.in = in
		}
	case syntax.WordHdoc:
		w := j.single(rd.Word, st, false)
		if fd == "0" {
			st.in = input{kind: textInput, src: j.p.source(w.Parts), text: j.heard(w)}
		}
	default:
		j.deny("node.unknown", "this redirect is not bash; use > or >>")
	}
}

// fromProcess tells whether a redirect reads what <(...) prints.
func fromProcess(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	p, ok := w.Parts[0].(*syntax.ProcSubst)
	return ok && p.Op == syntax.CmdIn
}

// duplicate judges 2>&1, >&-, and >&file.
func (j *judge) duplicate(rd *syntax.Redirect, fd string, st *state, r *redirected) {
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
		j.redirectTo(rd, Write, st)
		r.away = true
	default:
		j.ask("redirect.unknown", "where this redirect leads is not known; write a number or a file name")
	}
}

// redirectTo judges the file of a redirect.
func (j *judge) redirectTo(rd *syntax.Redirect, acc Access, st *state) grammar.Word {
	at := j.at
	defer func() { j.at = at }()
	if t := j.text(rd); t != "" {
		j.at = t
	}
	words := j.fields(rd.Word, st)
	if len(words) != 1 || words[0].Many {
		j.ask("redirect.unknown", "the file of this redirect is not one known name; write it out, in double quotes if it holds a variable")
		return grammar.Word{}
	}
	w := words[0]
	if t, ok := w.Text(); ok && network(t) {
		j.deny("redirect.network", "bash would open a network connection for this name; a task has no use for that")
		return w
	}
	if w.Source() == grammar.Any || w.Tilde {
		j.ask("redirect.unknown", "where this redirect leads is not known; write the file name out")
		return w
	}
	if acc == Read {
		j.takes(w, st)
	}
	j.path(w, acc, st, "redirect")
	if acc == Write && !harmlessSink(w) {
		j.changes("a redirect into a file")
		j.commands(w)
		j.wrote(w, st, false)
		if rd.Op != syntax.AppOut && rd.Op != syntax.AppAll {
			j.begun(w, st)
		}
	}
	return w
}

// commands asks about text that goes straight into a file whose lines others run by name.
func (j *judge) commands(w grammar.Word) {
	text, ok := w.Text()
	if !ok {
		return
	}
	switch name := strings.ToLower(text[strings.LastIndexByte(text, '/')+1:]); {
	case j.p.c.Boxed: // what runs it looks through the whole script
	case name == "package.json", name == "composer.json", name == "makefile", name == "gnumakefile", strings.HasSuffix(name, ".mk"):
		j.ask("path.commands", "%s holds commands that others run by name; change it with the edit tool, where the change is seen line by line", part(text))
	}
}

// network tells whether bash takes a name for an address.
func network(t string) bool {
	return strings.HasPrefix(t, "/dev/tcp") || strings.HasPrefix(t, "/dev/udp")
}

// harmlessSink tells whether what is written there changes no file.
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
