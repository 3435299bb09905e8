// Package policy decides whether an agent may run a command or use a tool: allow, ask a person, or deny. It reads the whole
// script with bash's own grammar, follows folders and variables through it, and judges every program by a table of its
// options. What it does not know it never allows.
//
// It is a filter, not a wall: code of the repository that a test runs can do anything the sandbox allows. With a complete
// sandbox (Config.Boxed), commands that only run code inside it are allowed, and inline code in other languages is searched for
// names of what lies outside; without one neither is allowed. The package touches no file, starts nothing, retains nothing
// between decisions, and does not know who asks.
package policy

import (
	"encoding/json"

	"github.com/longshift/longshift/internal/policy/grammar"
	"github.com/longshift/longshift/task"
)

// Verdict is the result of a decision.
type Verdict string

// The verdicts. Deny beats Ask beats Allow.
const (
	Allow Verdict = "allow"
	Ask   Verdict = "ask"
	Deny  Verdict = "deny"
)

// Decision is a verdict with its reason.
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

	// Restorable reports whether everything at and below an absolute path of the tree may be removed without a person: it can
	// be restored, or the base never had it. Nil means that nothing may. It is only called when Config.Boxed is set.
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
	granted  []rule
	ask      []rule
	deny     []rule
}

// Decide judges a request. It never fails: what can't be judged is denied.
func (p *Policy) Decide(r Request) Decision { return p.decide(r, observers{}) }

func (p *Policy) decide(r Request, seen observers) (d Decision) {
	defer func() {
		if recover() != nil {
			d = Decision{Deny, "internal", "this could not be judged; write it in a simpler way", part(r.Command)}
		}
	}()
	j := newJudge(p, r, seen)
	verdict := &j.progress.verdict
	switch {
	case !known(r.Role):
		verdict.deny("role.unknown", "the role %q is unknown", part(string(r.Role)))
	case set(r.Command)+set(r.Tool)+set(r.Path) > 1:
		verdict.deny("request", "a request is for a command, a tool or a path, not for several of them")
	case r.Tool != "":
		j.parts.tools.judge(r)
	case r.Path != "":
		j.parts.tools.onePath(r)
	default:
		j.command(r)
	}
	return verdict.result()
}

func set(s string) int {
	if s == "" {
		return 0
	}
	return 1
}
