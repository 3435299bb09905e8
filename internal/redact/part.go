package redact

import "strings"

const (
	partLetters = 12 // letters and digits of a pattern for a part of a value
	partStep    = 6  // from one pattern to the next; so any 17 in a row are found
	partLeast   = 24 // that a value has before parts of it are looked for
)

// partsOf gives where in a value's letters and digits there are parts that prove it: half of a key is half of the way to it,
// and text is cut off anywhere. What does not look random may stand elsewhere for good reasons. So may the beginning of a
// token, of a JWT and of a key in PEM, which all of their kind share.
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

// changes counts how often small letters, capitals and digits take turns: hardly ever in words, at every other sign in what is
// random.
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
	spreadSigns = 20 // of a part of a form that is looked for part by part
	spreadStep  = 38 // from one to the next: lines of 76 signs, the usual ones, then break one of two at most
)

// spreadParts gives the parts of a form that are looked for, and where in it they stand.
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

// spread gives from where to where a text holds the value that a part of which was found at a place. Line ends and what code puts
// around pieces may stand between.
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
