package gateway

import (
	"regexp"
	"strings"
)

// modelName accepts the names that vendors and model gateways use, but no addresses, and none that switches on more than a model.
type modelName struct{}

func (modelName) check(r *review, v value) error {
	s, ok := v.(string)
	switch {
	case !ok || !modelPattern.MatchString(s) || strings.Contains(s, "//"):
		return refuse("is not a model's name")
	case searching.MatchString(s) && !r.pass[passedModel+s]:
		return refuse("is %s, with which the vendor searches the web"+passHint, s, passedModel+s)
	}
	return nil
}

var modelPattern = regexp.MustCompile(`^[A-Za-z0-9._:@/\[\]-]{1,200}$`)

// searching matches the models that search the web without a tool for it: those of OpenAI and Perplexity, and any at OpenRouter with ":online".
var searching = regexp.MustCompile(`(?i):online\b|(^|[/-])search(-|$)|deep-research|(^|/)sonar`)

// claudeName matches Anthropic's own models. Claude Code asks for small ones beside that of its session, and for those of its subagents.
var claudeName = regexp.MustCompile(`(?i)^claude-[a-z0-9.-]+(\[[a-z0-9]+\])?$`)

// What the operator can allow a model with.
const (
	passedModel = "model:"
	passHint    = "; an operator can allow it with LONGSHIFT_GATEWAY_PASS=%s"
)

// mayAsk refuses a model that the session was not made for. Servers give names a meaning that no list knows: a preset of theirs may search too.
func (s *Session) mayAsk(model string) error {
	pass := s.gateway.pass
	switch {
	case s.model == "", strings.EqualFold(withoutWindow(model), withoutWindow(s.model)), pass["model"], pass[passedModel+model],
		s.api.helpers != nil && s.api.helpers.MatchString(model):
		return nil
	}
	return within("model", refuse("is %s, and this session is for %s"+passHint, model, s.model, passedModel+model))
}

// withoutWindow is a model's name without the size of its context, such as [1m], which Claude Code asks for in another way.
func withoutWindow(model string) string { return window.ReplaceAllString(model, "") }

var window = regexp.MustCompile(`\[[A-Za-z0-9]+\]$`)
