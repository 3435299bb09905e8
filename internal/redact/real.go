package redact

import (
	"math"
	"strings"
)

// made matches words in example tokens of documentation and tests. Short words also occur in random letters of mixed
// case, so only the common spellings count.
var made = func() *matcher {
	var spellings []string
	for _, word := range []string{"example", "placeholder", "xxxx", "your", "dummy", "redacted", "changeme", "sample", "secret", "insert",
		"replace", "0000000", "deadbeef", "notreal", "test", "fake"} {
		spellings = append(spellings, word, strings.ToUpper(word), strings.ToUpper(word[:1])+word[1:])
	}
	spellings = append(spellings, "bPxRfiCY") // from the secret key in the AWS manuals, which is often slightly changed
	return newMatcher(spellings)
}()

// real reports whether a token looks random: only such a token stops a push. Made-up ones in documentation and tests
// repeat themselves, count up, or say what they are. A real token could be disguised like that on purpose; values that
// the process holds are therefore not judged this way.
func real(token []byte) bool {
	if made.any(token) {
		return false
	}
	var count [256]int
	signs, digits, upper, run, climb := 0, 0, 0, 1, 1
	for i, c := range token {
		if letter[c] == 0 {
			continue
		}
		count[c]++
		signs++
		if c <= '9' {
			digits++
		} else if c <= 'Z' {
			upper++
		}
		if i == 0 {
			continue
		}
		if run++; c != token[i-1] {
			run = 1
		}
		if climb++; c != token[i-1]+1 {
			climb = 1
		}
		if run >= 6 || climb >= 7 {
			return false
		}
	}
	if lowers := signs - digits - upper; digits == 0 {
		return upper >= 5 && lowers >= 5 && entropy(count, signs) >= 4
	}
	return entropy(count, signs) >= 3
}

// realKey does the same for the text between the markers of a private key. Keys have long runs of one letter.
func realKey(body []byte) bool {
	var count [256]int
	signs := 0
	for _, c := range body {
		if letter[c] == 1 {
			count[c]++
			signs++
		}
	}
	return signs >= 64 && entropy(count, signs) >= 4
}

// entropy is the Shannon entropy in bits per character.
func entropy(count [256]int, signs int) (bits float64) {
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(signs)
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
