package checkup

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// checkAgent checks the agents and their key, where this machine runs some.
func (m *Machine) checkAgent(ctx context.Context, conf config.Config) []Finding {
	agents := conf.Limits.Agents
	switch {
	case !conf.Role.Host():
		return nil
	case slices.Contains(agents, task.AgentClaude):
		return []Finding{m.checkClaude(ctx, conf), m.checkModel(ctx, conf)}
	case slices.Contains(agents, task.AgentNative):
		return []Finding{checkNative(conf), m.checkModel(ctx, conf)}
	}
	return nil
}

// checkNative tells whether the native agent can work. It has no program: a key is all that it needs.
func checkNative(conf config.Config) Finding {
	if _, kind := conf.Model.Secret(); kind == config.ModelLogin {
		return fail(OfNative, "a subscription login is for Claude Code alone", "set ANTHROPIC_API_KEY, or let LONGSHIFT_AGENTS name claude")
	}
	return good(OfNative, "built in; it needs a key and no program")
}

// checkClaude runs the agent's binary for its version.
func (m *Machine) checkClaude(ctx context.Context, conf config.Config) Finding {
	const hint = "install Claude Code, or set LONGSHIFT_CLAUDE to its path; with LONGSHIFT_AGENTS=native no program is needed"
	path := conf.Model.Claude
	if !filepath.IsAbs(path) {
		found, err := m.Programs.Program(path)
		if err != nil {
			return fail(OfClaude, path+" is not on PATH", hint)
		}
		path = found
	}
	if _, err := exec.LookPath(path); err != nil {
		return fail(OfClaude, "no program at "+path, hint)
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = m.Programs.Bare()
	cmd.WaitDelay = time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		detail := excerpt.FirstLine(errs.String())
		if detail == "" {
			detail = err.Error()
		}
		return fail(OfClaude, "--version failed: "+detail, hint)
	}
	detail, tested := excerpt.Clip(excerpt.FirstLine(out.String()), 100), m.Claude
	if version, _, _ := strings.Cut(detail, " "); version != tested {
		detail += " was not tested, and sessions with it are refused: what it sends is known of " + tested + " only"
		return fail(OfClaude, detail, "install @anthropic-ai/claude-code@"+tested)
	}
	return good(OfClaude, detail)
}

// checkModel tells whether there is a key for the model, never which, and whether the endpoint takes it: one call that costs
// nothing.
func (m *Machine) checkModel(ctx context.Context, conf config.Config) Finding {
	secret, kind := conf.Model.Secret()
	if kind == config.ModelNone {
		return warn(OfModel, "none is set",
			"run `longshift login anthropic`, or set ANTHROPIC_API_KEY or LONGSHIFT_CLAUDE_TOKEN")
	}
	endpoint, err := m.Model(ctx, conf)
	return taken(OfModel, secret, endpoint, err)
}

// checkOpenAI does the same for OpenAI's API.
func (m *Machine) checkOpenAI(ctx context.Context, conf config.Config) Finding {
	endpoint, err := m.OpenAI(ctx, conf)
	return taken(OfOpenAI, conf.Model.OpenAIKey, endpoint, err)
}

func taken(check string, secret config.Secret, endpoint string, err error) Finding {
	switch {
	case fault.KindOf(err) == fault.NotFound: // an endpoint may serve messages and nothing else
		return warn(check, err.Error(), fault.HintOf(err))
	case err != nil:
		return Failed(check, err)
	}
	return good(check, "from "+secret.Source()+", taken by "+endpoint)
}

func checkScenario(path string) Finding {
	if _, err := os.ReadFile(path); err != nil {
		return Failed("scenario", fault.New(fault.NotFound, "%w", err).WithHint("let LONGSHIFT_SCENARIO name a scenario file, or unset it"))
	}
	return good("scenario", path+" (the scripted agent calls no model)")
}
