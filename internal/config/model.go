package config

import (
	"regexp"
	"strings"
)

// Model is the API that agents call, the secret for it, and the agent's binary.
type Model struct {
	Key         Secret   `envconfig:"LONGSHIFT_ANTHROPIC_KEY" fallback:"ANTHROPIC_API_KEY" help:"key for the Anthropic API"`
	Token       Secret   `envconfig:"LONGSHIFT_ANTHROPIC_TOKEN" fallback:"ANTHROPIC_AUTH_TOKEN" help:"bearer token for a gateway in front of the Anthropic API, in place of a key"`
	Login       Secret   `envconfig:"LONGSHIFT_CLAUDE_TOKEN" fallback:"CLAUDE_CODE_OAUTH_TOKEN" help:"login token of a Claude subscription"`
	URL         string   `envconfig:"LONGSHIFT_ANTHROPIC_URL" fallback:"ANTHROPIC_BASE_URL" default:"https://api.anthropic.com" help:"where model calls go; when unset, what ANTHROPIC_BASE_URL says"`
	ServerTools []string `envconfig:"LONGSHIFT_SERVER_TOOLS" help:"tools that the model's vendor may run for agents, off by default (comma list: web_search, web_search(docs.example go.dev), WebFetch(https://docs.example/*))"`
	Pass        []string `envconfig:"LONGSHIFT_GATEWAY_PASS" help:"what agents may send the model's API beyond the list of what is known to be harmless (comma list of the names that refusals give, such as beta:context-hint-2026-04-09 or tool:memory_20260101)"`
	Claude      string   `envconfig:"LONGSHIFT_CLAUDE" default:"claude" help:"the Claude Code binary (path, or a name on PATH)"`
}

// ModelKind is how a secret is presented to the model's API.
type ModelKind string

// The kinds of secrets for model calls.
const (
	ModelNone   ModelKind = ""       // nothing is set
	ModelKey    ModelKind = "key"    // x-api-key
	ModelBearer ModelKind = "bearer" // Authorization: Bearer
	ModelLogin  ModelKind = "login"  // the same, with the login of a subscription
)

// Secret returns the secret for model calls. A variable of ours takes precedence over those of other programs; of the latter, a bearer
// token takes precedence over a key, as in Claude Code.
func (m Model) Secret() (Secret, ModelKind) {
	token, key := m.Token.Present(), m.Key.Present()
	switch {
	case token && (!key || m.Token.ours() || !m.Key.ours()):
		return m.Token, ModelBearer
	case key:
		return m.Key, ModelKey
	case m.Login.Present():
		return m.Login, ModelLogin
	}
	return Secret{}, ModelNone
}

// ours tells whether the secret comes from a LONGSHIFT_ variable, and not from one of another program.
func (s Secret) ours() bool { return strings.HasPrefix(s.source, "LONGSHIFT_") }

// passName matches a name as the refusals of the model gateway give it.
var passName = regexp.MustCompile(`^[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)?$`)

// validate checks the names that the gateway passes. The gateway itself parses the grants of tools.
func (m *Model) validate() (mistakes []error) {
	m.ServerTools, m.Pass = tidy(m.ServerTools), tidy(m.Pass)
	for _, name := range m.Pass {
		if !passName.MatchString(name) {
			mistakes = append(mistakes, mistake("LONGSHIFT_GATEWAY_PASS", name,
				"not a name that a refusal gives; give one such as beta:context-hint-2026-04-09"))
		}
	}
	return mistakes
}
