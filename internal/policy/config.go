package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/policy/base"
	"github.com/longshift/longshift/internal/policy/grammar"
	"github.com/longshift/longshift/internal/policy/lang"
	"github.com/longshift/longshift/task"
)

// Config is what a policy knows of its task. Paths are absolute and free of links; nothing is looked up on disk.
type Config struct {
	Root        string              // the working tree
	Home        string              // what ~ is for the commands; "" when that is not known
	Profiles    []string            // language profiles; nil is node, bun, python, ruby, go, rust, php
	Destructive bool                // files inside the tree may be removed and moved
	WriteOff    bool                // nothing may be changed or run, whatever the role
	Registry    bool                // package registries can be reached through a proxy
	PrivateTmp  bool                // /tmp belongs to this task alone
	Loopback    bool                // the loopback interface belongs to this task alone
	Namespace   bool                // processes live in a namespace of their own
	Boxed       bool                // commands run in a sandbox with every layer: what only runs code inside it needs no person
	Search      bool                // the search that the model's vendor runs may be used
	Pages       []string            // web pages that may be fetched: hosts, or host/path for what is below
	Alone       bool                // no sub-agents
	Protected   []string            // more paths that no command changes; globs relative to Root, ** for any folders
	Readable    []string            // absolute folders outside Root that may be read: tool chains, module caches
	Scopes      map[task.Role]Scope // what each role may touch; a role that is not there may touch the whole tree
	Allow       []Rule              // the operator's: commands that need no table
	Granted     []Rule              // the settings': programs that have no table, allowed in the complete sandbox only
	Pkill       []string            // the settings': names of processes that pkill may end, in a namespace of the task's own
	Ask         []Rule              // the operator's and the repository's: commands that a person decides on
	Deny        []Rule              // the operator's and the repository's: commands that are never run
}

// Scope limits the paths of a role. Patterns are globs relative to Root with ** for any number of folders; one that matches a
// folder applies to everything in it.
type Scope struct {
	Write    []string `yaml:"write"`     // when there are any, only what they match may be changed
	ReadOnly []string `yaml:"read_only"` // may be read, not changed
	Ignore   []string `yaml:"ignore"`    // may be neither read nor changed

	TaskWritable []string `yaml:"task_writable"` // may be changed only if the file is one of Named
	Named        []string `yaml:"named"`         // paths of files, no globs, that the task's plan names
}

// Rule is a command by its first words: "terraform plan *". In an Allow rule a star at the end admits further plain words,
// which are not options and lead nowhere outside; without it the words must be exactly these. Ask and Deny rules match every
// command that begins with their words.
type Rule struct {
	Command string `yaml:"command"`
	Why     string `yaml:"why"` // shown as the reason of a refusal

	// Roles are those that the rule is for; none means all. An Allow or Granted rule that names a role which only reads lets it run
	// the command in the complete sandbox, where its tree is read-only.
	Roles []task.Role `yaml:"roles"`
}

var standardProfiles = []string{"node", "bun", "python", "ruby", "go", "rust", "php"}

var knownProfiles = append([]string{"jvm", "dotnet", "cpp"}, standardProfiles...)

// New makes a policy. An error names the field and the value that is wrong.
func New(c Config) (*Policy, error) {
	p := &Policy{c: c, programs: map[string]*grammar.Table{}, paths: map[string]*grammar.Table{}}
	p.off, p.scopes = map[string]string{}, map[task.Role]scope{}
	for _, check := range []func() error{p.folders, p.profiles, p.patterns, p.rules} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func wrong(field, value, why string) error {
	return fault.New(fault.Input, "policy: %s: %q %s", field, value, why)
}

// folders checks the absolute paths.
func (p *Policy) folders() error {
	c := &p.c
	if !path.IsAbs(c.Root) || clean(c.Root) == "/" || hasControl(c.Root) {
		return wrong("root", c.Root, "must be an absolute folder below /")
	}
	c.Root = clean(c.Root)
	if c.Home != "" {
		if !path.IsAbs(c.Home) || hasControl(c.Home) {
			return wrong("home", c.Home, "must be absolute")
		}
		c.Home = clean(c.Home)
	}
	c.Readable = slices.Clone(c.Readable)
	for i, r := range c.Readable {
		if !path.IsAbs(r) || clean(r) == "/" || hasControl(r) {
			return wrong(fmt.Sprintf("readable[%d]", i), r, "must be an absolute folder below /")
		}
		c.Readable[i] = clean(r)
	}
	return nil
}

// profiles collects the tables of the programs.
func (p *Policy) profiles() error {
	if p.c.Profiles == nil {
		p.c.Profiles = standardProfiles
	}
	for i, n := range p.c.Profiles {
		if !slices.Contains(knownProfiles, n) {
			return wrong(fmt.Sprintf("profiles[%d]", i), n, "is no profile; there are "+strings.Join(knownProfiles, ", "))
		}
	}
	tables, err := compiledTables(p.c.Boxed)
	if err != nil {
		return fault.New(fault.Internal, "policy: %w", err)
	}
	for _, t := range tables {
		off := t.Program.Profile != "" && !slices.Contains(p.c.Profiles, t.Program.Profile)
		for _, n := range t.Program.Names {
			local := strings.TrimPrefix(n, "./")
			switch {
			case off && (!p.everyChain() || p.programs[n] != nil):
				p.off[local] = t.Program.Profile
			case strings.Contains(n, "/"):
				p.paths[local] = t
			default:
				p.programs[n] = t
			}
		}
	}
	return nil
}

// everyChain reports whether the tools of all languages may be used: in the sandbox they only run code inside it. A list of
// profiles that leaves out a standard one still applies.
func (p *Policy) everyChain() bool {
	return p.c.Boxed && !slices.ContainsFunc(standardProfiles, func(n string) bool { return !slices.Contains(p.c.Profiles, n) })
}

// patterns compiles the globs.
func (p *Policy) patterns() (err error) {
	if p.own, err = compilePatterns("protected", p.c.Protected); err != nil {
		return err
	}
	for role, s := range p.c.Scopes {
		if !known(role) {
			return wrong("scopes", string(role), "is no role")
		}
		var sc scope
		field := "scopes." + string(role)
		if sc.write, err = compilePatterns(field+".write", s.Write); err != nil {
			return err
		}
		if sc.readOnly, err = compilePatterns(field+".read_only", s.ReadOnly); err != nil {
			return err
		}
		if sc.ignore, err = compilePatterns(field+".ignore", s.Ignore); err != nil {
			return err
		}
		if sc.taskWritable, err = compilePatterns(field+".task_writable", s.TaskWritable); err != nil {
			return err
		}
		sc.named = s.Named
		p.scopes[role] = sc
	}
	return nil
}

// rules compiles the operator's and the repository's rules.
func (p *Policy) rules() (err error) {
	if p.allow, err = compileRules("allow", p.c.Allow); err != nil {
		return err
	}
	if p.granted, err = compileRules("granted", p.c.Granted); err != nil {
		return err
	}
	if p.ask, err = compileRules("ask", p.c.Ask); err != nil {
		return err
	}
	p.deny, err = compileRules("deny", p.c.Deny)
	return err
}

// allPrograms returns every table. Where several have the same name, the last one wins: builtins of bash come first, the
// tables of the languages last.
func allPrograms(boxed bool) []grammar.Program {
	if boxed {
		return slices.Concat(fallbacks(), base.Programs(), base.Boxed(), lang.Boxed())
	}
	return slices.Concat(fallbacks(), base.Programs(), lang.Programs())
}
