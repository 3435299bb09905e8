// Package policy decides whether an agent may run a command or use a tool: allow, ask a person, or deny. It reads the whole
// script with bash's own grammar, follows folders and variables through it, and judges every program by a table of its
// options. What it does not know it never allows.
//
// It is a filter and a tripwire, not a wall: code of the repository that a test runs can do anything the sandbox lets it. Where
// the sandbox stands as a whole (Config.Boxed), what only runs code inside of it is let through, and code in other languages is
// looked through for the names of what lies outside; elsewhere nothing of that is allowed. It touches no file, starts nothing, keeps nothing from one decision to the next, and does not know who asks.
package policy

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
	"github.com/longshift/longshift/internal/task"
)

// Verdict is what a decision comes to.
type Verdict string

// The verdicts. Deny beats Ask beats Allow.
const (
	Allow Verdict = "allow"
	Ask   Verdict = "ask"
	Deny  Verdict = "deny"
)

// Decision is a verdict with its ground.
type Decision struct {
	Verdict Verdict
	Rule    string // stable dotted name: "redirect.outside", "git.option"
	Reason  string // one sentence: what is wrong, and what to do instead
	Part    string // the piece of the command that decided, printable, at most 160 bytes
}

// Access says what is done with a path.
type Access string

// The kinds of access that a caller may ask about.
const (
	Read    Access = "read"
	Write   Access = "write"
	Remove  Access = "remove"
	Execute Access = "execute"

	list Access = "list" // names and attributes only
	dir  Access = "dir"  // becomes the working folder
)

// Request is one thing that an agent wants to do. Exactly one of Command, Tool and Path is set.
type Request struct {
	Role    task.Role
	Dir     string // working folder, absolute; "" is the tree's root
	Command string // a script for bash -c
	Tool    string // name of an agent's tool
	Input   json.RawMessage
	Path    string // absolute, or relative to Dir
	Access  Access

	// Restorable tells whether all at and below an absolute path of the tree may go without a person: it can be brought back,
	// or the base never had it. Nil says that nothing may. Only what runs boxed asks.
	Restorable func(path string) bool
}

// Policy decides. It is made by New, never changes, and is safe for use from many goroutines.
type Policy struct {
	c        Config
	programs map[string]*grammar.Table // by name
	paths    map[string]*grammar.Table // by path inside the tree
	off      map[string]string         // names whose profile is not on, with that profile
	own      []pattern                 // Config.Protected
	scopes   map[task.Role]scope
	allow    []rule
	ask      []rule
	deny     []rule
}

// Decide judges a request. It never fails: what can't be judged is denied.
func (p *Policy) Decide(r Request) Decision { return p.decide(r, nil, nil) }

func (p *Policy) decide(r Request, seen func([]grammar.Word), file func(string)) (d Decision) {
	defer func() {
		if recover() != nil {
			d = Decision{Deny, "internal", "this could not be judged; write it in a simpler way", part(r.Command)}
		}
	}()
	j := &judge{p: p, role: r.Role, best: Decision{Verdict: Allow}, budget: maxSteps, seen: seen, file: file, restorable: r.Restorable}
	switch {
	case !known(r.Role):
		j.refuse(grammar.Deny, "role.unknown", fmt.Sprintf("nothing is known of the role %q", part(string(r.Role))))
	case set(r.Command)+set(r.Tool)+set(r.Path) > 1:
		j.refuse(grammar.Deny, "request", "a request is for a command, a tool or a path, not for several of them")
	case r.Tool != "":
		j.tool(r)
	case r.Path != "":
		j.onePath(r)
	default:
		j.command(r)
	}
	if j.best.Verdict == Allow {
		j.best.Rule, j.best.Reason = "allowed", "every program, option and path in it is one that this role may use"
	}
	return j.best
}

func set(s string) int {
	if s == "" {
		return 0
	}
	return 1
}

// judge is the state of one decision.
type judge struct {
	p         *Policy
	role      task.Role
	src       string // the script that is being read
	best      Decision
	at        string // the piece of the script that is being judged
	dry       int    // > 0 while a loop is walked for its effects only
	depth     int
	wrapped   int  // programs around the command that is judged
	nested    int  // substitutions and scripts in words around it
	broadFeed bool // xargs feeds it a list of all files there are
	budget    int
	made      []made
	fresh     map[string]bool // files of made that are new from end to end
	links     []string
	piped     out // what the last <( ) prints
	frames    []*frame
	own       [2]int // the part of made that the redirects of this very command wrote
	noEditor  bool   // GIT_EDITOR=true stands before the command
	loops     []*loop
	seen      func(words []grammar.Word) // told every command that is judged; for tests
	file      func(path string)          // told every file that something takes code or input from; see Files

	whole      string                 // the script as it came, with all that it writes into files
	codeAt     []place                // the folders that the code which is looked through may run in
	clean      string                 // the text that was looked through last, when nothing was found
	restorable func(path string) bool // Request.Restorable
}

// refuse notes a verdict when it is stricter than what is known so far.
func (j *judge) refuse(c grammar.Class, rule, reason string) {
	v := Ask
	if c == grammar.Deny {
		v = Deny
	}
	if j.dry > 0 || rank(v) <= rank(j.best.Verdict) {
		return
	}
	j.best = Decision{v, rule, reason, part(j.at)}
}

func (j *judge) ask(rule, format string, args ...any) {
	j.refuse(grammar.Ask, rule, fmt.Sprintf(format, args...))
}

func (j *judge) deny(rule, format string, args ...any) {
	j.refuse(grammar.Deny, rule, fmt.Sprintf(format, args...))
}

func rank(v Verdict) int {
	switch v {
	case Allow:
		return 0
	case Ask:
		return 1
	}
	return 2
}

// part makes a piece of a command fit to be shown: escapes visible, at most 160 bytes.
func part(text string) string {
	const limit = 160
	text = strings.TrimSpace(text)
	cut := len(text) > limit
	if cut {
		text = text[:limit]
	}
	q := fmt.Sprintf("%+q", text)
	q = q[1 : len(q)-1]
	q = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(q)
	if cut || len(q) > limit {
		q = q[:min(len(q), limit-3)] + "..."
	}
	return q
}
