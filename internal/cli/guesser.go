package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/internal/project"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/internal/toolchain"
)

// mostChains is how many tool chains one command is made of.
const mostChains = 3

// guesser makes settings of the tool chains of a repository.
type guesser struct {
	decide  func(command string) (policyVerdict, error)
	ignored func(path string) bool // git leaves it out of commits
	missing func(name string) bool // no program of the name is on PATH
	guesses []guess
	notes   []string
}

// guesser decides as a worker's sandbox does, for that is where the commands will run.
func (p *program) guesser(ctx context.Context, top string) (*guesser, error) {
	conf, err := p.config()
	if err != nil {
		return nil, err
	}
	base, err := p.wiring.Policy(conf, true)
	if err != nil {
		return nil, err
	}
	base.Root, base.Home = checkRoot, checkHome
	d := decider{base: base, made: map[string]*policy.Policy{}}
	return &guesser{
		guesses: []guess{}, notes: []string{},
		decide: func(command string) (policyVerdict, error) {
			return d.decide(policyRow{Command: &command, Destructive: &base.Destructive}, policyOptions{role: string(task.Implementer)})
		},
		ignored: func(path string) bool {
			_, err := p.git(ctx, top, "check-ignore", "--quiet", "--", path)
			return err == nil
		},
		missing: func(name string) bool {
			_, err := p.findProgram(name)
			return err != nil
		},
	}, nil
}

func (g *guesser) all(found toolchain.Found) {
	chains := found.Chains
	if more := len(chains) - mostChains; more > 0 {
		var names []string
		for _, c := range chains[mostChains:] {
			names = append(names, c.Name)
		}
		g.note("%s left out: %d tool chains are enough for one command", strings.Join(names, ", "), mostChains)
		chains = chains[:mostChains]
	}
	g.join("setup", chains, func(c toolchain.Chain) []string { return c.Setup })
	if !g.join("check", []toolchain.Chain{found.Runner}, func(c toolchain.Chain) []string { return c.Check }) {
		g.join("check", chains, func(c toolchain.Chain) []string { return c.Check })
	}
	for _, c := range chains {
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
			v, err := g.decide(command)
			switch {
			case err != nil:
				g.note("%s: %v", command, err)
				continue
			case v.Verdict == policy.Deny:
				g.note("%s is not proposed, for the rules of this machine deny it: %s", command, v.Reason)
				continue
			case v.Verdict != policy.Allow:
				g.note("%s: agents that want to run it themselves would have to ask: %s", command, v.Reason)
			}
			if name, _, _ := strings.Cut(command, " "); !strings.ContainsAny(name, "/(") && g.missing(name) {
				g.note("%s is not installed here, and the %s needs it", name, key)
			}
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

func (g *guesser) note(format string, args ...any) {
	if note := fmt.Sprintf(format, args...); !slices.Contains(g.notes, note) {
		g.notes = append(g.notes, note)
	}
}
