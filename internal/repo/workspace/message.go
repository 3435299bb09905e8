package workspace

import (
	"regexp"
	"strconv"

	"github.com/longshift/longshift/internal/neutral"
)

// withTrailer is a message, which comes from a model, as a commit may bear it, with our mark below, if any. Trailers are what git finds in
// the last paragraph. That one is ours alone.
func withTrailer(message, mark string) string {
	text := neutral.Message(message)
	if text == "" {
		text = "Work on the task"
	}
	if mark != "" {
		text += "\n\n" + trailer + ": " + mark
	}
	return text + "\n"
}

var (
	statLine   = regexp.MustCompile(`(?m)^ \d+ files? changed.*$`)
	statNumber = regexp.MustCompile(`(\d+) (file|insertion|deletion)`)
)

// shortstat finds a line such as " 3 files changed, 5 insertions(+), 2 deletions(-)" and reads it.
func shortstat(text string) (files, added, deleted int) {
	for _, m := range statNumber.FindAllStringSubmatch(statLine.FindString(text), -1) {
		n, _ := strconv.Atoi(m[1])
		switch m[2] {
		case "file":
			files = n
		case "insertion":
			added = n
		case "deletion":
			deleted = n
		}
	}
	return files, added, deleted
}
