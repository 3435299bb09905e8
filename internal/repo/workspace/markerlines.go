package workspace

import (
	"bytes"
	"regexp"
)

// markerLine is a line that git puts around the sides of a conflict; inner ones, of a merge within a merge, are longer.
var markerLine = regexp.MustCompile(`^(?:<{7,} .*|>{7,} .*|\|{7,}(?: .*)?|={7})$`)

// markerLines counts such lines in what is written to it.
type markerLines struct {
	found map[string]int
	line  []byte
}

// longestMarker is how many bytes of a line are looked at.
const longestMarker = 1024

func (w *markerLines) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		piece, rest, whole := bytes.Cut(b, []byte("\n"))
		w.line = append(w.line, piece[:min(len(piece), longestMarker-len(w.line))]...)
		if whole {
			w.end()
		}
		b = rest
	}
	return n, nil
}

// end ends a line, the last one too.
func (w *markerLines) end() {
	if line := bytes.TrimRight(w.line, "\r"); markerLine.Match(line) {
		w.found[string(line)]++
	}
	w.line = w.line[:0]
}
