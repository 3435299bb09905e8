package listen

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
)

var (
	ownerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+$`)
	anAddress = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.-]*://|[a-z_][a-z0-9_-]*@[A-Za-z0-9.-]+:[^/])`)
	aPage     = regexp.MustCompile(`/(?:issues|pulls?|merge_requests|blob|tree|commits?|-)(?:/|$)`)
)

// repository gives the repository that a run names, or the default one, and the rest of the text.
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
	case named == "" && e.c.Repository == "":
		return "", "", fault.New(fault.Input, "the repository is missing").WithHint("begin with it: run owner/name what is to be done")
	case named == "" || named == e.c.Repository:
		return e.c.Repository, unquoted(text), nil
	}
	return named, unquoted(text), outsideMayName(named)
}

func isPath(word string) bool {
	return strings.HasPrefix(word, "/") || strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") || strings.HasPrefix(word, "~")
}

// outsideMayName refuses what nobody may name from a chat: folders of the hosts, addresses that hold a token.
func outsideMayName(repository string) error {
	const way = "give owner/name"
	if isPath(repository) || strings.HasPrefix(strings.ToLower(repository), "file:") {
		return fault.New(fault.Input, "paths are not taken from a chat").WithHint("%s, or begin the text with another word", way)
	}
	r, err := task.ParseRepository(repository)
	if err != nil {
		return err
	}
	if r.Path != "" {
		return fault.New(fault.Input, "paths are not taken from a chat").WithHint("%s", way)
	}
	u, err := url.Parse(repository)
	if err != nil || r.URL == "" || u.Scheme == "" {
		return nil // owner/name, or git's short form
	}
	switch {
	case u.User != nil && u.Scheme != "ssh", u.RawQuery != "", u.Fragment != "":
		return fault.New(fault.Input, "the repository's address holds more than the address").WithHint("%s", way)
	case aPage.MatchString(u.Path):
		return fault.New(fault.Input, "%q is a page of a repository, not the repository", clip(repository, 200)).WithHint("%s first, then what is to be done", way)
	}
	return nil
}
