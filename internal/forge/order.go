package forge

import (
	"regexp"
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
// follow, as in "/longshift resume: the key is there". What is an order here is a command for command.Cut, or nobody would read the comment, or two.
func IsOrder(text string) bool {
	words := begin(text)
	if len(words) < 2 {
		return isOrder(words, orders)
	}
	_, command, _ := strings.Cut(strings.ToLower(text), orderWord)
	return words[0] == orderWord && slices.Contains(orders, verbOf(command))
}

// StartsTask tells whether a command, as it follows /longshift, starts the task of an issue.
func StartsTask(command string) bool { return verbOf(command) == "run" }

// verbForm is a verb as command.Cut reads it: it may be written as in a chat, /run@bot, and a mark may follow.
var verbForm = regexp.MustCompile(`^/?([a-z]+)[:,.!?]*$|^/([a-z]+)@[a-z0-9_]+[:,.!?]*$`)

// verbOf returns the verb of a command, as it follows /longshift, "" for none. All of the command may be in backticks.
func verbOf(command string) string {
	command = strings.TrimSpace(command)
	if inner, ok := strings.CutPrefix(command, "`"); ok {
		if inner, ok = strings.CutSuffix(inner, "`"); ok && !strings.Contains(inner, "`") {
			command = inner
		}
	}
	words := begin(command)
	if len(words) == 0 {
		return ""
	}
	m := verbForm.FindStringSubmatch(words[0])
	if m == nil {
		return ""
	}
	return m[1] + m[2]
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
