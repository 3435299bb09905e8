package redact

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// span is a stretch of text that must not leave.
type span struct {
	start, end int
	rule       string
	name       string // what a folder is called; "" for secrets
	sure       bool   // certain enough to stop a push
	exact      bool   // a value as it is: nothing in it belongs to the text around
}

// widen keeps a span from leaving half a character or half an escape in front of it.
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

// merge joins spans that overlap. A secret swallows a folder's name, a value that is held names the rule, and of folders
// the one that begins first and reaches farthest stays.
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

// strength orders rules by how much they say.
func strength(f span) int {
	switch {
	case f.rule == rulePlain:
		return 4
	case f.rule == rulePart:
		return 2 // of more that has been found too
	case strings.HasPrefix(f.rule, rulePlain):
		return 3
	case f.sure:
		return 1
	}
	return 0
}

// apply writes the text without the spans.
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

// frame keeps of a secret what the text around it needs: line ends always and, when it may have gone over several strings of
// JSON or code, the quotes and signs between these.
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
