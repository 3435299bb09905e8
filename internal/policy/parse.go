package policy

import (
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

var (
	bashParsers  = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)) }}
	posixParsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangPOSIX), syntax.KeepComments(true)) }}
)

// shell is the dialect of a script.
type shell int

const (
	bash shell = iota
	posix
)

// script judges a script in a state that it may change.
func (w *walker) script(text string, st *state, as shell) out {
	defer w.source.restore(w.source.read(text))
	defer w.verdict.restore(w.verdict.about(text))
	if len(text) > MaxScript {
		w.verdict.deny("syntax.long", "this command is longer than %d KiB; write a file and run it", MaxScript>>10)
		return out{}
	}
	if what := badByte(text); what != "" {
		w.verdict.deny("syntax.bytes", "the command holds %s; write it with plain characters", what)
		return out{}
	}
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
		w.verdict.deny("syntax.dash", "the shell takes a script that starts with - or + for an option; start it with a command")
		return out{}
	}
	if strings.HasSuffix(text, `\`) {
		w.verdict.deny("syntax.error", "the script ends with a backslash, so it is incomplete; write all of it")
		return out{}
	}
	file, err := parse(text, as)
	if err != nil {
		w.verdict.deny("syntax.error",
			"bash would not read this as it is meant (%s); check quotes, brackets and here-documents", part(err.Error()))
		return out{}
	}
	return w.statements(file.Stmts, st).out
}

// parse reads a script. A parser that has panicked does not return to its pool.
func parse(text string, as shell) (*syntax.File, error) {
	pool := &bashParsers
	if as == posix {
		pool = &posixParsers
	}
	p := pool.Get().(*syntax.Parser)
	file, err := p.Parse(strings.NewReader(text), "")
	switch {
	case err == nil && p.Incomplete():
		err = errIncomplete
	case err == nil && strings.Contains(text, "\\\n") && strings.Contains(text, "#"):
		err = hiddenLine(file)
	}
	pool.Put(p)
	return file, err
}

type syntaxError string

func (e syntaxError) Error() string { return string(e) }

// hiddenLine finds a comment that ends with a backslash: to the parser the next line is part of it, and bash runs that line.
func hiddenLine(file *syntax.File) (err error) {
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok && strings.Contains(c.Text, "\n") {
			err = errHidden
		}
		return err == nil
	})
	return err
}

const (
	errHidden     = syntaxError("a comment ends with a backslash")
	errIncomplete = syntaxError("the command is not complete")
)

// source is the text of a script.
type source struct {
	script string // the one being read
	whole  string // the one of the request, with all that it writes into files
}

// asked is the script of the request.
func (s *source) asked() string { return s.whole }

// read begins a script inside the whole one. It returns the script before, for restore.
func (s *source) read(script string) (before string) {
	before, s.script = s.script, script
	return before
}

func (s *source) restore(before string) { s.script = before }

// text returns the source of a node.
func (s *source) text(n syntax.Node) string {
	from, to := n.Pos().Offset(), n.End().Offset()
	if from >= to || to > uint(len(s.script)) {
		return ""
	}
	return s.script[from:to]
}

// redirectAt reports whether the sign of a redirect is at an offset.
func (s *source) redirectAt(offset uint) bool {
	return offset < uint(len(s.script)) && strings.IndexByte("<>", s.script[offset]) >= 0
}
