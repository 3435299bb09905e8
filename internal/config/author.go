package config

import (
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// gpgKey is a key as gpg tells keys apart: shorter ids are not unique, and names are searched for.
var gpgKey = regexp.MustCompile(`^(0x)?([0-9A-Fa-f]{16}|[0-9A-Fa-f]{40})!?$`)

// validateAuthor checks who commits, and with what commits are signed.
func (c *Config) validateAuthor() (mistakes []error) {
	wrong := func(ok bool, name, value, what string) {
		if !ok {
			mistakes = append(mistakes, mistake(name, value, what))
		}
	}
	unseen := func(r rune) bool { return !unicode.IsPrint(r) }
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	wrong(!strings.ContainsAny(c.AuthorName, "<>") && !strings.ContainsFunc(c.AuthorName, unseen), "LONGSHIFT_AUTHOR_NAME", c.AuthorName,
		"holds a character that git refuses in names or that nobody can see; leave out < and >, line ends and the like")
	wrong(strings.ContainsFunc(c.AuthorName, word), "LONGSHIFT_AUTHOR_NAME", c.AuthorName, "no name to git; give one with a letter or a digit")
	wrong(strings.Contains(c.AuthorEmail, "@") && !strings.ContainsAny(c.AuthorEmail, "<> ") && !strings.ContainsFunc(c.AuthorEmail, unseen), "LONGSHIFT_AUTHOR_EMAIL", c.AuthorEmail,
		"not an e-mail address; give one such as bot@example.com")
	wrong(c.SigningKey == "" || filepath.IsAbs(c.SigningKey) || gpgKey.MatchString(c.SigningKey), "LONGSHIFT_SIGNING_KEY", c.SigningKey,
		"neither an absolute path nor the id of a GPG key; give the path of an SSH key that starts with /, or the 40 digits that `gpg --list-secret-keys` shows")
	return mistakes
}
