package channel

import (
	"strings"

	"github.com/longshift/longshift/internal/task"
)

// visible gives valid text that holds only what people see.
func visible(s string) string { return task.Visible(s) }

// hidden tells what has no look of its own.
func hidden(r rune) bool { return task.Hidden(r) }

// oneLine is visible text without line ends and tabs.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, visible(s))
}
