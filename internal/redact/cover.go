package redact

import (
	"slices"
	"strings"
)

// Cover puts stars over one value, in all the spellings that a Redactor knows as they are, and leaves the length of a text
// as it was: for what is framed by its length and for what passes piece by piece. It never changes, so readers need no lock.
type Cover struct {
	forms  *matcher
	inside [256]bool // bytes that a form may end in when it is cut off
}

// NewCover makes a Cover for a value. One that is too short to be a secret is not covered.
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

// In covers the value in a text, in place, and tells whether it was there.
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

// Within tells whether the value is in a name, such as a header's, whose letters somebody may have made large or small.
func (c *Cover) Within(name string) bool {
	name = strings.ToLower(name)
	return c.forms != nil && slices.ContainsFunc(c.forms.patterns, func(form string) bool { return strings.Contains(name, strings.ToLower(form)) })
}

// begun gives how many bytes at the end of a text may be the beginning of the value.
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

// Pieces covers the value in a text that comes in pieces.
type Pieces struct {
	Cover *Cover
	held  []byte // the end of what came, which may be the beginning of the value
}

// Pass takes a piece and gives what can go on: all of it, but for an end that may be the beginning of the value. The last
// piece gives everything. What it gives is good until the next call.
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
