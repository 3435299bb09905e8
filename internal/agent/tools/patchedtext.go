package tools

import "strings"

// patchedText is a file that is patched, and what has become of it so far.
type patchedText struct {
	lines []string // with their ends
	flat  string   // the same, each line behind a line feed and without a carriage return
	taken int      // lines that are in out, or were removed
	drift int      // by how many lines hunks are further down than the patch says
	end   string   // of lines that are added
	out   strings.Builder
}

func newPatchedText(f filePatch, content string) *patchedText {
	t := &patchedText{end: "\n"}
	if content != "" {
		t.lines = strings.SplitAfter(content, "\n")
		if last := len(t.lines) - 1; t.lines[last] == "" {
			t.lines = t.lines[:last]
		}
	}
	if usesCRLF(content) && !f.knowsCRLF() {
		t.end = "\r\n"
	}
	flat := strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(content, "\n"), "\r"), "\r\n", "\n")
	if t.flat = "\n"; content != "" {
		t.flat += flat + "\n"
	}
	return t
}

// knowsCRLF is true for a patch whose lines have the ends of Windows, as git writes it for such a file.
func (f filePatch) knowsCRLF() bool {
	for _, h := range f.hunks {
		for _, l := range h.lines {
			if strings.HasSuffix(l.text, "\r") {
				return true
			}
		}
	}
	return false
}

func (t *patchedText) apply(h hunk, at int) {
	t.copyTo(at)
	for _, l := range h.lines {
		switch {
		case l.op == ' ':
			t.copyTo(t.taken + 1)
		case l.op == '-':
			t.taken++
		case l.open:
			t.write(l.text)
		default:
			t.write(l.text + t.end)
		}
	}
}

func (t *patchedText) copyTo(line int) {
	for ; t.taken < line; t.taken++ {
		t.write(t.lines[t.taken])
	}
}

// write ends a last line without an end, if something follows it.
func (t *patchedText) write(line string) {
	if s := t.out.String(); s != "" && line != "" && !strings.HasSuffix(s, "\n") {
		t.out.WriteString(t.end)
	}
	t.out.WriteString(line)
}
