package dev

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// The names of checks that the start of dev shows.
const (
	checkOfClaude = "claude"
	checkOfModel  = "model key"
	checkOfGitHub = "github token"
)

// checkAgent checks the agent and its key, where this machine runs one.
func (m *machineCheck) checkAgent(ctx context.Context, conf config.Config) []finding {
	if !slices.Contains(conf.Limits.Agents, "claude") || !conf.Role.Host() {
		return nil
	}
	return []finding{m.checkClaude(ctx, conf), checkModel(ctx, conf, m.model)}
}

// checkClaude runs the agent's binary for its version.
func (m *machineCheck) checkClaude(ctx context.Context, conf config.Config) finding {
	const hint = "install Claude Code, or set LONGSHIFT_CLAUDE to its path"
	path := conf.Model.Claude
	if !filepath.IsAbs(path) {
		found, err := m.env.Program(path)
		if err != nil {
			return finding{checkOfClaude, stateFail, path + " is not on PATH", hint}
		}
		path = found
	}
	if !environ.Executable(path) {
		return finding{checkOfClaude, stateFail, "no program at " + path, hint}
	}
	ctx, cancel := context.WithTimeout(ctx, environ.AskWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = m.env.Bare()
	cmd.WaitDelay = time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		detail := term.FirstLine(errs.String())
		if detail == "" {
			detail = err.Error()
		}
		return finding{checkOfClaude, stateFail, "--version failed: " + detail, hint}
	}
	detail, tested := excerpt.Clip(term.FirstLine(out.String()), 100), m.claude
	if version, _, _ := strings.Cut(detail, " "); version != tested {
		detail += " was not tested, and sessions with it are refused: what it sends is known of " + tested + " only"
		return finding{checkOfClaude, stateFail, detail, "install @anthropic-ai/claude-code@" + tested}
	}
	return finding{Check: checkOfClaude, State: stateOK, Detail: detail}
}

// checkModel tells whether there is a key for the model, never which, and whether the endpoint takes it: one call that costs
// nothing.
func checkModel(ctx context.Context, conf config.Config, call modelCall) finding {
	secret, kind := conf.Model.Secret()
	if kind == config.ModelNone {
		return finding{checkOfModel, stateWarn, "none is set",
			"run `longshift login anthropic`, or set ANTHROPIC_API_KEY or LONGSHIFT_CLAUDE_TOKEN"}
	}
	endpoint, err := call(ctx, conf)
	switch {
	case fault.KindOf(err) == fault.NotFound: // an endpoint may serve messages and nothing else
		return finding{checkOfModel, stateWarn, err.Error(), fault.HintOf(err)}
	case err != nil:
		return failed(checkOfModel, err)
	}
	return finding{Check: checkOfModel, State: stateOK, Detail: "from " + secret.Source() + ", taken by " + endpoint}
}

func checkScenario(path string) finding {
	if _, err := os.ReadFile(path); err != nil {
		return failed("scenario", fault.New(fault.NotFound, "%w", err).WithHint("let LONGSHIFT_SCENARIO name a scenario file, or unset it"))
	}
	return finding{Check: "scenario", State: stateOK, Detail: path + " (the scripted agent calls no model)"}
}

func checkGitHub(conf config.Config) finding {
	_, err := conf.GitHub.Token.Read()
	switch {
	case err != nil:
		return failed(checkOfGitHub, err)
	case !conf.GitHub.Token.Present():
		return finding{checkOfGitHub, stateWarn, "none is set",
			"run `longshift login github`, or set GH_TOKEN, to work on GitHub; local repositories need none"}
	case conf.GitHub.Token.Source() == environ.GHTokenSource:
		return finding{Check: checkOfGitHub, State: stateOK, Detail: "from " + environ.GHTokenSource + ", for the worker of `longshift dev`"}
	}
	return finding{Check: checkOfGitHub, State: stateOK, Detail: "from " + conf.GitHub.Token.Source()}
}
