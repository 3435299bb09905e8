package channel

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/cputest"
)

// chars is the size of a block on a channel that counts characters and ends each block with a line end.
func chars(b Block) int { return utf8.RuneCountInString(Plain([]Block{b})) + 1 }

func heading(s string) Block { return Block{Kind: Heading, Level: 1, Spans: words(s)} }
func code(s string) Block    { return Block{Kind: Code, Lang: "go", Code: s} }

func TestFit(t *testing.T) {
	bold := Span{Text: "bold words go on", Bold: true}
	for _, c := range []struct {
		name         string
		in           []Block
		limit, parts int
		want         [][]Block
	}{
		{"nothing", nil, 10, 3, nil},
		{"one message", []Block{para("a"), para("b")}, 10, 3, [][]Block{{para("a"), para("b")}}},
		{"just full", []Block{para("aaaa"), para("bbbb")}, 10, 3, [][]Block{{para("aaaa"), para("bbbb")}}},
		{"between blocks", []Block{para("aaaa"), para("bbbb"), para("c")}, 10, 3, [][]Block{{para("aaaa"), para("bbbb")}, {para("c")}}},
		{"code that fits stays whole", []Block{para("aaaa"), code("b\nc\nd\ne")}, 10, 3, [][]Block{{para("aaaa")}, {code("b\nc\nd\ne")}}},
		{"code between lines", []Block{code("aaaa\nbb\ncccc\ndddd")}, 10, 3, [][]Block{{code("aaaa\nbb")}, {code("cccc\ndddd")}}},
		{"code with a long line", []Block{code("a\nbbbbbbbbbbbbbbb\nc")}, 10, 4, [][]Block{{code("a")}, {code("bbbbbbbbb")}, {code("bbbbbb\nc")}}},
		{"code with blank lines", []Block{code("\n\naaaaaaaaaaaa")}, 10, 4, [][]Block{{code("\n")}, {code("aaaaaaaaa")}, {code("aaa")}}},
		{"between words", []Block{para("one two three four")}, 10, 3, [][]Block{{para("one two")}, {para("three")}, {para("four")}}},
		{"long word", []Block{para("ääääääääääää b")}, 10, 3, [][]Block{{para("äääääääää")}, {para("äää b")}}},
		{"spans are kept", []Block{{Spans: []Span{{Text: "a "}, bold}}}, 10, 3, [][]Block{
			{{Spans: []Span{{Text: "a "}, {Text: "bold", Bold: true}}}}, {{Spans: []Span{{Text: "words go", Bold: true}}}}, {{Spans: []Span{{Text: "on", Bold: true}}}}}},
		{"item goes on as words", []Block{item(0, "•", "one two three")}, 10, 3, [][]Block{{item(0, "•", "one two")}, {para("three")}}},
		{"quote stays a quote", []Block{{Kind: Quote, Spans: words("one two three")}}, 10, 3, [][]Block{{{Kind: Quote, Spans: words("one two")}}, {{Kind: Quote, Spans: words("three")}}}},
		{"large one begins in a half empty message", []Block{para("a"), para("one two three")}, 10, 3, [][]Block{{para("a"), para("one two")}, {para("three")}}},
		{"large one begins anew", []Block{para("aaaaaa"), para("one two three")}, 10, 3, [][]Block{{para("aaaaaa")}, {para("one two")}, {para("three")}}},
		{"heading goes along", []Block{para("aaaa"), heading("b"), para("ccccc")}, 10, 3, [][]Block{{para("aaaa")}, {heading("b"), para("ccccc")}}},
		{"heading without room stays", []Block{heading("bbbb"), para("ccccccc")}, 10, 3, [][]Block{{heading("bbbb")}, {para("ccccccc")}}},
		{"no room at all", []Block{para("a")}, 1, 3, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Fit(c.in, chars, c.limit, c.parts)); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

func TestFitLeavesOut(t *testing.T) {
	var in []Block
	for i := range 10 {
		in = append(in, para(fmt.Sprintf("block %d %s", i, strings.Repeat("x", 40))))
	}
	for _, c := range []struct {
		parts int
		end   string
	}{
		{1, "… 5 more parts were left out"}, {2, "… 4 more parts were left out"}, {4, "… 2 more parts were left out"}, {0, "… 5 more parts were left out"},
	} {
		got := Fit(in, chars, 100, c.parts) // two blocks take 99, so the last message has room for one and the note
		if len(got) != max(c.parts, 1) {
			t.Fatalf("%d parts, want %d", len(got), c.parts)
		}
		for i, m := range got {
			sum := 0
			for _, b := range m {
				sum += chars(b)
			}
			if sum > 100 {
				t.Errorf("part %d of %d takes %d", i, c.parts, sum)
			}
		}
		if end := Plain(got[len(got)-1]); !strings.HasSuffix(end, c.end) {
			t.Errorf("%d parts end with %q, want %q", c.parts, end, c.end)
		}
	}
	if got := Fit(in, chars, 100, 5); len(got) != 5 || strings.Contains(Plain(got[4]), "left out") {
		t.Errorf("all fits, got %+v", got)
	}
	if got := Fit(in, chars, 10, 1); len(got) != 1 || Plain(got[0]) != "block 0" {
		t.Errorf("no room for the words, got %+v", got)
	}
}

// TestFitKeeps checks that nothing is lost or repeated, at any limit.
func TestFitKeeps(t *testing.T) {
	in := Read("# Ä plan\n\nSome **bold words** and `code` with a [link](https://example.com/).\n\n- one two three\n- four\n\n```go\nfunc f() {\n\n\treturn\n}\n```\n\n> quoted words here")
	letters := func(s string) string {
		return strings.Join(strings.Fields(strings.NewReplacer("•", "", ">", "").Replace(s)), "")
	}
	whole := func(blocks []Block) (s string) {
		for _, b := range blocks {
			s += b.Code
			for _, sp := range b.Spans {
				s += sp.Text
			}
		}
		return letters(s)
	}
	want := whole(in)
	for limit := 40; limit < 300; limit++ {
		var got []Block
		for _, m := range Fit(in, chars, limit, 1000) {
			sum := 0
			for _, b := range m {
				sum += chars(b)
			}
			if sum > limit {
				t.Errorf("limit %d: %d in %+v", limit, sum, m)
			}
			got = append(got, m...)
		}
		if s := whole(got); s != want {
			t.Fatalf("limit %d: got %q, want %q", limit, s, want)
		}
	}
}

func TestFitBound(t *testing.T) {
	for _, in := range []string{strings.Repeat("word ", 12_000), strings.Repeat("x", 60_000), strings.Repeat("*a* b ", 10_000),
		"```\n" + strings.Repeat("a\n", 30_000), "```\n" + strings.Repeat("x", 60_000)} {
		cputest.Bounded(t, in[:10], func() { Fit(Read(in), chars, 300, 3) })
	}
}
