package tools

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
)

var hunkHead = regexp.MustCompile(`^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@`)

// hunk reads a hunk from its @@ line to the line before the next part.
func (u *unified) hunk() error {
	h := hunk{at: -1}
	oldLeft, newLeft, counted := 0, 0, false
	if m := hunkHead.FindStringSubmatch(u.lines[u.at]); m != nil {
		h.at, _ = strconv.Atoi(m[1])
		oldLeft, newLeft, counted = count(m[2]), count(m[4]), true
	}
	u.git = false
	for u.at++; u.at < len(u.lines); u.at++ {
		line := u.lines[u.at]
		wants := oldLeft > 0 || newLeft > 0
		if strings.HasPrefix(line, "diff --git ") || strings.HasPrefix(line, "@@") || !wants && (u.names() || line == "-- ") {
			break
		}
		if u.names() && (oldLeft < 1 || newLeft < 1) {
			break
		}
		l, ok := hunkLineOf(line)
		switch {
		case strings.HasPrefix(line, `\`):
			if n := len(h.lines); n > 0 {
				h.lines[n-1].open = true
			}
			continue
		case !ok && wants:
			return fmt.Errorf("%q is in a hunk; each of its lines begins with a blank, + or -", excerpt.Line(line, 60))
		case !ok || line == "" && counted && !wants:
			u.add(h, counted)
			return nil
		}
		h.lines = append(h.lines, l)
		oldLeft -= btoi(l.op != '+')
		newLeft -= btoi(l.op != '-')
	}
	u.add(h, counted)
	return nil
}

func (u *unified) add(h hunk, counted bool) {
	f := u.files[len(u.files)-1]
	if !counted {
		h = h.withoutLastBlanks()
	}
	f.hunks = append(f.hunks, h)
}

func count(s string) int {
	if s == "" {
		return 1
	}
	n, _ := strconv.Atoi(s)
	return n
}

// hunkLineOf takes an empty line for one of a blank, which models and mail programs leave out.
func hunkLineOf(line string) (hunkLine, bool) {
	if line == "" || line == "\r" {
		return hunkLine{op: ' ', text: line}, true
	}
	return hunkLine{op: line[0], text: line[1:]}, strings.IndexByte(" +-", line[0]) >= 0
}
