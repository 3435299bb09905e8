package policy

import (
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/policy/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// Limits of a script. Beyond them it is denied as a whole.
const (
	maxScript = 1 << 20 // bytes
	maxDepth  = 200     // commands inside substitutions inside commands...
	maxSteps  = 300_000 // commands and words judged, loops several times
)

var (
	bashParsers  = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)) }}
	posixParsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangPOSIX), syntax.KeepComments(true)) }}
)

// command judges a script that the agent wants to run.
func (j *judge) command(r Request) {
	dir := r.Dir
	if dir == "" {
		dir = j.p.c.Root
	}
	if !strings.HasPrefix(dir, "/") {
		j.deny("request", "the working folder %q is not absolute", part(dir))
		return
	}
	if strings.TrimSpace(r.Command) == "" {
		j.deny("syntax.empty", "there is no command")
		return
	}
	j.whole = r.Command
	st := &state{cwd: []place{{path: clean(dir)}}, in: input{kind: noInput}}
	if !j.p.within(st.cwd[0].path) && !j.p.temporary(st.cwd[0].path) {
		j.ask("path.cwd", "the working folder lies outside the repository; go back into it first")
		return
	}
	j.script(r.Command, st, bash)
}

// shell is the dialect of a script.
type shell int

const (
	bash shell = iota
	posix
)

// script judges a script in a state that it may change.
func (j *judge) script(text string, st *state, as shell) out {
	old, oldAt := j.src, j.at
	defer func() { j.src, j.at = old, oldAt }()
	j.src, j.at = text, text
	if len(text) > maxScript {
		j.deny("syntax.long", "this command is longer than 1 MiB; write a file and use it")
		return out{}
	}
	if what := badByte(text); what != "" {
		j.deny("syntax.bytes", "the command holds %s; write it with plain characters", what)
		return out{}
	}
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
		j.deny("syntax.dash", "a script that begins with a sign is taken for an option of the shell; begin with a command")
		return out{}
	}
	if strings.HasSuffix(text, `\`) {
		j.deny("syntax.error", "the script ends with a backslash, so something is missing; write it to its end")
		return out{}
	}
	file, err := parse(text, as)
	if err != nil {
		j.deny("syntax.error", "bash would not read this as it is meant (%s); check quotes, brackets and here-documents", part(err.Error()))
		return out{}
	}
	return j.statements(file.Stmts, st).out
}

// parse reads a script with a parser of its own or of the pool. A parser that has panicked is not used again.
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

// hiddenLine finds a comment that ends with a backslash: the parser takes the next line for more of it, bash runs that line.
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

// step pays for a piece of work. It tells whether the judgement may go on.
func (j *judge) step() bool {
	if j.budget--; j.budget < 0 {
		j.dry = 0
		j.refuse(grammar.Deny, "syntax.complex", "this script is too involved to be judged; split it up")
		return false
	}
	return true
}

// enter goes one level deeper. Leave with j.depth--.
func (j *judge) enter() bool {
	if j.depth++; j.depth > maxDepth {
		dry := j.dry
		j.dry = 0
		j.refuse(grammar.Deny, "syntax.deep", "this script is nested too deeply to be judged; split it up")
		j.dry = dry
		return false
	}
	return true
}

// text gives the source of a node.
func (j *judge) text(n syntax.Node) string {
	from, to := n.Pos().Offset(), n.End().Offset()
	if from >= to || to > uint(len(j.src)) {
		return ""
	}
	return j.src[from:to]
}
