package agent

import (
	"regexp"
	"slices"
)

// names are the models that the short names of the configuration stand for; the same as in Claude Code 2.1.328.
var names = map[string]string{"opus": "claude-opus-5-5", "sonnet": "claude-sonnet-5-5", "haiku": "claude-haiku-5-5"}

// ModelName returns the full name of a model of Anthropic's.
func ModelName(short string) string {
	if full, ok := names[short]; ok {
		return full
	}
	return short
}

// TakesBudget tells whether a model of Anthropic's takes a budget for thinking. Later ones decide themselves how much they think, and their
// API refuses a call with a budget.
func TakesBudget(model string) bool {
	v := version.FindStringSubmatch(model)
	return v != nil && slices.Contains(budgeted, v[1]+"."+v[2])
}

// budgeted are the versions of models that take a budget. A 4 without more is the first of its line.
var budgeted = []string{"3.7", "4.", "4.0", "4.1", "4.5", "4.6"}

// version finds the version in a model's name, whose date has more digits: claude-opus-4-20250514, claude-3-7-sonnet.
var version = regexp.MustCompile(`claude-(?:[a-z]+-)?(\d+)(?:[-.](\d\d?))?(?:\D|$)`)
