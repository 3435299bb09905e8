package agent

import "strings"

// names are the models that the short names of the configuration stand for; the same as in Claude Code 2.1.328.
var names = map[string]string{"opus": "claude-opus-5-5", "sonnet": "claude-sonnet-5-5", "haiku": "claude-haiku-5-5"}

// ModelName returns the full name of a model of Anthropic's.
func ModelName(short string) string {
	if full, ok := names[short]; ok {
		return full
	}
	return short
}

// TakesBudget tells whether a model of Anthropic's takes a budget for thinking. Those from version 5 on decide themselves how much they think.
func TakesBudget(model string) bool {
	return strings.Contains(model, "-4") || strings.HasPrefix(model, "claude-3-7")
}
