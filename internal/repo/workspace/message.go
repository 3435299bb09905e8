package workspace

import (
	"cmp"
	"regexp"
	"strconv"

	"github.com/longshift/longshift/internal/neutral"
)

// withTrailer cleans a commit message that a model has written and appends our trailer, if any. Git reads trailers from the last
// paragraph, so that paragraph is reserved for ours.
func withTrailer(message, mark string) string {
	text := cmp.Or(neutral.Message(message), "Work on the task")
	if mark != "" {
		text += "\n\n" + trailer + ": " + mark
	}
	return text + "\n"
}

var (
	statLine   = regexp.MustCompile(`(?m)^ \d+ files? changed.*$`)
	statNumber = regexp.MustCompile(`(\d+) (file|insertion|deletion)`)
)

// shortstat parses a line such as " 3 files changed, 5 insertions(+), 2 deletions(-)".
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
