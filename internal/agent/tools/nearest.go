package tools

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/longshift/longshift/internal/excerpt"
)

const (
	nearestBytes = 1000   // of the text that is shown
	nearestLines = 50_000 // of a file that are compared
	similarBytes = 200    // of a line that are compared
	similarLeast = 0.4    // similarity from which a line is worth showing
	votesPerLine = 8
	votesLeast   = 4 // more than a brace has
)

// nearest describes the part of a file that is most like a text which is not in it: as many lines, with their numbers.
func nearest(content, wanted string) string {
	lines := strings.SplitN(content, "\n", nearestLines+1)
	lines = lines[:min(len(lines), nearestLines)]
	want := strings.Split(strings.TrimSuffix(wanted, "\n"), "\n")
	at, ok := mostLike(lines, want)
	if !ok {
		return "nothing in the file is like it; read the file and give the text exactly as it is there"
	}
	window := lines[at:min(len(lines), at+len(want))]
	note := ""
	if squeeze(strings.Join(window, "")) == squeeze(wanted) {
		note = "; it differs only in white space"
	}
	var shown strings.Builder
	for i, line := range window {
		fmt.Fprintf(&shown, "L%d: %s\n", at+i+1, strings.TrimSuffix(line, "\r"))
		if shown.Len() > nearestBytes {
			break
		}
	}
	return fmt.Sprintf("the nearest text is%s:\n%s\ngive the text exactly as it is there, without the line numbers", note,
		excerpt.Clip(strings.TrimSuffix(shown.String(), "\n"), nearestBytes))
}

// mostLike returns the first line of the window that shares most lines with what is wanted, white space aside. If it shares none, the
// window around the line that is most like the longest wanted one.
func mostLike(lines, want []string) (int, bool) {
	places := map[string][]int{}
	longest, length := 0, 0
	for i, line := range want {
		key := squeeze(line)
		if key != "" && len(places[key]) < votesPerLine {
			places[key] = append(places[key], i)
		}
		if len(key) > length {
			longest, length = i, len(key)
		}
	}
	votes := map[int]int{}
	for at, line := range lines {
		key := squeeze(line)
		for _, i := range places[key] {
			votes[max(0, at-i)] += 1 + min(len(key), similarBytes) // so that a brace counts less than a statement
		}
	}
	best, most := 0, 0
	for at, n := range votes {
		if n > most || n == most && at < best {
			best, most = at, n
		}
	}
	if most >= votesLeast {
		return best, true
	}
	at, score := likeliest(lines, want[longest])
	return max(0, at-longest), score >= similarLeast
}

func likeliest(lines []string, want string) (at int, score float64) {
	pairs := pairsOf(want)
	for i, line := range lines {
		if s := similarity(pairsOf(line), pairs); s > score {
			at, score = i, s
		}
	}
	return at, score
}

// pairsOf are the pairs of neighbouring bytes of a line without white space, sorted.
func pairsOf(line string) []uint16 {
	line = squeeze(excerpt.Cut(line, 2*similarBytes))
	line = line[:min(len(line), similarBytes)]
	var pairs []uint16
	for i := 1; i < len(line); i++ {
		pairs = append(pairs, uint16(line[i-1])<<8|uint16(line[i]))
	}
	slices.Sort(pairs)
	return pairs
}

// similarity is the share of pairs that both have, from 0 to 1.
func similarity(a, b []uint16) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	same := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			same, i, j = same+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return 2 * float64(same) / float64(len(a)+len(b))
}

// squeeze removes all white space.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
