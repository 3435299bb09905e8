// Package variable says what the name of an environment variable means: whether it is one, whether its value is Longshift's own to
// set, and whether it says that the value is a secret. It looks at names alone and imports nothing of ours.
package variable

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var (
	name = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

	// What holds a task (where its home, its programs and its way out are), what the loader and bash obey before any program is
	// asked, and what is Longshift's or the server's.
	reserved = regexp.MustCompile(`(?i)^(LONGSHIFT_.*|TEMPORAL_.*|HOME|PATH|.*_PROXY|LD_.*|BASH_ENV|ENV|SSH_AUTH_SOCK)$`)

	// What besides is no repository's to set: who commits and which git folder is meant, the names that the model's key and the
	// agent's own settings go by, and how bash reads a command that was judged as it is written.
	operators = regexp.MustCompile(`(?i)^(GIT_.*|ANTHROPIC_.*|CLAUDE_.*|BASH_.*|BASHOPTS|SHELLOPTS|IFS|PS4|PROMPT_COMMAND)$`)
)

// IsName tells whether a text can be the name of a variable.
func IsName(s string) bool { return name.MatchString(s) }

// Reserved tells whether Longshift itself sets a variable, so that nobody else gives it to tasks.
func Reserved(s string) bool { return reserved.MatchString(s) }

// OperatorOnly tells whether the operator may give a variable to tasks and a repository may not.
func OperatorOnly(s string) bool { return operators.MatchString(s) }

// Words that say what a variable holds: as a whole word of its name, and as the end of one ("NPMTOKEN").
var (
	secretWords = []string{"AUTH", "AUTHORIZATION", "BEARER", "CRED", "CREDS", "JWT", "KEY", "KEYS", "PASS", "PAT"}
	secretEnds  = []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "PASSCODE", "CREDENTIAL", "APIKEY", "ACCESSKEY", "AUTHKEY",
		"PRIVATEKEY", "SECRETKEY", "SIGNINGKEY", "BASICAUTH", "OAUTH"}
)

// SaysSecret tells whether a name says that its value is a secret. It goes by words, so that a keyboard is no key and an author is
// no authorization.
func SaysSecret(s string) bool {
	words := strings.FieldsFunc(strings.ToUpper(s), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(words, func(word string) bool {
		return slices.Contains(secretWords, word) || word == "PWD" && len(words) > 1 ||
			slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(strings.TrimSuffix(word, "S"), end) })
	})
}
