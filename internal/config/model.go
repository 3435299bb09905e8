package config

import (
	"regexp"
	"strings"
)

// ModelKind is how a secret is shown to the model's API.
type ModelKind string

// The kinds of what model calls are sent with.
const (
	ModelNone   ModelKind = ""       // nothing is set
	ModelKey    ModelKind = "key"    // x-api-key
	ModelBearer ModelKind = "bearer" // Authorization: Bearer
	ModelLogin  ModelKind = "login"  // the same, with the login of a subscription
)

// ModelSecret gives what model calls are sent with. What is set for us comes before what is set for every program; of
// the latter a bearer token comes before a key, as in Claude Code.
func (c Config) ModelSecret() (Secret, ModelKind) {
	token, key := c.AnthropicToken.Present(), c.AnthropicKey.Present()
	switch {
	case token && (!key || c.AnthropicToken.ours() || !c.AnthropicKey.ours()):
		return c.AnthropicToken, ModelBearer
	case key:
		return c.AnthropicKey, ModelKey
	case c.ClaudeToken.Present():
		return c.ClaudeToken, ModelLogin
	}
	return Secret{}, ModelNone
}

// ours tells whether a variable of ours holds the secret, and not one of another program.
func (s Secret) ours() bool { return strings.HasPrefix(s.source, "LONGSHIFT_") }

// passName is a name as the model gateway's refusals give it.
var passName = regexp.MustCompile(`^[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)?$`)

// validateModel checks what is said about the model gateway. The gateway itself reads the grants of tools.
func (c *Config) validateModel() (mistakes []error) {
	c.ServerTools, c.GatewayPass = tidy(c.ServerTools), tidy(c.GatewayPass)
	for _, name := range c.GatewayPass {
		if !passName.MatchString(name) {
			mistakes = append(mistakes, mistake("LONGSHIFT_GATEWAY_PASS", name, "not a name that a refusal gives; give one such as beta:context-hint-2026-04-09"))
		}
	}
	return mistakes
}
