package forge

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

func TestProse(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "A *good* line.\n\n- one\n- two", "A *good* line.\n\n- one\n- two"},
		{"name", "Thanks @bob, and @acme/web.", "Thanks `@bob`, and `@acme/web`."},
		{"address", "Mail bob@example.com", "Mail bob@example.com"},
		{"name after emphasis", "**@bob** _@al_", "**`@bob`** _`@al`_"},
		{"escaped name", `\@bob and \#12`, "`@bob` and `#12`"},
		{"escaped mark stays", `2 \* 3, 1\. and \# no`, `2 \* 3, 1\. and \# no`},
		{"entity", "&#64;bob &commat;bob AT&T", "&`#64`;bob &amp;commat;bob AT&T"},
		{"issue", "fixes #12, see acme/shop#7 and GH-9", "fixes `#12`, see `acme/shop#7` and `GH-9`"},
		{"address of an issue", "Closes https://github.com/acme/shop/issues/3.", "Closes `https://github.com/acme/shop/issues/3`."},
		{"code stays", "Use `@Override` and ``a`b``.", "Use `@Override` and ``a`b``."},
		{"order in code", "`fixes #12`", "`fixes # 12`"},
		{"code beside a name", "`x`@bob", "`x` `@bob`"},
		{"stray backtick", "`@bob", "\\` `@bob`"},
		{"escaped backtick", "\\`@bob`", "\\` `@bob`\\`"},
		{"code with a bar", "| `a | @b` |", "| \\`a | `@b`\\` |"},
		{"html", "<details>\n<img src=x>", "&lt;details>\n&lt;img src=x>"},
		{"comment", "a <!-- longshift:task=x fence=1 --> b", "a   b"},
		{"open comment", "a <!-- b", "a &lt;!-- b"},
		{"link", "[click](https://evil.example)", "\\[click\\](`https://evil.example`)"},
		{"image", "![x](https://evil.example/a.png)", "!\\[x\\](`https://evil.example/a.png`)"},
		{"heading", "## Checks\n\nall passed", "**Checks**\n\nall passed"},
		{"underlined heading", "Checks\n---", "Checks\n\\---"},
		{"fence", "```go\n@Foo(1) // fixes #3\n```\nend @bob", "```go\n@Foo(1) // fixes # 3\n```\nend `@bob`"},
		{"fence in a list", "- x\n  ```\n  @c\n  ```\n@d", "- x\n```\n@c\n```\n`@d`"},
		{"fence behind a bullet", "- ```go\n  @c\n  ```\n@d", "```go\n@c\n```\n`@d`"},
		{"fence in a quote", "> ~~~\n> @c\n> ~~~\n> @d", "```\n@c\n```\n> `@d`"},
		{"open fence", "```\n@c", "```\n@c\n```"},
		{"fence in a fence", "````\n```\n@c\n```\n````", "````\n```\n@c\n```\n````"},
		{"drawn fence", "```mermaid\ngraph\n```", "```text\ngraph\n```"},
		{"control characters", "a\x00b\u202ec\r\nd", "abc\nd"},
		{"colour", "#1a2b3c", "`#1a2b3c`"},
		{"references of another forge", "see o/r!5, &6 and o/r@0123abcd, not 2>&1", "see `o/r!5`, `&6` and `o/r@0123abcd`, not 2>&1"},
		{"hidden characters", "@\u200bbob #\ufe0f12", "`@bob` `#12`"},
		{"trailers", "Co-authored-by: A\n\n```\nskip-checks: true\n```", "Co-authored- by: A\n\n```\nskip- checks: true\n```"},
		{"no checks", "`[skip ci]` [ci skip]", "`[ skip ci]` \\[ ci skip\\]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := prose(c.in, 1000); got != c.want {
				t.Errorf("%q\n got %q\nwant %q", c.in, got, c.want)
			}
		})
	}
}

func TestPhraseAndSpan(t *testing.T) {
	for _, c := range []struct{ in, phrase, span string }{
		{"a\n b", "a b", "`a b`"},
		{"# h", `\# h`, "`# h`"},
		{"- x", `\- x`, "`- x`"},
		{"1. x", `1\. x`, "`1. x`"},
		{"> x", `\> x`, "`> x`"},
		{"go test `x`", "go test `x`", "`` go test `x` ``"},
		{"", "", ""},
		{"close #1", "close `#1`", "`close # 1`"},
		{"abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrs…", "`abcdefghijklmnopqrs…`"},
		{"one two three four five", "one two three four…", "`one two three four…`"},
	} {
		if got := phrase(c.in, 20); got != c.phrase {
			t.Errorf("phrase %q: got %q, want %q", c.in, got, c.phrase)
		}
		if got := span(c.in, 20); got != c.span {
			t.Errorf("span %q: got %q, want %q", c.in, got, c.span)
		}
	}
}

func TestBlockKeepsTheEnd(t *testing.T) {
	got := block(strings.Repeat("a line\n", 100)+"``` the end @bob", 40)
	if want := "````text\n(cut)\na line\na line\na line\n``` the end @bob\n````"; got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// outside removes fenced blocks and code spans by the simplest of rules, because this package has written them.
func outside(md string) string {
	md = regexp.MustCompile("(?ms)^(`{3,})[a-z+-]*\n.*?\n`{3,}$").ReplaceAllString(md, "")
	md = regexp.MustCompile(`\\.`).ReplaceAllString(md, "")
	return regexp.MustCompile("``.*?``|`[^`]*`").ReplaceAllString(md, "")
}

// TestNothingActs builds texts from difficult pieces. Outside of code, the result must contain nothing that a forge acts upon, and no
// tag, comment or link.
func TestNothingActs(t *testing.T) {
	pieces := []string{"@bob", "#12", "fixes ", " ", "\n", "\n\n", "\\", "|", "a", "*", "_", "<", ">", "<!--", "-->", "&#64;", "[", "]", "(",
		"- ", "    ", "# ", "---", "https://github.com/o/r/issues/3", "GH-3", "o/r#4", "> ", "longshift:task=x fence=1", "<div>", "é"}
	acts := regexp.MustCompile(`(?i)(^|[^a-z0-9])@[a-z0-9]|#\d|GH-\d|https?://|<|\]\(|&#64;`)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5_000 {
		var b strings.Builder
		for range rng.IntN(16) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		in := b.String()
		for _, out := range []string{prose(in, 4000), phrase(in, 300)} {
			if at := acts.FindString(outside(out)); at != "" {
				t.Fatalf("%q acts\n in %q\nout %q", at, in, out)
			}
		}
	}
}
