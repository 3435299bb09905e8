package forge

import (
	"slices"
	"strings"
)

const orderWord = "/longshift"

// orders are what people can tell the workflow itself.
var orders = []string{
	"resume", "abandon", "tell", "allow", "deny", "approve", "edit", "reject", // decisions
	"start", "run", "status", "cancel", "logs", "list", "help",
}

// IsOrder tells whether a comment is an order to the workflow itself, and no wish about the work: it begins with /longshift, and
// behind that stands one of the known verbs, or nothing.
func IsOrder(text string) bool {
	words := strings.Fields(strings.ToLower(text[:min(len(text), 4<<10)])) // blanks in front don't count, and nobody writes so many
	switch len(words) {
	case 0:
		return false
	case 1:
		return words[0] == orderWord
	}
	return words[0] == orderWord && slices.Contains(orders, words[1])
}
