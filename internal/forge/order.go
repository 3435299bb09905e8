package forge

import (
	"slices"
	"strings"
)

const orderWord = "/longshift"

// orders are the commands that people can give in a comment.
var orders = []string{
	"resume", "abandon", "tell", "allow", "deny", "approve", "edit", "reject", // decisions
	"start", "run", "status", "cancel", "logs", "list", "help",
}

// IsOrder tells whether a comment is a command to Longshift and not a request about the work: /longshift, alone or with a known verb.
func IsOrder(text string) bool {
	words := strings.Fields(strings.ToLower(text[:min(len(text), 4<<10)])) // long enough for any blanks before the command
	switch len(words) {
	case 0:
		return false
	case 1:
		return words[0] == orderWord
	}
	return words[0] == orderWord && slices.Contains(orders, words[1])
}
