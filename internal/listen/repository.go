package listen

import (
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

var (
	ownerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+$`)
	anAddress = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.-]*://|[A-Za-z_][A-Za-z0-9_-]*@[A-Za-z0-9.-]+:[^/])`)
	onlyDots  = regexp.MustCompile(`/\.+$`)
)

// repository gives the repository that a run names, or none, and the rest of the text. Only the default one, which the
// operator has chosen, may be an address or a folder.
func (e *Ear) repository(c Command) (repository, text string, err error) {
	named, text := c.Options["repo"], c.Text
	if named == "" {
		word, rest := cutWord(c.Text)
		word = strings.Trim(word, "<>")
		word, _, _ = strings.Cut(word, "|") // an address as Slack writes it
		if word == e.c.Repository && word != "" || ownerName.MatchString(word) || anAddress.MatchString(word) || isPath(word) {
			named, text = word, rest
		}
	}
	switch {
	case named == "":
		return "", unquoted(text), nil
	case named == e.c.Repository:
		return e.c.Repository, unquoted(text), nil
	}
	return named, unquoted(text), outsideMayName(named)
}

// place shows a repository to a room. One on this machine may lie in somebody's home, which is nobody else's business.
func (e *Ear) place(repository string) string { return e.literal(e.c.Redact(repository), 200) }

func isPath(word string) bool {
	return strings.HasPrefix(word, "/") || strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") || strings.HasPrefix(word, "~")
}

// outsideMayName refuses what nobody may name from a chat: folders of the hosts, and addresses, which could lead into the network of
// the hosts or hold a token. They are not repeated, for the same reason.
func outsideMayName(repository string) error {
	const way = "give owner/name, or begin the text with another word"
	switch {
	case isPath(repository):
		return fault.New(fault.Input, "paths are not taken from a chat").WithHint(way)
	case anAddress.MatchString(repository):
		return fault.New(fault.Input, "addresses of repositories are not taken from a chat").WithHint(way)
	case !ownerName.MatchString(repository) || onlyDots.MatchString(repository):
		return fault.New(fault.Input, "the repository is not written as owner/name").WithHint(way)
	}
	return nil
}
