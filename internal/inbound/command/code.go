package command

import (
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/inbound/render"
)

var (
	codeGroups = regexp.MustCompile(`\b[A-Za-z0-9]{4}(?:-[A-Za-z0-9]{4})+\b`)  // as codes are shown
	codePlain  = regexp.MustCompile(`^(?:[A-Za-z0-9]{12}|[A-Z2-7 -]{12,20})$`) // without their hyphens, or with spaces
	codeSpaced = regexp.MustCompile(`^[A-Za-z0-9]{4}(?: +[A-Za-z0-9]{4})+$`)
)

// HoldsCode reports whether the text after "start" could hold a one-time code. It prefers to take a sentence for a code: a code that is
// taken for a sentence goes to the task, its history and the agent.
func HoldsCode(text string) bool {
	text = strings.Trim(render.OneLine(text), "`\"'“”.,!? ")
	return codeGroups.MatchString(text) || codePlain.MatchString(text) || codeSpaced.MatchString(text)
}

// IsCode reports whether a text has the form of a one-time code and nothing else. A sentence that begins with "start" must not count as
// a wrong code.
func IsCode(text string) bool {
	plain := strings.NewReplacer("-", "", " ", "").Replace(text)
	if len(plain) < 4 || len(plain) > 64 || len(strings.Fields(text)) > 4 {
		return false
	}
	return strings.IndexFunc(plain, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) < 0
}
