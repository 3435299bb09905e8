// Package nearest guesses which name was meant by a misspelt one. It is pure.
package nearest

// Name returns the known name that is closest to name, at most two edits away and less than half of it, or "".
func Name(name string, known []string) string { return Within(2, name, known) }

// Within is Name for at most so many edits.
func Within(edits int, name string, known []string) string {
	best, least := "", edits+1
	for _, candidate := range known {
		if d := distance(name, candidate); d < least && (2*d < len(name) || candidate == name) {
			best, least = candidate, d
		}
	}
	return best
}

// distance is the number of bytes to insert, delete, replace or swap with their neighbour to turn a into b.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j-1], rows[i-1][j], rows[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], 1+rows[i-2][j-2])
			}
		}
	}
	return rows[len(a)][len(b)]
}
