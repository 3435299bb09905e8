package redact

import "strings"

// Finding is a place in a text that holds a secret. It never carries the secret itself.
type Finding struct {
	Rule   string // what was recognised, such as "held-value:base64" or "github-token"
	Offset int    // bytes from the start of the text
	Length int    // bytes
	Line   int    // from 1
	// Sure tells that it is reason enough to stop what was going to leave: a value that this process holds, or the real
	// token of a known service. Placeholders, examples and forms that tests are full of are hidden, but not sure.
	Sure bool
}

// Find gives every secret in the text, in order. Folders of this machine are none.
func (r *Redactor) Find(text string) []Finding {
	var list []Finding
	line, at := 1, 0
	for _, f := range r.now().find(text) {
		line, at = line+strings.Count(text[at:f.start], "\n"), f.start
		if f.name == "" {
			list = append(list, Finding{Rule: f.rule, Offset: f.start, Length: f.end - f.start, Line: line, Sure: f.sure})
		}
	}
	return list
}
