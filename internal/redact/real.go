package redact

import (
	"math"
	"strings"
)

// made finds words that stand in tokens of documentation and tests. Short ones occur in random letters too, in all
// mixtures of case, so only the usual spellings count.
var made = func() *matcher {
	var spellings []string
	for _, word := range []string{"example", "placeholder", "xxxx", "your", "dummy", "redacted", "changeme", "sample", "secret", "insert",
		"replace", "0000000", "deadbeef", "notreal", "test", "fake"} {
		spellings = append(spellings, word, strings.ToUpper(word), strings.ToUpper(word[:1])+word[1:])
	}
	spellings = append(spellings, "bPxRfiCY") // out of the secret key in the manuals of AWS, which is often changed a little
	return newMatcher(spellings)
}()

// real tells whether a token looks drawn at random: only such a one stops a push. What people write in documentation and
// tests repeats itself, counts up, or says what it is. Whoever means to smuggle a token out could of course dress it up;
// values that the process holds are therefore not judged like this.
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

// realKey judges what stands between the first and the last line of a private key. Keys have long runs of the same letter.
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

// entropy is Shannon's, in bits for each sign.
func entropy(count [256]int, signs int) (bits float64) {
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(signs)
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
