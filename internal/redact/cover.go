package redact

import (
	"slices"
	"strings"
)

// Cover overwrites a value with stars, in all the literal spellings that a Redactor knows. It keeps the length of the
// text: for formats with length fields, and for streams. It is immutable, so readers need no lock.
type Cover struct {
	forms  *matcher
	inside [256]bool // bytes at which a form may be cut off
}

// NewCover returns a Cover for a value. A value too short to be a secret is not covered.
func NewCover(value string) *Cover {
	c := &Cover{}
	if len(value) < short {
		return c
	}
	var texts []string
	for _, f := range formsOf(value) {
		texts = append(texts, f.text)
		for i := range len(f.text) {
			c.inside[f.text[i]] = true
		}
	}
	c.forms = newMatcher(texts)
	return c
}

// In covers the value in a text, in place, and reports whether it was there.
func (c *Cover) In(text []byte) bool {
	var found []span
	c.forms.each(text, func(form, at int) { found = append(found, span{start: at, end: at + len(c.forms.patterns[form])}) })
	for _, f := range found {
		for i := f.start; i < f.end; i++ {
			text[i] = '*'
		}
	}
	return len(found) > 0
}

// Within reports whether a name, such as a header's, contains the value, ignoring case.
func (c *Cover) Within(name string) bool {
	name = strings.ToLower(name)
	return c.forms != nil && slices.ContainsFunc(c.forms.patterns, func(form string) bool {
		return strings.Contains(name, strings.ToLower(form))
	})
}

// begun returns how many bytes at the end of a text may be the start of the value.
func (c *Cover) begun(text []byte) (n int) {
	if c.forms == nil || len(text) == 0 || !c.inside[text[len(text)-1]] {
		return 0
	}
	for _, form := range c.forms.patterns {
		for k := min(len(form)-1, len(text)); k > n; k-- {
			if form[k-1] == text[len(text)-1] && form[:k] == string(text[len(text)-k:]) {
				n = k
			}
		}
	}
	return n
}

// Pieces covers the value in a stream.
type Pieces struct {
	Cover *Cover
	held  []byte // end of the last piece, which may be the start of the value
}

// Pass takes a piece and returns what can be passed on: everything except an end that may be the start of the value.
// With last it returns everything. The result is valid until the next call.
func (p *Pieces) Pass(piece []byte, last bool) []byte {
	if len(p.held) > 0 {
		piece = append(p.held, piece...)
	}
	p.Cover.In(piece)
	keep := 0
	if !last {
		keep = p.Cover.begun(piece)
	}
	out := piece[:len(piece)-keep]
	p.held = append([]byte(nil), piece[len(out):]...)
	return out
}
