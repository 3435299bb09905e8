package channel

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/task"
)

func words(s string) []Span { return []Span{{Text: s}} }

func para(s string) Block { return Block{Kind: Paragraph, Spans: words(s)} }

func item(level int, mark, s string) Block {
	return Block{Kind: Item, Level: level, Mark: mark, Spans: words(s)}
}

func mono(s string) Block { return Block{Spans: []Span{{Text: s, Mono: true}}} }

// linked returns a link, followed by its address unless the text is the address.
func linked(s, to string) Block {
	b := Block{Spans: []Span{{Text: s, Link: to}}}
	if !sameAddress(s, to) {
		b.Spans = append(b.Spans, Span{Text: " ("}, Span{Text: to, Link: to}, Span{Text: ")"})
	}
	return b
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []Block
	}{
		{"nothing", " \n\u200b\n", nil},
		{"words", "one\ntwo\n\nthree", []Block{para("one two"), para("three")}},
		{"hard line end", "one  \ntwo\\\nthree", []Block{para("one\ntwo\nthree")}},
		{"heading", "## Plan `x`", []Block{{Kind: Heading, Level: 2, Spans: []Span{{Text: "Plan "}, {Text: "x", Mono: true}}}}},
		{"emphasis", "a **b *c*** ~~d~~", []Block{{Spans: []Span{{Text: "a "}, {Text: "b ", Bold: true}, {Text: "c", Bold: true, Italic: true},
			{Text: " "}, {Text: "d", Strike: true}}}}},
		{"lists", "- a\n  - b\n\n3. c\n4. d", []Block{item(0, "•", "a"), item(1, "•", "b"), item(0, "3.", "c"), item(0, "4.", "d")}},
		{"task list", "- [x] a\n- [ ] b", []Block{item(0, "☑", "a"), item(0, "☐", "b")}},
		{"item with paragraphs", "- a\n\n  b\n\n  ```\n  c\n  ```\n\n  d", []Block{item(0, "•", "a\nb"), {Kind: Code, Code: "c"}, para("d")}},
		{"quote", "> a\n>\n> b\n> - c", []Block{{Kind: Quote, Spans: words("a")}, {Kind: Quote, Spans: words("b")}, item(0, "•", "c")}},
		{"code", "```go title\n\tx := 1\n\n\ty\n\n```", []Block{mono("go title"), {Kind: Code, Lang: "go", Code: "\tx := 1\n\n\ty"}}},
		{"code of a language", "```c++\na\n```\n~~~ objective-c\nb\n~~~", []Block{{Kind: Code, Lang: "c++", Code: "a"}, {Kind: Code, Lang: "objective-c", Code: "b"}}},
		{"code of an odd language", "```<!channel>\n<b> & *x* \\* &amp;\n```", []Block{mono("<!channel>"), {Kind: Code, Code: "<b> & *x* \\* &amp;"}}},
		{"indented code", "    a\n      b", []Block{{Kind: Code, Code: "a\n  b"}}},
		{"open fence", "```\na", []Block{{Kind: Code, Code: "a"}}},
		{"rule", "a\n\n***", []Block{para("a"), {Kind: Rule}}},
		{"html", "<b>x</b> <!-- hidden -->\n\n<script>\nalert(1)\n</script>", []Block{para("<b>x</b> <!-- hidden -->"), para("<script> alert(1) </script>")}},
		{"entities", "&lt;b&gt; \\&amp; \\*x\\* &nope; &#x41;&", []Block{para("<b> &amp; *x* &nope; A&")}},
		{"code span takes words as they are", "`a\\*b &lt;`", []Block{{Spans: []Span{{Text: `a\*b &lt;`, Mono: true}}}}},
		{"image", "![a cat](https://example.com/cat.png) ![](x.png)", []Block{para("a cat (image: https://example.com/cat.png) (image: x.png)")}},
		{"link", "[the *page*](https://example.com/a?b=1&c \"title\")", []Block{{Spans: []Span{{Text: "the ", Link: "https://example.com/a?b=1&c"},
			{Text: "page", Italic: true, Link: "https://example.com/a?b=1&c"}, {Text: " ("}, {Text: "https://example.com/a?b=1&c", Link: "https://example.com/a?b=1&c"}, {Text: ` "title")`}}}}},
		{"link by reference", "[a][x]\n\n[x]: https://example.com/", []Block{para("[a][x]"), {Spans: []Span{{Text: "[x]: "}, {Text: "https://example.com/", Link: "https://example.com/"}}}}},
		{"address", "<https://example.com/a> https://example.com/b.", []Block{{Spans: []Span{{Text: "https://example.com/a", Link: "https://example.com/a"}, {Text: " "},
			{Text: "https://example.com/b", Link: "https://example.com/b"}, {Text: "."}}}}},
		{"address without a scheme", "www.example.com x@example.com", []Block{{Spans: []Span{{Text: "www.example.com", Link: "http://www.example.com"}, {Text: " x@example.com"}}}}},
		{"link to a program", "[a](javascript:alert(1)) [b](tg://user?id=1) [c](file:///etc/passwd) [d](/x) [e](data:text/html,x)", []Block{para("a (javascript:alert(1)) b (tg://user?id=1) c (file:///etc/passwd) d (/x) e (data:text/html,x)")}},
		{"link with a user's name", "[a](https://example.com@evil.example/)", []Block{para("a (https://example.com@evil.example/)")}},
		{"link that shows another address", "[https://example.com](https://evil.example/)", []Block{para("https://example.com (https://evil.example/)")}},
		{"link that shows its address", "[example.com/](https://example.com)", []Block{linked("example.com/", "https://example.com")}},
		{"link with an entity", "[a](https://example.com/?a=1&amp;b=2)", []Block{linked("a", "https://example.com/?a=1&b=2")}},
		{"link with a hidden sign", "[a](https://exa&#x200b;mple.com/)", []Block{para("a (https://exa&#x200b;mple.com/)")}},
		{"table", "| Host | State | Since |\n|---|---|---|\n| a | **up** | |\n| b | | noon |", []Block{para("Host, State, Since"),
			{Kind: Item, Mark: "•", Spans: []Span{{Text: "a — State: "}, {Text: "up", Bold: true}}}, item(0, "•", "b, Since: noon")}},
		{"table without rows", "| a | b |\n|---|---|", []Block{para("a, b")}},
		{"invisible", "a\u200bb\u202ec\U000E0041d\x07e\u00adf\ufeffg\u2066h\u3164i\U000E0101j\u115fk", []Block{para("abcdefghijk")}},
		{"invisible by entity", "a&#x202e;b&#8203;c&#10;d&#7;", []Block{para("abc d")}},
		{"emoji", "\u2764\ufe0f \U0001F680", []Block{para("\u2764\ufe0f \U0001F680")}},
		{"invisible in code", "```\na\u202eb\x1b[31m\tc\n```", []Block{{Kind: Code, Code: "ab[31m\tc"}}},
		{"bytes that are no text", "a\xff\xfeb\x00", []Block{para("a\uFFFDb")}},
		{"other line ends", "a\r\n\r\nb\u2028\u2028c\rd", []Block{para("a"), para("b"), para("c d")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Read(c.in)); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

func TestReadCutsOff(t *testing.T) {
	blocks := Read("```\n" + strings.Repeat("a line of äöü\n", 10_000) + "```\nend")
	if len(blocks) != 2 || Plain(blocks[1:]) != cutOff {
		t.Fatalf("%d blocks, last %+v", len(blocks), blocks[len(blocks)-1])
	}
	if code := blocks[0].Code; len(code) > maxRead || len(code) < maxRead*3/4 || !strings.HasSuffix(code, "\na line of äöü") {
		t.Errorf("%d bytes of code, end %q", len(code), code[len(code)-20:])
	}
	if s := Plain(Read(strings.Repeat("ä", maxRead))); !utf8.ValidString(s) || strings.ContainsRune(s, '\uFFFD') {
		t.Error("a character is cut in two")
	}
}

func TestReadNests(t *testing.T) {
	if blocks := Read(strings.Repeat("> ", 1000) + "a"); len(blocks) != 1 || !strings.HasSuffix(Plain(blocks), "> a") {
		t.Errorf("got %+v", blocks)
	}
	for _, b := range Read(indented()) {
		if b.Level > maxDepth {
			t.Fatalf("level %d", b.Level)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"# a\n- [x] b\n> c\n```go\nd\n```\n", "|a|b|\n|-|-|\n|`\\|`|c|\n", "[a](http://b) ![c](d) <e> &amp; \\*", "**a _b ~~c `d", "[a]: b\n[a][a]", "1) a\n   - b\n\n\tc\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) < maxRead {
			blocksOf(task.Visible(s)) // Read would hide a panic
		}
		blocks := Read(s)
		for _, b := range blocks {
			text := b.Code + b.Mark + b.Lang
			for _, sp := range b.Spans {
				if sp.Text == "" {
					t.Errorf("empty span in %+v", b)
				}
				if sp.Link != "" && web(sp.Link) != sp.Link {
					t.Errorf("link %q", sp.Link)
				}
				text += sp.Text
			}
			if !utf8.ValidString(text) || text != task.Visible(text) || (b.Kind != Rule && text == "") {
				t.Errorf("block %+v", b)
			}
			if b.Kind != Code && strings.Contains(text, "\t") {
				t.Errorf("tab outside of code: %+v", b)
			}
		}
		size := func(b Block) int { return len(Plain([]Block{b})) + 2 }
		for _, m := range Fit(blocks, size, 60, 3) {
			sum := 0
			for _, b := range m {
				sum += size(b)
			}
			if sum > 60 {
				t.Errorf("message of %d: %+v", sum, m)
			}
		}
	})
}
