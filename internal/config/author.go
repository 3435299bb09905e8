package config

import (
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// Author is the author of commits, and the key that signs them.
type Author struct {
	Name       string `envconfig:"LONGSHIFT_AUTHOR_NAME" default:"Longshift"`
	Email      string `envconfig:"LONGSHIFT_AUTHOR_EMAIL" default:"longshift@localhost"`
	SigningKey string `envconfig:"LONGSHIFT_SIGNING_KEY"`
}

// gpgKey matches a full key id: shorter ids are not unique, and gpg would search for a name.
var gpgKey = regexp.MustCompile(`^(0x)?([0-9A-Fa-f]{16}|[0-9A-Fa-f]{40})!?$`)

func (a Author) validate() (mistakes []error) {
	wrong := func(ok bool, name, value, what string) {
		if !ok {
			mistakes = append(mistakes, mistake(name, value, what))
		}
	}
	unseen := func(r rune) bool { return !unicode.IsPrint(r) }
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	wrong(!strings.ContainsAny(a.Name, "<>") && !strings.ContainsFunc(a.Name, unseen), "LONGSHIFT_AUTHOR_NAME", a.Name,
		"holds a character that git refuses in names or that nobody can see; leave out < and >, line ends and the like")
	wrong(strings.ContainsFunc(a.Name, word), "LONGSHIFT_AUTHOR_NAME", a.Name, "no name to git; give one with a letter or a digit")
	wrong(strings.Contains(a.Email, "@") && !strings.ContainsAny(a.Email, "<> ") && !strings.ContainsFunc(a.Email, unseen),
		"LONGSHIFT_AUTHOR_EMAIL", a.Email, "not an e-mail address; give one such as bot@example.com")
	wrong(a.SigningKey == "" || filepath.IsAbs(a.SigningKey) || gpgKey.MatchString(a.SigningKey), "LONGSHIFT_SIGNING_KEY", a.SigningKey,
		"neither an absolute path nor the id of a GPG key; give the path of an SSH key that starts with /, "+
			"or the 40 digits that `gpg --list-secret-keys` shows")
	return mistakes
}
