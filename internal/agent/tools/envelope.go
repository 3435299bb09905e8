package tools

import (
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
)

// parseEnvelope reads the format that some models were trained on: *** Add File, *** Delete File and *** Update File, the last with hunks
// that have a line of the file behind @@ instead of numbers.
func parseEnvelope(patch string) ([]filePatch, error) {
	lines := strings.Split(patch, "\n")
	var files []filePatch
	for i := 1; i < len(lines); i++ {
		line := strings.TrimSuffix(lines[i], "\r")
		if line == "*** End Patch" {
			return tidy(files), nil
		}
		var err error
		switch name, what := envelopeHead(line); {
		case what == "Add":
			files = append(files, filePatch{to: name})
		case what == "Delete":
			files = append(files, filePatch{from: name, bare: true})
		case what == "Update":
			files = append(files, filePatch{from: name, to: name})
		case len(files) == 0:
			err = fmt.Errorf("%q comes before a line such as *** Update File: path", excerpt.Line(line, 60))
		default:
			err = files[len(files)-1].envelopeLine(lines[i])
		}
		if err != nil {
			return nil, fmt.Errorf("line %d of the patch: %w", i+1, err)
		}
	}
	return nil, fmt.Errorf("the patch ends without the line *** End Patch; give all of it")
}

func envelopeHead(line string) (name, what string) {
	for _, what := range []string{"Add", "Delete", "Update"} {
		if name, ok := strings.CutPrefix(line, "*** "+what+" File: "); ok {
			return strings.TrimSpace(name), what
		}
	}
	return "", ""
}

// envelopeLine reads a line that belongs to a file.
func (f *filePatch) envelopeLine(line string) error {
	bare := strings.TrimSuffix(line, "\r")
	switch {
	case strings.HasPrefix(line, "*** Move to: ") && f.from != "" && !f.bare:
		f.to = strings.TrimSpace(strings.TrimPrefix(line, "*** Move to: "))
		return nil
	case bare == "*** End of File" && len(f.hunks) > 0:
		f.hunks[len(f.hunks)-1].atEnd = true
		return nil
	case strings.HasPrefix(line, "@@") && f.from != "" && !f.bare:
		f.hunks = append(f.hunks, hunk{at: -1, anchor: strings.TrimSpace(strings.Trim(bare, "@"))})
		return nil
	}
	l, ok := hunkLineOf(line)
	switch {
	case bare == "" && (f.bare || len(f.hunks) == 0):
		return nil
	case !ok || f.bare || f.from == "" && l.op != '+' && bare != "":
		return fmt.Errorf("%q does not belong here; lines of a new file begin with +, and those of a hunk with a blank, + or -", excerpt.Line(line, 60))
	case f.from == "" && bare == "":
		return nil
	case len(f.hunks) == 0:
		f.hunks = append(f.hunks, hunk{at: -1})
	}
	h := &f.hunks[len(f.hunks)-1]
	h.lines = append(h.lines, l)
	return nil
}

func tidy(files []filePatch) []filePatch {
	for _, f := range files {
		for i, h := range f.hunks {
			f.hunks[i] = h.withoutLastBlanks()
		}
	}
	return files
}
