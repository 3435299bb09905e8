package redact

import "strings"

// Finding is the position of a secret in a text. It never contains the secret itself.
type Finding struct {
	Rule   string // name of the rule, such as "held-value:base64" or "github-token"
	Offset int    // bytes from the start of the text
	Length int    // bytes
	Line   int    // from 1
	// Sure means that the finding alone justifies stopping a push: a value that this process holds, or a real token of a
	// known service. Placeholders, examples and formats common in tests are hidden, but not sure.
	Sure bool
}

// Find returns every secret in the text, in order. It does not return folders.
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
