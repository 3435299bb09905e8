package redact

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// span is a range of text to hide.
type span struct {
	start, end int
	rule       string
	name       string // replacement of a folder; "" for secrets
	sure       bool   // certain enough to stop a push
	exact      bool   // a literal value, without surrounding characters
}

// widen extends a span so that it does not cut a character or an escape in half.
func (f *span) widen(text string) {
	slashes := 0
	for slashes < f.start && text[f.start-1-slashes] == '\\' {
		slashes++
	}
	if slashes%2 == 1 && f.name == "" {
		f.start--
	}
	for f.start > 0 && !utf8.RuneStart(text[f.start]) {
		f.start--
	}
	for f.end < len(text) && !utf8.RuneStart(text[f.end]) {
		f.end++
	}
}

// merge joins overlapping spans. A secret takes precedence over a folder, a held value determines the rule, and of
// several folders the first and longest stays.
func merge(found []span) []span {
	slices.SortStableFunc(found, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	var out []span
	for _, f := range found {
		if len(out) == 0 || f.start >= out[len(out)-1].end {
			out = append(out, f)
			continue
		}
		last := &out[len(out)-1]
		if last.name != "" && f.name != "" {
			continue
		}
		last.exact = last.exact && f.end <= last.end || f.exact && f.start == last.start && f.end >= last.end
		last.end = max(last.end, f.end)
		if last.name != "" || f.name == "" && strength(f) > strength(*last) {
			last.rule = f.rule
		}
		last.name, last.sure = "", last.sure || f.sure
	}
	return out
}

// strength orders rules by their certainty.
func strength(f span) int {
	switch {
	case f.rule == rulePlain:
		return 4
	case f.rule == rulePart:
		return 2 // part of a longer match that was found too
	case Held(f.rule):
		return 3
	case f.sure:
		return 1
	}
	return 0
}

func apply(text string, found []span) string {
	var b strings.Builder
	b.Grow(len(text))
	at := 0
	for _, f := range found {
		b.WriteString(text[at:f.start])
		if f.name != "" {
			b.WriteString(f.name)
		} else {
			b.WriteString(Mark)
			frame(&b, text[f.start:f.end], !f.exact)
		}
		at = f.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// frame returns the parts of a secret that the surrounding text needs: line ends and, if the secret may span several
// strings of JSON or code, the quotes and operators between them.
func frame(b *strings.Builder, secret string, spread bool) {
	quoted := spread && strings.Contains(secret, `"`)
	for i := 0; i < len(secret); i++ {
		switch c := secret[i]; {
		case c == '\n', quoted && strings.IndexByte(`"[]{},:`, c) >= 0:
			b.WriteByte(c)
		case quoted && c == '\\':
			n := 1
			for i+n < len(secret) && secret[i+n] == '\\' {
				n++
			}
			if i+n < len(secret) && secret[i+n] == '"' {
				b.WriteString(secret[i : i+n])
			}
			i += n - 1
		}
	}
}
