package workspace

import (
	"bytes"
	"regexp"
)

// markerLine matches a conflict marker of git. Markers of nested merges are longer.
var markerLine = regexp.MustCompile(`^(?:<{7,} .*|>{7,} .*|\|{7,}(?: .*)?|={7})$`)

// markerLines counts the conflict markers in what is written to it.
type markerLines struct {
	found map[string]int
	line  []byte
}

// longestMarker is how many bytes of a line are examined.
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

// end completes a line; it must also be called after the last one.
func (w *markerLines) end() {
	if line := bytes.TrimRight(w.line, "\r"); markerLine.Match(line) {
		w.found[string(line)]++
	}
	w.line = w.line[:0]
}
