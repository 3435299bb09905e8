package tools

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
)

// hunk is a part of a file that a patch replaces.
type hunk struct {
	at     int    // line of the old file where it begins, as the patch says; -1 for unknown
	anchor string // a line before it; "" for none
	atEnd  bool   // of the file
	lines  []hunkLine
}

// hunkLine has a blank, + or - as its op. Its text is without a line end; open means that the file ends without one.
type hunkLine struct {
	op   byte
	text string
	open bool
}

// old are the lines that a hunk replaces.
func (h hunk) old() []string {
	var old []string
	for _, l := range h.lines {
		if l.op != '+' {
			old = append(old, strings.TrimSuffix(l.text, "\r"))
		}
	}
	return old
}

// withoutLastBlanks drops empty lines at the end of a hunk without counts, which are rather meant to set it off.
func (h hunk) withoutLastBlanks() hunk {
	for n := len(h.lines); n > 0 && !h.atEnd && h.lines[n-1] == (hunkLine{op: ' '}); n-- {
		h.lines = h.lines[:n-1]
	}
	return h
}

func applyHunks(ctx context.Context, f filePatch, content string) (string, patchedFile, error) {
	var report patchedFile
	if f.bare {
		report.Removed = countLines([]byte(content))
		return "", report, nil
	}
	if len(f.hunks) == 0 {
		return content, report, nil
	}
	t := newPatchedText(f, content)
	for i, h := range f.hunks {
		if ctx.Err() != nil {
			return "", report, errStopped
		}
		at, err := t.find(h)
		if err != nil {
			return "", report, fmt.Errorf("hunk %d of %q %w", i+1, cmp.Or(f.from, f.to), err)
		}
		report.Hunks = append(report.Hunks, linesFrom(at+1, len(h.old())))
		for _, l := range h.lines {
			report.Added += btoi(l.op == '+')
			report.Removed += btoi(l.op == '-')
		}
		t.apply(h, at)
	}
	t.copyTo(len(t.lines))
	return t.out.String(), report, nil
}

func linesFrom(first, n int) string {
	if n < 2 {
		return strconv.Itoa(first)
	}
	return fmt.Sprintf("%d-%d", first, first+n-1)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
