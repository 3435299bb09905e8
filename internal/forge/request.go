package forge

import (
	"strings"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// MaxTitle is the longest title that a forge accepts, in characters.
const MaxTitle = 256

// Check returns an error, which names the field, for a request that no forge could carry out.
func (r Request) Check() error {
	for _, f := range []struct{ name, value string }{
		{"task id", r.TaskID}, {"head branch", r.Head}, {"base branch", r.Base}, {"title", strings.TrimSpace(r.Title)},
	} {
		if f.value == "" {
			return fault.New(fault.Input, "pull request: %s is missing", f.name)
		}
	}
	if r.Head == r.Base {
		return fault.New(fault.Input, "pull request: head and base are the same branch %q", r.Head).
			WithHint("the task's own branch must differ from the branch it is merged into")
	}
	for _, b := range []string{r.Head, r.Base} {
		if strings.HasPrefix(b, "-") || strings.ContainsAny(b, " ~^:?*[\\\x7f\n\r\t") || strings.Contains(b, "..") {
			return fault.New(fault.Input, "pull request: %q is not a branch name", b)
		}
	}
	return nil
}

// OneLine returns the title on one line of at most MaxTitle characters.
func (r Request) OneLine() string { return cutRunes(excerpt.OneLine(r.Title), MaxTitle) }

// cutRunes shortens text to at most n characters, the last one an ellipsis when something was left out; between words if it can.
func cutRunes(s string, n int) string {
	if n < 1 || len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	cut := string(r[:n-1])
	if i := strings.LastIndexByte(cut, ' '); r[n-1] != ' ' && i > len(cut)*3/4 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ") + "…"
}
