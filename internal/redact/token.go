package redact

import (
	"encoding/base64"
	"regexp"
	"strings"
	"sync"
)

// window is how many bytes a rule looks at; a token that fills the window is followed to its end.
const window = 4 << 10

// rule is the public format of a token. Its expression is only tried where one of its literals occurs.
type rule struct {
	name     string
	literals string // separated by spaces
	// shape begins with the literal. It hides its first group, or the whole match if it has none.
	shape string
	back  string // bytes before the literal that belong to the token
	sure  bool   // stops a push, unless the token looks made up
	// inside allows a letter or digit before the literal.
	inside bool
	// random means that the match counts only if it looks random; otherwise it is code or words.
	random bool

	re *regexp.Regexp
}

// table is the rules, prepared for the search.
type table struct {
	rules   []rule
	of      []int // rule of each pattern
	literal *matcher
}

var prepared = sync.OnceValue(func() *table {
	t := &table{rules: rules()}
	var literals []string
	for n := range t.rules {
		r := &t.rules[n]
		r.re = regexp.MustCompile(`^(?:` + r.shape + `)`)
		for l := range strings.FieldsSeq(r.literals) {
			literals, t.of = append(literals, l), append(t.of, n)
		}
	}
	t.literal = newMatcher(literals)
	return t
})

// mostNested is how often a rule is tried within its own match, and in characters that follow each other as in a token.
// Without it, a text of repeated token beginnings would be scanned to the end from each of them: seconds for a page, and
// pushes are searched whatever an agent commits.
const mostNested = 16

// tokens finds tokens by their format.
func tokens(text []byte, hit func(span)) {
	t := prepared()
	var inside map[int]nest // by rule
	t.literal.each(text, func(n, at int) {
		rule := t.of[n]
		first, begins := t.rules[rule].begin(text, at)
		if !begins {
			return
		}
		in := inside[rule]
		if at >= in.end {
			in.tries, in.hidden = 0, false
		} else if in.tries++; in.tries > mostNested {
			if !in.hidden { // nobody writes so many beginnings of tokens in a row: what follows may be one
				in.end += len(tokenChars(text[min(in.end, len(text)):]))
				in.hidden = true
				inside[rule] = in
				hit(span{start: first, end: in.end, rule: t.rules[rule].name, sure: t.rules[rule].sure})
			}
			return
		}
		if inside == nil {
			inside = map[int]nest{}
		}
		f, ok := t.rules[rule].match(text, first)
		if ok {
			in.end = max(in.end, f.end)
			hit(f)
		} else if in.end <= at {
			in.end = at + len(tokenChars(text[at:min(len(text), at+window)]))
		}
		inside[rule] = in
	})
}

// nest is how far a rule was looked for from a place on, how often it was tried there, and whether the rest is hidden.
type nest struct {
	end, tries int
	hidden     bool
}

// tokenChars returns the beginning of a text that consists of the characters of tokens.
func tokenChars(text []byte) []byte {
	for i, c := range text {
		if !inToken(c) {
			return text[:i]
		}
	}
	return text
}

func inToken(c byte) bool { return letter[c] == 1 || strings.IndexByte("_-.=+/", c) >= 0 }

// begin returns where a token with a literal at this position would begin, and whether one can begin there.
func (r *rule) begin(text []byte, at int) (first int, ok bool) {
	first = at
	for r.back != "" && first > 0 && at-first < 24 && strings.IndexByte(r.back, text[first-1]) >= 0 {
		first--
	}
	return first, r.inside || !follows(text, first)
}

// match tries a rule where a token can begin.
func (r *rule) match(text []byte, first int) (span, bool) {
	view := text[first:min(len(text), first+window)]
	m := r.re.FindSubmatchIndex(view)
	if m == nil {
		return span{}, false
	}
	group := m[len(m)-2:] // the only group, or the whole match
	f := span{start: first + group[0], end: first + group[1], rule: r.name}
	if r.name == PrivateKey {
		f.end = first + keySpan(text[first:], m[1])
		f.sure = realKey(text[first+m[1] : f.end])
		return f, true
	}
	if group[1] == len(view) {
		for f.end < len(text) && inToken(text[f.end]) && f.end-first < leastReach {
			f.end++
		}
	}
	token := text[f.start:f.end]
	if r.random && !real(token) {
		return span{}, false
	}
	f.sure = r.sure && real(token) || r.name == ruleJWT && temporalCloud(token)
	return f, true
}

// follows reports whether a letter or digit of the same word precedes this position. The last character of an escape
// such as \n, %3D or \u003d does not count.
func follows(text []byte, at int) bool {
	if at == 0 || letter[text[at-1]] == 0 {
		return false
	}
	switch {
	case at >= 2 && text[at-2] == '\\' && strings.IndexByte("nrtbf", text[at-1]) >= 0:
		return false
	case at >= 3 && text[at-3] == '%' && isHex(text[at-2]) && isHex(text[at-1]):
		return false
	case at >= 6 && text[at-6] == '\\' && text[at-5] == 'u':
		return false
	}
	return true
}

// temporalCloud reports whether a JWT is an API key of Temporal Cloud, by its claims.
func temporalCloud(token []byte) bool {
	parts := strings.Split(string(token), ".")
	if len(parts) < 2 {
		return false
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	return err == nil && strings.Contains(string(claims), `"temporal.io"`)
}
