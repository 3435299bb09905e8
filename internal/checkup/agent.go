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

// checkAgents checks the agents and their keys, where this machine runs some.
func (m *Machine) checkAgents(ctx context.Context, conf config.Config) (findings []Finding) {
	if !conf.Role.Host() {
		return nil
	}
	agents := conf.Limits.Agents
	for _, p := range conf.Programs() {
		findings = append(findings, m.checkProgram(ctx, p))
	}
	claude, native, openCode := slices.Contains(agents, task.AgentClaude), slices.Contains(agents, task.AgentNative), slices.Contains(agents, task.AgentOpenCode)
	if native && !claude {
		findings = append(findings, checkNative(conf))
	}
	either, _ := keysFor(conf, task.AgentNative) // as for OpenCode
	if claude || native && len(either) == 0 || (native || openCode) && slices.Contains(either, task.APIAnthropic) {
		findings = append(findings, m.checkModel(ctx, conf))
	}
	if openCode {
		findings = append(findings, checkKeys(conf, task.AgentOpenCode))
	}
	if slices.Contains(agents, task.AgentCodex) || conf.Model.HasOpenAI() {
		findings = append(findings, m.checkOpenAI(ctx, conf))
	}
	return findings
}

// checkNative tells whether the native agent can work. It has no program: a key is all that it needs.
func checkNative(conf config.Config) Finding {
	if _, kind := conf.Model.Secret(); kind == config.ModelLogin && !conf.Model.HasOpenAI() {
		return fail(OfNative, "a subscription login is for Claude Code alone", "set ANTHROPIC_API_KEY, or let LONGSHIFT_AGENTS name claude")
	}
	return good(OfNative, "built in; it needs a key and no program")
}

// packages are where the binaries of agents come from.
var packages = map[string]struct{ name, npm string }{
	task.AgentClaude:   {"Claude Code", "@anthropic-ai/claude-code"},
	task.AgentCodex:    {"Codex", "@openai/codex"},
	task.AgentOpenCode: {"OpenCode", "opencode-ai"},
}

// checkProgram runs an agent's binary for its version.
func (m *Machine) checkProgram(ctx context.Context, p config.Program) Finding {
	pack, tested := packages[p.Agent], m.Tested[p.Agent]
	hint := "install " + pack.name + ", or set " + p.Variable + " to its path; with LONGSHIFT_AGENTS=native no program is needed"
	path := p.Path
	if !filepath.IsAbs(path) {
		found, err := m.Programs.Program(path)
		if err != nil {
			return fail(p.Agent, path+" is not on PATH", hint)
		}
		path = found
	}
	if _, err := exec.LookPath(path); err != nil {
		return fail(p.Agent, "no program at "+path, hint)
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	home, err := os.MkdirTemp("", "longshift-version-") // some write into it before they say their version
	if err != nil {
		return Failed(p.Agent, err)
	}
	defer os.RemoveAll(home)
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = append(m.Programs.Bare(), "HOME="+home)
	cmd.WaitDelay = time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		detail := excerpt.FirstLine(errs.String())
		if detail == "" {
			detail = err.Error()
		}
		return fail(p.Agent, "--version failed: "+detail, hint)
	}
	detail := excerpt.Clip(excerpt.FirstLine(out.String()), 100)
	if !slices.Contains(strings.Fields(detail), tested) {
		detail += " was not tested, and sessions with it are refused: what it sends is known of " + tested + " only"
		return fail(p.Agent, detail, "install "+pack.npm+"@"+tested)
	}
	return good(p.Agent, detail)
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
	if !conf.Model.HasOpenAI() {
		return warn(OfOpenAI, "none is set", "set OPENAI_API_KEY")
	}
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
	if !secret.Present() {
		return good(check, "none, and "+endpoint+" asks for none")
	}
	return good(check, "from "+secret.Source()+", taken by "+endpoint)
}

func checkScenario(path string) Finding {
	if _, err := os.ReadFile(path); err != nil {
		return Failed("scenario", fault.New(fault.NotFound, "%w", err).WithHint("let LONGSHIFT_SCENARIO name a scenario file, or unset it"))
	}
	return good("scenario", path+" (the scripted agent calls no model)")
}
