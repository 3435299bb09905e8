package forge

import (
	"regexp"
	"strings"
)

var (
	noteStart = regexp.MustCompile(`^[ \t>` + edge + `]*\[\^([^\]\s]+)\]:`)
	noteCall  = regexp.MustCompile(`\\?\[\^([^\]\s]+)\]`)
)

// dropNotes removes footnotes that nothing refers to: pages do not show them.
func dropNotes(s string) string {
	if !strings.Contains(s, "[^") {
		return s
	}
	lines := strings.Split(s, "\n")
	called := map[string]bool{}
	for _, l := range lines {
		l = l[len(noteStart.FindString(l)):]
		for _, m := range noteCall.FindAllStringSubmatch(l, -1) {
			called[strings.ToLower(m[1])] = called[strings.ToLower(m[1])] || m[0][0] != '\\'
		}
	}
	out := lines[:0]
	hidden, blank := false, false
	for _, l := range lines {
		bare := strings.TrimLeft(l, edge)
		m := noteStart.FindStringSubmatch(l)
		switch empty := strings.TrimSpace(bare) == ""; {
		case m != nil:
			hidden = !called[strings.ToLower(m[1])]
		case hidden && (blank || strings.HasPrefix(l, edge)) && !empty && !strings.HasPrefix(bare, "    ") && !strings.HasPrefix(bare, "\t"):
			hidden = false
		}
		blank = strings.TrimSpace(bare) == ""
		if !hidden {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}
