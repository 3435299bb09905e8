package tools

import (
	"fmt"

	"strings"

	"github.com/longshift/longshift/internal/excerpt"
)

// parsePatch reads a unified diff, or a patch between *** Begin Patch and *** End Patch. Models count badly, so the counts of a hunk only
// tell where it could end, and the lines where it is only where to look first. The lines of a hunk must fit exactly.
func parsePatch(patch string) ([]filePatch, error) {
	if n := strings.Count(patch, "\n"); n > 0 && strings.Count(patch, "\r\n") == n {
		patch = strings.ReplaceAll(patch, "\r\n", "\n") // the patch itself was written so, which says nothing of the files
	}
	if strings.HasPrefix(strings.TrimSpace(patch), "*** Begin Patch") {
		return parseEnvelope(strings.TrimSpace(patch))
	}
	u := unified{lines: strings.Split(strings.TrimSuffix(patch, "\n"), "\n")}
	for u.at < len(u.lines) {
		if err := u.line(); err != nil {
			return nil, fmt.Errorf("line %d of the patch: %w", u.at+1, err)
		}
	}
	return u.finish()
}

// unified is a unified diff that is read.
type unified struct {
	lines []string
	at    int
	files []*filePatch
	git   bool // the last file began with diff --git, and its names have not come yet
}

// line reads one line, or with a file's names or a hunk several.
func (u *unified) line() error {
	line := u.lines[u.at]
	switch {
	case strings.HasPrefix(line, "diff --git "):
		from, to := gitNames(strings.TrimPrefix(line, "diff --git "))
		u.files, u.git = append(u.files, &filePatch{from: from, to: to}), true
	case u.names():
		u.setNames()
		u.at++
	case strings.HasPrefix(line, "@@@"):
		return fmt.Errorf("%q is of a diff against several files; give one against the files of the workspace", excerpt.Line(line, 60))
	case strings.HasPrefix(line, "@@"):
		if len(u.files) == 0 {
			return fmt.Errorf("a hunk comes before the lines --- a/path and +++ b/path of its file")
		}
		return u.hunk()
	case strings.HasPrefix(line, "GIT binary patch"), strings.HasPrefix(line, "Binary files "):
		return fmt.Errorf("binary files can't be patched; leave them out")
	case u.git:
		if err := u.header(u.files[len(u.files)-1], line); err != nil {
			return err
		}
	case len(u.files) > 0 && line != "" && line != "-- " && line != "--" && strings.ContainsRune("+-", rune(line[0])):
		return fmt.Errorf("%q is in no hunk; a hunk begins with a line such as @@ -3,2 +3,2 @@", excerpt.Line(line, 60))
	}
	u.at++
	return nil
}

// names is true at the two lines with the names of a file.
func (u *unified) names() bool {
	return strings.HasPrefix(u.lines[u.at], "--- ") && u.at+1 < len(u.lines) && strings.HasPrefix(u.lines[u.at+1], "+++ ")
}

func (u *unified) setNames() {
	from, to := patchName(u.lines[u.at][4:]), patchName(u.lines[u.at+1][4:])
	if !u.git {
		u.files = append(u.files, &filePatch{})
	}
	f := u.files[len(u.files)-1]
	renamed := u.git && f.from != f.to && f.from != "" && f.to != ""
	if u.git = false; renamed {
		return // git has said their names without a prefix
	}
	f.from, f.to = withoutPrefix(from, to)
}

// header reads what git says between the line diff --git and the names.
func (u *unified) header(f *filePatch, line string) error {
	word, rest := line, ""
	for _, known := range []string{"rename from ", "rename to ", "copy from ", "copy to ", "new file mode ", "deleted file mode ", "new mode "} {
		if strings.HasPrefix(line, known) {
			word, rest = known, patchName(strings.TrimPrefix(line, known))
		}
	}
	switch word {
	case "rename from ", "copy from ":
		f.from, f.copies = rest, word == "copy from "
	case "rename to ", "copy to ":
		f.to = rest
	case "deleted file mode ":
		f.to = ""
	case "new file mode ":
		f.from = ""
		return f.setMode(rest)
	case "new mode ":
		return f.setMode(rest)
	}
	return nil
}

func (f *filePatch) setMode(mode string) error {
	switch mode {
	case "100644":
		f.mode = 0o644
	case "100755":
		f.mode = 0o755
	default:
		return fmt.Errorf("a file of mode %q can't be made by a patch, only 100644 and 100755; leave it out", excerpt.Line(mode, 20))
	}
	return nil
}

// finish checks what only the whole patch shows.
func (u *unified) finish() ([]filePatch, error) {
	var files []filePatch
	for _, f := range u.files {
		if f.from == "" && f.to == "" {
			return nil, fmt.Errorf("a file of the patch has no name; give it in the lines --- a/path and +++ b/path")
		}
		if len(f.hunks) == 0 && f.from == f.to {
			return nil, fmt.Errorf("the patch has no hunk for %q; a change of the mode alone needs a command", f.to)
		}
		f.bare = f.to == "" && len(f.hunks) == 0
		files = append(files, *f)
	}
	return files, nil
}
