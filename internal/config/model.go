package config

import (
	"regexp"
	"strings"
)

// Model is the APIs that agents call, the secrets for them, and the agents' binaries.
type Model struct {
	Key         Secret   `envconfig:"LONGSHIFT_ANTHROPIC_KEY" fallback:"ANTHROPIC_API_KEY"`
	Token       Secret   `envconfig:"LONGSHIFT_ANTHROPIC_TOKEN" fallback:"ANTHROPIC_AUTH_TOKEN"`
	Login       Secret   `envconfig:"LONGSHIFT_CLAUDE_TOKEN" fallback:"CLAUDE_CODE_OAUTH_TOKEN"`
	URL         string   `envconfig:"LONGSHIFT_ANTHROPIC_URL" fallback:"ANTHROPIC_BASE_URL" default:"https://api.anthropic.com"`
	OpenAIKey   Secret   `envconfig:"LONGSHIFT_OPENAI_KEY" fallback:"OPENAI_API_KEY"`
	OpenAIURL   string   `envconfig:"LONGSHIFT_OPENAI_URL" fallback:"OPENAI_BASE_URL" default:"https://api.openai.com"`
	Prices      string   `envconfig:"LONGSHIFT_PRICES"`
	ServerTools []string `envconfig:"LONGSHIFT_SERVER_TOOLS"`
	Pass        []string `envconfig:"LONGSHIFT_GATEWAY_PASS"`
	Claude      string   `envconfig:"LONGSHIFT_CLAUDE" default:"claude"`
	Codex       string   `envconfig:"LONGSHIFT_CODEX" default:"codex"`
	OpenCode    string   `envconfig:"LONGSHIFT_OPENCODE" default:"opencode"`
}

// ModelKind is how a secret is presented to the model's API.
type ModelKind string

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

// openAIsOwn is where OpenAI's API is unless another address is set.
const openAIsOwn = "https://api.openai.com"

// HasOpenAI tells whether OpenAI's API can be asked: there is a key, or another address than OpenAI's own, as a server on one's own machines may
// need none.
func (m Model) HasOpenAI() bool {
	return m.OpenAIKey.Present() || strings.TrimSuffix(m.OpenAIURL, "/v1") != openAIsOwn
}

// ours tells whether the secret comes from a LONGSHIFT_ variable, and not from one of another program.
func (s Secret) ours() bool { return strings.HasPrefix(s.source, "LONGSHIFT_") }

// passName matches a name as the refusals of the model gateway give it. That of a model may have more in it.
var passName = regexp.MustCompile(`^([A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)?|model:[A-Za-z0-9._:@/\[\]-]+)$`)

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
