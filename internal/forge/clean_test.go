package forge

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/cputest"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "Please use `Map<String, Int>` here.\r\n\r\nThanks", "Please use `Map<String, Int>` here.\n\nThanks"},
		{"comment", "a <!-- ignore all\nof it --> b", "a   b"},
		{"comment spelled with entities", "a &lt;!-- x --&gt; b &#60;!-- y --&#62; c", "a   b   c"},
		{"comment without an end", "a <!-- x\n\nmore", "a"},
		{"comment in code", "`a <!-- x --> b`\n```html\n<!-- y -->\n<div>\n```", "`a   b`\n```html\n \n<div>\n```"},
		{"comment with backticks", "a <!-- ` x ` --> b", "a   b"},
		{"comment made of two", "a <!-<!-- x -->- y --> b", "a <!- - y --> b"},
		{"declarations", "a <!DOCTYPE x> <?php y ?> <![CDATA[ z ]]> b", "a       b"},
		{"zero width", "a\u200bb\u200cc\u200dd\ufeffe\u2060f\u180eg", "abcdefg"},
		{"zero width as entities", "a&#8203;b&ZeroWidthSpace;c&shy;d&#x202e;e", "abcde"},
		{"bidi", "a\u202eb\u202cc\u2066d\u2069e\u061cf", "abcdef"},
		{"soft hyphen, fillers, selectors", "a\u00adb\u034fc\u3164d\ufe0fe\U000e0101f", "abcdef"},
		{"tag characters", "a\U000e0001\U000e0069\U000e0067\U000e007fb", "ab"},
		{"control characters", "a\x00b\x1b[31mc\x7fd\u0085e", "ab[31mcd\ne"},
		{"comment kept apart by what nobody sees", "a <\u200b!-- x --> b", "a   b"},
		{"image", "a ![ignore [all] of it](http://x/y.png \"and more\") b ![c][d] ![e] f", "a (image) b (image) (image) f"},
		{"image tag", "a <img src=x alt=\"ignore > this\"\n title='y'> b", "a  b"},
		{"link title", "[a](http://x/(y) \"hidden\") [b](<z> 'h') [c](u (h))", "[a](http://x/(y)) [b](z) [c](u)"},
		{"definitions", "[//]: # (hidden)\n[x]: https://example.com/a \"hidden\"\n[hidden words]: #\na [x]", "a [x](https://example.com/a)"},
		{"long definition", "[" + strings.Repeat("h", 41) + "]: https://example.com\na", "a"},
		{"footnote", "a[^1]\n\n[^1]: shown", "a[^1]\n\n[^1]: shown"},
		{"details", "<details open>\n<summary>More</summary>\n\nThe body\n</details>", "(unfolded)\n\nMore\n\nThe body\n\n(end of what can be folded)"},
		{"hidden attributes", "a <p hidden>b</p> <x-y data-z=\"c\">d</x-y>", "a \nb\n d</x-y>"},
		{"names of attributes", "a <b ignore all of it>c</b>", "a c"},
		{"broken attributes", "a <div title=\"x\"\"y\">b</div>", "a \nb"},
		{"what is no tag", "if a <b && c> d, List<T>, <name>, 1 < 2 > 0, <https://example.com>, i <n; j>k",
			"if a <b && c> d, List<T>, <name>, 1 < 2 > 0, <https://example.com>, i <n; j>k"},
		{"escapes", `\<!-- x --> \![a](b) \` + "`", `\<!-- x --> \![a](b) \` + "`"},
		{"tag in a code span", "`<img alt=\"x\">` and `` ` <b> ``", "`<img alt=\"x\">` and `` ` <b> ``"},
		{"backtick alone", "a ` b <b>c</b>\n\nd ` e", "a ` b c\n\nd ` e"},
		{"tilde fence", "~~~\n<b>\n~~~\n<b>c</b>", "~~~\n<b>\n~~~\nc"},
		{"suggestion", "```suggestion\nreturn x < y\n```", "```suggestion\nreturn x < y\n```"},
		{"empty lines", "a\n\n \n\n\nb", "a\n\nb"},
		{"not UTF-8", "a\xffb", "a\uFFFDb"},
		{"nothing", " <!-- x --> ", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Clean(c.in, 4096); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestCleanIsBounded(t *testing.T) {
	for _, n := range []int{16, 100, 4096} {
		got := Clean(strings.Repeat("ä line of text\n", 2000), n)
		if len(got) > n || !strings.HasSuffix(got, "(cut)") || !utf8.ValidString(got) {
			t.Errorf("%d: %d bytes, %q", n, len(got), got[max(0, len(got)-20):])
		}
	}
	if got := Clean(strings.Repeat("<!-- x -->", 1000)+"shown", 100); got != "shown" {
		t.Errorf("what is hidden takes room: %q", got)
	}
}

// TestCleanHostile: texts that would make a naive parser slow.
func TestCleanHostile(t *testing.T) {
	for _, part := range []string{"<a \"", "![", "<!--", "](", "`", "[a", "<<b>b", "&lt;", "<a b='", "```\n", "](<a ", "[a](", "> ", "- ", "1. ", "<!a ",
		"<?", "<![CDATA[", "<?<!a", "[^a]",
		"[^a]: b\n", "![[", "[a][b", "[a", "$\\color", "](a \"", "(((", "<div ", "<div =\"", "`a``b", "[x]: <a", "[a]: b 'c\n", "|a",
		"|a\n|-\n", "```mermaid\naccDescr{", "```mermaid\n---\n", "---\n", "&amp;", "<!-- --!>\n", "<div>\n\n", "[a]: b\n\n[a]", "\\phantom", "<b>", "[]()", "$"} {
		got := ""
		cputest.Bounded(t, part, func() { got = Clean(strings.Repeat(part, maxRaw/len(part)), 4096) })
		if len(got) > 4096 {
			t.Errorf("%q: %d bytes", part, len(got))
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a <!-- b --> `c` ![d](e \"f\") <b g=\"h\">i</b>\n[j]: k\n```\nl\n```")
	f.Add("> ```x y\n> z\n[^a]: b\n\n| `c` | d |\n|--|--|\n<div>\n`\n</div>\n\n$\\color$ - [e](<f> 'g')\n![h][j]")
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s, 1000)
		if len(got) > 1000 || !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\x01\x1b\u200b\u202e\u00ad\U000e0041") {
			t.Errorf("%q gives %q", s, got)
		}
	})
}
