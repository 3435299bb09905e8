package prompt

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// mostImports is how many files a project's notes may import.
const mostImports = 20

// imported matches an import of another file: "@docs/style.md", relative to the note. Inside code it has another meaning.
var (
	imported = regexp.MustCompile(`(?:^|[\s(])@([A-Za-z0-9_][A-Za-z0-9_./-]*\.[A-Za-z0-9]+)`)
	codeIn   = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
)

// notes returns the project's notes for agents and the files that they import. AGENTS.md and CLAUDE.md are often identical; then they are
// included once.
func notes(files Files) (string, error) {
	if files == nil {
		return "", nil
	}
	var b strings.Builder
	var told []string
	todo := NotePaths()
	for n := 0; n < len(todo); n++ {
		name := todo[n]
		content, found, err := files(name)
		if fault.KindOf(err) == fault.Input { // an unreadable note is mentioned and does not stop the task
			fmt.Fprintf(&b, "\n\n# %s of the repository\n\n(It can't be read: %v.)", name, err)
			continue
		} else if err != nil {
			return "", wrap(name, err)
		}
		text := strings.TrimSpace(cut(strings.TrimSpace(strings.ToValidUTF8(string(content), "\uFFFD")), maxNotes))
		if !found || text == "" || slices.Contains(told, text) {
			continue
		}
		told = append(told, text)
		b.WriteString("\n\n# " + name + " of the repository\n\n" + text)
		for _, other := range imports(name, text) {
			if !slices.Contains(todo, other) && len(todo) < len(NotePaths())+mostImports {
				todo = append(todo, other)
			}
		}
	}
	return b.String(), nil
}

// imports lists the files in the repository that a note imports.
func imports(name, text string) (list []string) {
	for _, m := range imported.FindAllStringSubmatch(codeIn.ReplaceAllString(text, ""), -1) {
		if other := path.Join(path.Dir(name), m[1]); filepath.IsLocal(other) {
			list = append(list, other)
		}
	}
	return list
}
