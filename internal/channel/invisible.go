package channel

import (
	"strings"

	"github.com/longshift/longshift/task"
)

// oneLine is visible text without line ends and tabs. Spaces stay, since the text may be one span of a line.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, task.Visible(s))
}
