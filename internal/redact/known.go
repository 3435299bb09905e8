package redact

import "slices"

// weak is the number of letters and digits below which a value that is chopped up is believed only when the pieces look as
// if somebody had cut it: "test token" is no proof of "test-token".
const weak = 16

// folder is a folder of this machine and what it is called outside.
type folder struct{ dir, name string }

// known is everything a Redactor looks for. It never changes once it is built, so readers need no lock.
type known struct {
	values  []string
	folders []folder
	reach   int // bytes

	plain     *matcher // on the text as it is
	plainIs   []target
	letters   *matcher // on the letters and digits of the text alone
	lettersIs []target
}

// target is what a pattern of a matcher stands for.
type target struct {
	rule  string
	value string // the value itself for plain ones, to widen a find to its first and last signs; all of the form for parts
	name  string // of a folder; "" for secrets
	part  int    // where in the value the pattern stands, when it is only a part
	parts bool   // the pattern is a part, and more of the value may stand around it
	word  bool   // counts only as a whole word
	weak  bool   // counts only when it looks cut up
}

var nothing = known{reach: leastReach}

// newKnown prepares the search for values and folders.
func newKnown(values []string, folders []folder) *known {
	k := &known{values: values, folders: folders, reach: leastReach}
	var plain, letters []string
	for _, v := range values {
		k.reach = max(k.reach, 64*len(v))
		for _, f := range formsOf(v) {
			squeezed := string(squeeze(nil, []byte(f.text)))
			if f.spread {
				all, patterns, is := squeezed, &letters, &k.lettersIs
				if f.exact {
					all, patterns, is = f.text, &plain, &k.plainIs
				}
				for part, at := range spreadParts(all) {
					*patterns, *is = append(*patterns, part), append(*is, target{rule: f.rule, value: all, part: at, parts: true})
				}
				continue
			}
			switch {
			case len(v) < short:
				plain, k.plainIs = append(plain, f.text), append(k.plainIs, target{rule: f.rule, word: true})
			case len(squeezed) < short || f.exact:
				plain, k.plainIs = append(plain, f.text), append(k.plainIs, target{rule: f.rule})
			}
			if len(v) >= short && len(squeezed) >= short && !f.literal {
				letters = append(letters, squeezed)
				k.lettersIs = append(k.lettersIs, target{rule: f.rule, value: f.value, weak: f.rule == rulePlain && len(squeezed) < weak})
			}
		}
	}
	for _, v := range values {
		all := string(squeeze(nil, []byte(v)))
		for _, at := range partsOf(v, all) {
			letters, k.lettersIs = append(letters, all[at:at+partLetters]), append(k.lettersIs, target{rule: rulePart, value: all, part: at, parts: true})
		}
	}
	for _, f := range folders {
		plain, k.plainIs = append(plain, f.dir), append(k.plainIs, target{name: f.name})
	}
	k.plain, k.letters = newMatcher(plain), newMatcher(letters)
	return k
}

func (k *known) holds(value string) bool { return slices.Contains(k.values, value) }
