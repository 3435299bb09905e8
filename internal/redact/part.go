package redact

import "strings"

const (
	partLetters = 12 // letters and digits in the pattern for a part
	partStep    = 6  // distance between patterns, so that any 17 in a row are found
	partLeast   = 24 // minimum of a value to be searched for in parts
)

// partsOf returns the offsets of parts that prove a value, within its letters and digits: half a key already makes
// guessing the rest easier, and text gets truncated anywhere. Parts that do not look random are left out, and so are the
// beginnings that all tokens of a kind share, such as those of JWTs and PEM keys.
func partsOf(value, letters string) (list []int) {
	if len(letters) < partLeast || 4*changes(letters) < len(letters) || strings.HasPrefix(value, "-----BEGIN") {
		return nil
	}
	prefix := value[:strings.LastIndexAny(value[:16], "-_.")+1]
	if strings.HasPrefix(value, "eyJ") {
		prefix = value[:strings.LastIndexByte(value, '.')+1]
	}
	for at := len(squeeze(nil, []byte(prefix))); at+partLetters <= len(letters); at += partStep {
		if changes(letters[at:at+partLetters]) >= 2 {
			list = append(list, at)
		}
	}
	return list
}

// changes counts the changes between lower case, upper case and digits: rare in words, at every other character in
// random text.
func changes(letters string) (n int) {
	kind := func(c byte) byte {
		if c <= '9' {
			return '0'
		}
		return c & 0x20
	}
	for i := 1; i < len(letters); i++ {
		if kind(letters[i]) != kind(letters[i-1]) {
			n++
		}
	}
	return n
}

const (
	spreadSigns = 20 // length of a part of a spread form
	spreadStep  = 38 // distance between parts, so that the usual lines of 76 characters break at most one of two
)

// spreadParts returns the parts of a form to search for, and their offsets.
func spreadParts(form string) func(yield func(string, int) bool) {
	return func(yield func(string, int) bool) {
		at := 0
		for ; at+spreadSigns < len(form); at += spreadStep {
			if !yield(form[at:at+spreadSigns], at) {
				return
			}
		}
		at = max(0, len(form)-spreadSigns)
		yield(form[at:], at)
	}
}

// spread returns the extent of a value in a text, given one of its parts. Line ends and the syntax that code puts around
// strings may separate the parts.
func (t target) spread(text []byte, at int) (first, last int) {
	first, last = at, at
	for n := t.part; n > 0; n-- {
		i := first - 1
		for i >= 0 && text[i] != t.value[n-1] && between(text[i]) {
			i--
		}
		if i < 0 || text[i] != t.value[n-1] {
			break
		}
		first = i
	}
	for n := t.part; n < len(t.value); n++ {
		i := last
		for i < len(text) && text[i] != t.value[n] && between(text[i]) {
			i++
		}
		if i == len(text) || text[i] != t.value[n] {
			break
		}
		last = i + 1
	}
	return first, last
}

func between(c byte) bool { return strings.IndexByte(" \t\r\n\\\"'+,", c) >= 0 }
