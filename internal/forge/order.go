package forge

import (
	"slices"
	"strings"
)

const orderWord = "/longshift"

// orders are the commands that people can give in a comment.
var orders = []string{
	"resume", "abandon", "tell", "allow", "deny", "approve", "edit", "reject", // decisions
	"start", "run", "status", "cancel", "logs", "list", "help", "workspaces", "cron",
}

// plainly are those that IsPlainOrder knows.
var plainly = orders[:15]

// IsOrder tells whether a comment is a command to Longshift and not a request about the work: /longshift, alone or with a verb, which a mark may
// follow, as in "/longshift resume: the key is there".
func IsOrder(text string) bool {
	words := begin(text)
	if len(words) > 1 {
		words[1] = strings.TrimRight(words[1], ":,.!?")
	}
	return isOrder(words, orders)
}

// StartsTask tells whether a command, as it follows /longshift, starts the task of an issue. It may be written as in a chat: /run@bot, or in backticks.
func StartsTask(command string) bool {
	words := begin(strings.Trim(strings.TrimSpace(command), "`"))
	if len(words) == 0 {
		return false
	}
	verb, _, _ := strings.Cut(strings.TrimPrefix(words[0], "/"), "@")
	return strings.TrimRight(verb, ":,.!?") == "run"
}

// IsPlainOrder is IsOrder for a verb without a mark, and for the first fifteen verbs. Workflows decide by it, which must not change for those that run;
// what else is an order does not reach them.
func IsPlainOrder(text string) bool { return isOrder(begin(text), plainly) }

// begin returns the first words of a text.
func begin(text string) []string {
	return strings.Fields(strings.ToLower(text[:min(len(text), 4<<10)])) // long enough for any blanks before the command
}

func isOrder(words, verbs []string) bool {
	switch len(words) {
	case 0:
		return false
	case 1:
		return words[0] == orderWord
	}
	return words[0] == orderWord && slices.Contains(verbs, words[1])
}
