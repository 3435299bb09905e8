package redact

// enoughLetters is the number of letters and digits below which a split value counts only if the parts look deliberately cut:
// "test token" is no proof of "test-token".
const enoughLetters = 16

// folder is a folder of this machine and the name that replaces it.
type folder struct{ dir, name string }

// index is everything that a Redactor searches for. It is immutable, so readers need no lock.
type index struct {
	values  []string
	folders []folder
	reach   int // bytes

	plain     *matcher // on the original text
	plainIs   []target
	letters   *matcher // on the letters and digits of the text only
	lettersIs []target
}

// target is the meaning of a matcher's pattern.
type target struct {
	rule  string
	value string // for plain patterns, the value itself, to extend a match to its first and last characters; for parts, the whole form
	name  string // replacement of a folder; "" for secrets
	part  int    // offset of the pattern in the value, if it is a part
	parts bool   // the pattern is a part, and more of the value may surround it
	word  bool   // matches whole words only
	ifCut bool   // matches only if it looks cut up
}

var nothing = index{reach: leastReach}

// newIndex prepares the search for values and folders.
func newIndex(values []string, folders []folder) *index {
	x := &index{values: values, folders: folders, reach: leastReach}
	var plain, letters []string
	for _, v := range values {
		x.reach = max(x.reach, 64*len(v))
		for _, f := range formsOf(v) {
			squeezed := string(squeeze(nil, []byte(f.text)))
			if f.spread {
				all, patterns, is := squeezed, &letters, &x.lettersIs
				if f.exact {
					all, patterns, is = f.text, &plain, &x.plainIs
				}
				for part, at := range spreadParts(all) {
					*patterns, *is = append(*patterns, part), append(*is, target{rule: f.rule, value: all, part: at, parts: true})
				}
				continue
			}
			switch {
			case len(v) < short:
				plain, x.plainIs = append(plain, f.text), append(x.plainIs, target{rule: f.rule, word: true})
			case len(squeezed) < short || f.exact:
				plain, x.plainIs = append(plain, f.text), append(x.plainIs, target{rule: f.rule})
			}
			if len(v) >= short && len(squeezed) >= short && !f.literal {
				letters = append(letters, squeezed)
				x.lettersIs = append(x.lettersIs, target{rule: f.rule, value: f.value, ifCut: f.rule == rulePlain && len(squeezed) < enoughLetters})
			}
		}
	}
	for _, v := range values {
		all := string(squeeze(nil, []byte(v)))
		for _, at := range partsOf(v, all) {
			letters = append(letters, all[at:at+partLetters])
			x.lettersIs = append(x.lettersIs, target{rule: rulePart, value: all, part: at, parts: true})
		}
	}
	for _, f := range folders {
		plain, x.plainIs = append(plain, f.dir), append(x.plainIs, target{name: f.name})
	}
	x.plain, x.letters = newMatcher(plain), newMatcher(letters)
	return x
}
