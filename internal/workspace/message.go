package workspace

import (
	"regexp"
	"strconv"
	"strings"
)

var trailerLine = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*: \S`)

// withTrailer adds the mark to a message, which comes from a model: marks it has made up are taken out.
func withTrailer(message, mark string) string {
	var kept []string
	for line := range strings.Lines(strings.ReplaceAll(message, "\x00", "")) {
		line = strings.TrimRight(line, " \t\r\n")
		if !strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), strings.ToLower(trailer)+":") {
			kept = append(kept, line)
		}
	}
	text := strings.TrimSpace(strings.Join(kept, "\n"))
	if text == "" {
		text = "Work on the task"
	}
	paragraphs := strings.Split(text, "\n\n")
	separator := "\n"
	for line := range strings.Lines(paragraphs[len(paragraphs)-1]) {
		if len(paragraphs) == 1 || !trailerLine.MatchString(line) {
			separator = "\n\n"
		}
	}
	return text + separator + trailer + ": " + mark + "\n"
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
