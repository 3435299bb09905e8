package setup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/internal/repo/toolchain"
)

// guesser makes settings of the tool chains of a repository.
type guesser struct {
	decide  func(command string) (verdict policy.Verdict, reason string, err error)
	ignored func(path string) bool // git leaves it out of commits
	missing func(name string) bool // no program of the name is on PATH
	guesses []guess
	notes   []string
}

// guesser decides as a worker's sandbox does, for that is where the commands will run.
func (o *initOptions) guesser(ctx context.Context, top string) (*guesser, error) {
	conf, err := o.config.Read()
	if err != nil {
		return nil, err
	}
	decide, err := o.decide(conf)
	if err != nil {
		return nil, err
	}
	return &guesser{
		guesses: []guess{}, notes: []string{},
		decide: decide,
		ignored: func(path string) bool {
			_, err := o.git.Run(ctx, top, "check-ignore", "--quiet", "--", path)
			return err == nil
		},
		missing: func(name string) bool {
			_, err := o.env.Program(name)
			return err != nil
		},
	}, nil
}

func (g *guesser) all(found toolchain.Found) {
	chains := found.Chains
	if len(found.Left) > 0 {
		g.note("%s left out: %d tool chains are enough for one command", strings.Join(found.Left, ", "), toolchain.Most)
	}
	g.join("setup", chains, func(c toolchain.Chain) []string { return c.Setup })
	if !g.join("check", []toolchain.Chain{found.Runner}, func(c toolchain.Chain) []string { return c.Check }) {
		g.join("check", chains, func(c toolchain.Chain) []string { return c.Check })
	}
	for _, c := range chains {
		for _, n := range c.Notes {
			g.note("%s", n)
		}
		if c.Makes != "" && len(g.guesses) > 0 && !g.ignored(c.Makes+"/") {
			g.note("%s is not in .gitignore, and the commands of %s may fill it: it would be committed", c.Makes, c.Name)
		}
	}
	if found.Specs != "" {
		g.guesses = append(g.guesses, guess{"specs", found.Specs, "the folder " + found.Specs})
	}
	if g.ignored(project.FileName) {
		g.note("git ignores %s: no commit will have it", project.FileName)
	}
}

// join makes one command of those of all chains, and tells whether there was any. A command that is denied is left out; one
// that agents would have to ask for is fine, for it is not agents who run it.
func (g *guesser) join(key string, chains []toolchain.Chain, of func(toolchain.Chain) []string) bool {
	var commands, from []string
	for _, c := range chains {
		for _, command := range of(c) {
			verdict, reason, err := g.decide(command)
			switch {
			case err != nil:
				g.note("%s: %v", command, err)
				continue
			case verdict == policy.Deny:
				g.note("%s is not proposed, for the rules of this machine deny it: %s", command, reason)
				continue
			case verdict != policy.Allow:
				g.note("%s: agents that want to run it themselves would have to ask: %s", command, reason)
			}
			g.lookUp(key, command, c)
			commands = append(commands, command)
			if !slices.Contains(from, c.File) {
				from = append(from, c.File)
			}
		}
	}
	if commands == nil {
		return false
	}
	g.guesses = append(g.guesses, guess{key, strings.Join(commands, " && "), strings.Join(from, ", ")})
	return true
}

// lookUp notes that this machine lacks the program that a command begins with, or the task runner that a check runs in an environment.
func (g *guesser) lookUp(key, command string, c toolchain.Chain) {
	program, _, _ := strings.Cut(command, " ")
	programs := []string{program}
	if key == "check" && c.Runner != "" {
		programs = append(programs, c.Runner)
	}
	for _, name := range programs {
		if name != "." && !strings.ContainsAny(name, "/(") && g.missing(name) {
			g.note("%s is not installed here, and the %s needs it", name, key)
		}
	}
}

func (g *guesser) note(format string, args ...any) {
	if note := fmt.Sprintf(format, args...); !slices.Contains(g.notes, note) {
		g.notes = append(g.notes, note)
	}
}
