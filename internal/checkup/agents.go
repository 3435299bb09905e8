package checkup

import (
	"context"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Agent is an agent, and what it has and lacks on this machine.
type Agent struct {
	Agent    string            `json:"agent"`
	Allowed  bool              `json:"allowed"`
	Tested   string            `json:"tested,omitempty"` // version of its program that its driver knows
	Accounts []string          `json:"accounts"`         // for which there is a key, or a server that may need none
	Keys     []string          `json:"keys"`             // where the keys or logins for them are from
	State    signals.HostState `json:"state"`
	Detail   string            `json:"detail"`
	Hint     string            `json:"hint,omitempty"` // the way out
}

// apis are those by which an agent can ask its model.
var apis = map[string][]string{
	task.AgentClaude: {task.APIAnthropic}, task.AgentCodex: {task.APIOpenAI},
	task.AgentOpenCode: {task.APIAnthropic, task.APIOpenAI}, task.AgentNative: {task.APIAnthropic, task.APIOpenAI},
}

// Agents looks at all agents but the scripted one. It asks no model.
func (m *Machine) Agents(ctx context.Context, conf config.Config) (list []Agent) {
	programs := map[string]config.Program{}
	for _, p := range conf.AllPrograms() {
		programs[p.Agent] = p
	}
	for _, name := range task.Agents() {
		if name == task.AgentScript {
			continue
		}
		a := Agent{Agent: name, Allowed: slices.Contains(conf.AllowedAgents(), name), Tested: m.Tested[name]}
		a.Accounts, a.Keys = keysFor(conf, name)
		found := good(name, "built in")
		if p, is := programs[name]; is {
			found = m.checkProgram(ctx, p)
		}
		if found.State == signals.HostOK && len(a.Accounts) == 0 {
			found = fail(name, found.Detail+", and no key for it", wayToKey(name))
		}
		a.State, a.Detail, a.Hint = found.State, found.Detail, found.Hint
		list = append(list, a)
	}
	return list
}

// keysFor are the accounts that an agent can use, and where their keys are from. A server of one's own may need none.
func keysFor(conf config.Config, agent string) (accounts, keys []string) {
	accounts, keys = []string{}, []string{}
	for _, api := range apis[agent] {
		secret, kind := conf.Model.Secret()
		if api == task.APIOpenAI {
			secret, kind = conf.Model.OpenAIKey, config.ModelKey
			if !secret.Present() && conf.Model.HasOpenAI() {
				accounts = append(accounts, api)
			}
		}
		if secret.Present() && (kind != config.ModelLogin || agent == task.AgentClaude) { // a login is for Claude Code alone
			accounts, keys = append(accounts, api), append(keys, secret.Source())
		}
	}
	return accounts, keys
}

func wayToKey(agent string) string {
	switch agent {
	case task.AgentClaude:
		return "run `longshift login anthropic`, or set ANTHROPIC_API_KEY or LONGSHIFT_CLAUDE_TOKEN"
	case task.AgentCodex:
		return "set OPENAI_API_KEY"
	}
	return "set ANTHROPIC_API_KEY or OPENAI_API_KEY"
}

// checkKeys tells whether an agent that can use several accounts has a key for one.
func checkKeys(conf config.Config, agent string) Finding {
	accounts, keys := keysFor(conf, agent)
	switch {
	case len(accounts) == 0:
		return fail(agent+" key", "none is set", wayToKey(agent))
	case len(keys) == 0:
		return good(agent+" key", "none, and "+conf.Model.OpenAIURL+" may need none")
	}
	return good(agent+" key", "of "+strings.Join(accounts, " and ")+", from "+strings.Join(keys, " and "))
}
