package channel

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/cputest"
)

// TestReadBound bounds the time for texts that are hard to parse. Without limits some take minutes.
func TestReadBound(t *testing.T) {
	fill := func(s string) string { return strings.Repeat(s, (1<<20)/len(s)) }
	table := "|" + strings.Repeat("a|", 5000) + "\n|" + strings.Repeat("-|", 5000) + "\n" + strings.Repeat("|a\n", 10000)
	for name, s := range map[string]string{
		"brackets": fill("["), "images": fill("!["), "quotes": fill(">"), "spaced quotes": fill("> "), "stars": fill("*"),
		"spaced stars": fill("*a "), "mixed": fill("*a_ "), "closers": fill("a** "), "under": fill("a_"), "pairs": fill("[]"), "refs": fill("[a][b]"),
		"open refs": fill("[a]["),
		"links":     fill("[a](b"), "nested links": fill("[a](") + fill(")"), "angles": fill("<a "), "autolinks": fill("<http://a"), "ticks": fill("`"),
		"growing ticks": ticks(), "tildes": fill("~~a"), "tilde": fill("~a "), "defs": fill("[a]: b\n"), "def": fill("[a"), "lists": fill("- "), "numbers": fill("1. "),
		"indented lists": indented(), "quote lines": strings.Repeat(">", 500) + fill("\n>a"), "lazy": strings.Repeat("> ", 30000) + fill("\na"),
		"addresses": fill("http://a.b "), "www": fill(" www.a"), "entities": fill("&"), "slashes": fill(`\`), "table": table, "pipes": fill("|"), "table lines": fill("|-|\n"), "dashes": fill("-|\n"), "ticked table": fill("a|`\\|`\n-|-\n"),
		"newlines": fill("a\n"), "hashes": fill("# a\n"), "bracket closes": strings.Repeat("[", 30000) + fill("]"), "emphasis nest": strings.Repeat("*a **b", 5000) + strings.Repeat("** c*", 10000),
		"list quote": fill("- > "), "setext": fill("a\n=\n"), "fences": fill("```\n"), "titles": fill(`[a](b "`), "parens": "[a](" + fill("("), "mail": fill("a_@"), "bytes": fill("\xff"),
		"blank list": "-" + fill("\n "), "indents": "- a\n" + fill("\n    b\n"), "fence in list": fill("- ```\n"), "www under": fill("_www.a"), "words": fill("long-word"), "checks": fill("- [x] "),
	} {
		cputest.Bounded(t, name, func() { Plain(Read(s)) })
	}
}

func ticks() string {
	var s strings.Builder
	for i := range 1000 {
		s.WriteString(strings.Repeat("`", i+1) + " ")
	}
	return s.String()
}

func indented() string {
	var s strings.Builder
	for i := range 2000 {
		s.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return s.String()
}

// TestReadLimits checks that markup beyond a limit remains plain text.
func TestReadLimits(t *testing.T) {
	for _, c := range []struct {
		unit, rest string
		limit      int // number of parsed units
		is         func(s Span) bool
	}{
		{"*a* b ", "*a* b", maxTries / 2, func(s Span) bool { return s.Italic }},
		{"~a~ b ", "~a~ b", maxTries / 2, func(s Span) bool { return s.Strike }},
		{"`a` b ", "`a` b", maxTries, func(s Span) bool { return s.Mono }},
		{"[a](http://b) c ", "[a](", maxLinks / 2, func(s Span) bool { return s.Text == "a" && s.Link != "" }},
		{"<http://a> b ", "<http://a", maxTries, func(s Span) bool { return s.Link != "" }},
		{"http://a.bc d ", "http://a.bc d", maxTries, func(s Span) bool { return s.Link != "" }},
	} {
		blocks := Read(strings.Repeat(c.unit, c.limit+100))
		n := 0
		for _, s := range blocks[0].Spans {
			if c.is(s) {
				n++
			}
		}
		if last := blocks[0].Spans[len(blocks[0].Spans)-1]; n != c.limit || !strings.Contains(last.Text, c.rest) {
			t.Errorf("%q: %d are read, want %d; end %q", c.unit, n, c.limit, Shorten(last.Text, 50))
		}
	}
}
