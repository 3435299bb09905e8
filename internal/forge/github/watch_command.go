package github

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/forge"
)

const (
	commandWord = "/longshift"
	maxCommand  = 16 << 10 // bytes
)

// inCode matches a comment whose first line is code, indented by four blanks or a tab.
var inCode = regexp.MustCompile(`^(?:[ \t]*\r?\n)*(?: {4}| {0,3}\t)`)

// commandIn returns what follows /longshift at the start of a comment, cleaned. It returns false when something hidden precedes the
// word, and for code, which quotes a command but does not give it.
func commandIn(body string) (string, bool) {
	if inCode.MatchString(body) {
		return "", false
	}
	body = strings.TrimSpace(body)
	if len(body) < len(commandWord) || !strings.EqualFold(body[:len(commandWord)], commandWord) {
		return "", false
	}
	rest := body[len(commandWord):]
	if r, _ := utf8.DecodeRuneInString(rest); rest != "" && !unicode.IsSpace(r) {
		return "", false
	}
	return forge.Clean(strings.TrimSpace(rest), maxCommand), true
}

// isBot tells whether a user is not a person. An unknown type counts as a bot.
func isBot(u *gh.User) bool { return u.GetType() != "User" || strings.HasSuffix(u.GetLogin(), "[bot]") }
