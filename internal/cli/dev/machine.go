package dev

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
)

// Bounds for what tasks need.
const (
	gitMajor, gitMinor = 2, 31 // the oldest git whose worktrees and configuration by environment we use
	diskLeast          = 500 << 20
	diskGood           = 5 << 30
)

// modelCall makes one call to the model's endpoint, and returns the endpoint's name.
type modelCall func(ctx context.Context, process config.Config) (endpoint string, err error)

// machineCheck checks this machine.
type machineCheck struct {
	env     environ.Environ
	config  *environ.Config
	git     environ.Git
	sandbox func(ctx context.Context, process config.Config) ([]Layer, error)
	work    func(ctx context.Context, process config.Config) ([]Tool, error)
	signing func(ctx context.Context, process config.Config) error
	model   modelCall
	claude  string // the version of Claude Code that was tested
}

func newMachineCheck(u Uses) *machineCheck {
	return &machineCheck{u.Env, u.Config, u.Git, u.Sandbox, u.Work, u.Signing, u.Model, u.ClaudeVersion}
}

// all makes every check.
func (m *machineCheck) all(ctx context.Context) []finding {
	findings := []finding{m.checkGit(ctx)}
	conf, err := m.config.WithToken(ctx)
	if err != nil {
		return append(findings, failed("environment", err))
	}
	findings = append(findings, m.checkEnvironment())
	data := checkData(conf.Data)
	findings = append(findings, data)
	if data.State == stateOK {
		findings = append(findings, checkDisk(conf.Data))
	}
	if conf.Role.Host() {
		sandbox := m.checkSandbox(ctx, conf)
		findings = append(findings, sandbox)
		if sandbox.State != stateFail && data.State == stateOK {
			findings = append(findings, m.checkWork(ctx, conf))
		}
		if len(conf.Grants()) > 0 {
			findings = append(findings, checkGrants(conf))
		}
		if conf.Author.SigningKey != "" && data.State == stateOK {
			findings = append(findings, m.checkSigning(ctx, conf))
		}
	}
	findings = append(findings, m.checkAgent(ctx, conf)...)
	if conf.Scenario != "" {
		findings = append(findings, checkScenario(conf.Scenario))
	}
	return append(findings, checkGitHub(conf))
}

// start makes the checks that a worker does not make itself when it starts: of what the first task needs beside a sandbox.
func (m *machineCheck) start(ctx context.Context, conf config.Config) []finding {
	findings := append([]finding{m.checkGit(ctx), m.checkEnvironment(), checkDisk(conf.Data)}, m.checkAgent(ctx, conf)...)
	return append(findings, checkGitHub(conf))
}

var gitVersion = regexp.MustCompile(`(\d+)\.(\d+)(\.\d+)?`)

func (m *machineCheck) checkGit(ctx context.Context) finding {
	text, err := m.git.Run(ctx, "/", "version")
	if err != nil {
		return failed("git", err)
	}
	v := gitVersion.FindStringSubmatch(text)
	if v == nil {
		return finding{"git", stateWarn, "can't read its version from " + text, "tasks need git " + fmt.Sprintf("%d.%d", gitMajor, gitMinor)}
	}
	major, _ := strconv.Atoi(v[1]) // digits, by the expression
	minor, _ := strconv.Atoi(v[2])
	if major < gitMajor || major == gitMajor && minor < gitMinor {
		return finding{"git", stateFail, "version " + v[0] + " is too old", fmt.Sprintf("install %d.%d or newer", gitMajor, gitMinor)}
	}
	return finding{Check: "git", State: stateOK, Detail: "version " + v[0]}
}

// checkEnvironment looks for variables that are probably misspelt.
func (m *machineCheck) checkEnvironment() finding {
	unknown := config.Unknown(m.env.Vars)
	if len(unknown) == 0 {
		return finding{Check: "environment", State: stateOK, Detail: "all LONGSHIFT_ variables are understood"}
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
	return finding{"environment", stateWarn, "not ours: " + strings.Join(names, ", "), hint}
}

// checkGrants tells which secrets tasks get, and which they do not for the worker does not have them.
func checkGrants(conf config.Config) finding {
	var granted []string
	for _, g := range conf.Grants() {
		if _, err := g.Read(); err != nil {
			return finding{"secrets for tasks", stateWarn, err.Error(), fault.HintOf(err)}
		}
		granted = append(granted, fmt.Sprintf("%s for %s of %s", g.Name, strings.Join(g.Parts, ", "), g.Repository))
	}
	return finding{Check: "secrets for tasks", State: stateOK, Detail: strings.Join(granted, "; ")}
}

// checkSigning looks whether commits can be signed.
func (m *machineCheck) checkSigning(ctx context.Context, conf config.Config) finding {
	if err := m.signing(ctx, conf); err != nil {
		return failed("signing key", err)
	}
	return finding{Check: "signing key", State: stateOK, Detail: conf.Author.SigningKey + " signs commits"}
}

// checkData writes a file into the data folder and removes it.
func checkData(dir string) finding {
	if err := makeData(dir); err != nil {
		return failed("data folder", err)
	}
	file, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return finding{"data folder", stateFail, err.Error(), "set LONGSHIFT_DATA to a folder that you can write to"}
	}
	_, err = file.WriteString("ok")
	if closed := file.Close(); err == nil {
		err = closed
	}
	if removed := os.Remove(file.Name()); err == nil {
		err = removed
	}
	if err != nil {
		return finding{"data folder", stateFail, err.Error(), "set LONGSHIFT_DATA to a folder that you can write to"}
	}
	return finding{Check: "data folder", State: stateOK, Detail: dir}
}

func checkDisk(dir string) finding {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return failed("disk", fmt.Errorf("read free space: %w", err))
	}
	return diskFinding(uint64(s.Bavail) * uint64(s.Bsize))
}

func diskFinding(free uint64) finding {
	detail := fmt.Sprintf("%.1f GiB free", float64(free)/(1<<30))
	switch {
	case free < diskLeast:
		return finding{"disk", stateFail, detail, "make room, or set LONGSHIFT_DATA to another disk"}
	case free < diskGood:
		return finding{"disk", stateWarn, detail, "large repositories will fill it; make room, or set LONGSHIFT_DATA to another disk"}
	}
	return finding{Check: "disk", State: stateOK, Detail: detail}
}
