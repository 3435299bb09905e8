package checkup

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
)

// The oldest git whose worktrees and configuration by environment we use.
const gitMajor, gitMinor = 2, 31

var gitVersion = regexp.MustCompile(`(\d+)\.(\d+)(\.\d+)?`)

// CheckGit looks for a git that is new enough.
func (m *Machine) CheckGit(ctx context.Context) Finding {
	text, err := m.Git.Run(ctx, "/", "version")
	if err != nil {
		return Failed("git", err)
	}
	v := gitVersion.FindStringSubmatch(text)
	if v == nil {
		return warn("git", "can't read its version from "+text, "tasks need git "+fmt.Sprintf("%d.%d", gitMajor, gitMinor))
	}
	major, _ := strconv.Atoi(v[1]) // digits, by the expression
	minor, _ := strconv.Atoi(v[2])
	if major < gitMajor || major == gitMajor && minor < gitMinor {
		return fail("git", "version "+v[0]+" is too old", fmt.Sprintf("install %d.%d or newer", gitMajor, gitMinor))
	}
	return good("git", "version "+v[0])
}

// checkEnvironment looks for variables that are probably misspelt.
func (m *Machine) checkEnvironment() Finding {
	unknown := config.Unknown(m.Vars)
	if len(unknown) == 0 {
		return good("environment", "all LONGSHIFT_ variables are understood")
	}
	var names, hints []string
	for name, meant := range unknown {
		names = append(names, name)
		if meant != "" {
			hints = append(hints, fmt.Sprintf("did you mean %s?", meant))
		}
	}
	slices.Sort(names)
	slices.Sort(hints)
	hint := strings.Join(hints, " ")
	if hint == "" {
		hint = "see `longshift config show` for all variables"
	}
	return warn("environment", "not ours: "+strings.Join(names, ", "), hint)
}

// checkSettings looks whether a worker would start with its settings.
func (m *Machine) checkSettings(conf config.Config) Finding {
	if err := m.Settings(conf); err != nil {
		return Failed("settings", err)
	}
	return good("settings", "a worker starts with them")
}

// checkGrants tells which secrets tasks get, and which ones the worker itself lacks.
func checkGrants(conf config.Config) Finding {
	var granted []string
	for _, g := range conf.Grants() {
		if _, err := g.Read(); err != nil {
			return warn("secrets for tasks", err.Error(), fault.HintOf(err))
		}
		granted = append(granted, fmt.Sprintf("%s for %s of %s", g.Name, strings.Join(g.Parts, ", "), g.Repository))
	}
	return good("secrets for tasks", strings.Join(granted, "; "))
}

// checkSigning looks whether commits can be signed.
func (m *Machine) checkSigning(ctx context.Context, conf config.Config) Finding {
	if err := m.Signing(ctx, conf); err != nil {
		return Failed("signing key", err)
	}
	return good("signing key", conf.Author.SigningKey+" signs commits")
}

// checkObjects looks whether conversations can be kept where other hosts find them.
func (m *Machine) checkObjects(ctx context.Context, conf config.Config) Finding {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	if err := m.Objects(ctx, conf); err != nil {
		return Failed("object store", err)
	}
	return good("object store", "written to and read")
}
