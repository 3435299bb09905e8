package command

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

var (
	ownerName = regexp.MustCompile("^" + task.RepositoryForm + "$")
	address   = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.-]*://|[A-Za-z_][A-Za-z0-9_-]*@[A-Za-z0-9.-]+:[^/])`)
	onlyDots  = regexp.MustCompile(`/\.+$`)
)

// Repository returns the repository that a run command names, empty when it names none, and the rest of the text. A path or an address
// is a fault of kind Input, unless it is standard, the repository that the operator has set.
func (c Command) Repository(standard string) (repository, text string, err error) {
	named, text := c.Options["repo"], c.Text
	if named == "" {
		word, rest := cutWord(c.Text)
		word = strings.Trim(word, "<>")
		word, _, _ = strings.Cut(word, "|") // an address as Slack writes it
		if word == standard && word != "" || ownerName.MatchString(word) || address.MatchString(word) || isPath(word) {
			named, text = word, rest
		}
	}
	switch {
	case named == "":
		return "", unquoted(text), nil
	case named == standard:
		return standard, unquoted(text), nil
	}
	return named, unquoted(text), checkRepository(named)
}

func isPath(word string) bool {
	return strings.HasPrefix(word, "/") || strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") || strings.HasPrefix(word, "~")
}

// checkRepository refuses folders of the hosts, and addresses, which could lead into the network of the hosts or hold a token. For that
// reason the error does not repeat them.
func checkRepository(repository string) error {
	const hint = "give owner/name, or begin the text with another word"
	switch {
	case isPath(repository):
		return fault.New(fault.Input, "paths are not taken from a chat").WithHint(hint)
	case address.MatchString(repository):
		return fault.New(fault.Input, "addresses of repositories are not taken from a chat").WithHint(hint)
	case !ownerName.MatchString(repository) || onlyDots.MatchString(repository):
		return fault.New(fault.Input, "the repository is not written as owner/name").WithHint(hint)
	}
	return nil
}

// issueForm is an issue as people write it: "#12" or "acme/web#12", and nothing else.
var issueForm = regexp.MustCompile("^(" + task.RepositoryForm + `)?\s*#([1-9][0-9]{0,9})$`)

// Issue returns the number of the issue that a run command names, and 0 when it names none or has other words beside it. repository is
// empty when the command does not name it.
func (c Command) Issue() (repository string, number int) {
	m := issueForm.FindStringSubmatch(c.Text)
	if m == nil {
		return "", 0
	}
	number, err := strconv.Atoi(m[2])
	if err != nil || m[1] != "" && c.Options["repo"] != "" {
		return "", 0
	}
	return m[1], number
}

// WeakensApproval reports whether a run command would let its plan pass with less than a person's decision.
func (c Command) WeakensApproval() bool {
	mode, given := c.Options["approval"]
	_, after := c.Options["approve-after"]
	return after || given && mode != task.ApprovalRequired
}
