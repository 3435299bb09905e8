package forge

import (
	"strings"
	"testing"
)

// TestCleanHidden: what a page hides does not reach the model, however it is hidden.
func TestCleanHidden(t *testing.T) {
	long := strings.Repeat("a ", 2500)
	for _, c := range []struct{ name, in, want string }{ // want is a part of the result
		{"footnote that nobody refers to", "It crashes.\n\n[^x]: SECRET\nSECRET\n\n    SECRET\n\nShown.", "Shown."},
		{"footnote that only code refers to", "It `[^x]` crashes \\[^x].\n\n[^x]: SECRET", "crashes"},
		{"span in HTML", "<div>\n`<img alt=\"SECRET\" src=\"https://example.com/1.png\">`\n</div>\n", ""},
		{"fence in HTML", "<div>\n```\n<img alt=\"SECRET\">\n```\n</div>\n\nShown.", "Shown."},
		{"fence in an indented block", "a\n\n    ```\n<img alt=\"SECRET\">\n    ```\n\nb", "b"},
		{"span over two items", "- a `\n- <img alt=\"SECRET\"> ` b", "b"},
		{"span over two cells", "| a | b |\n|--|--|\n| ` | <img alt=\"SECRET\"> ` |", ""},
		{"span made of entities", "&#96;<img alt=\"SECRET\">&#96; b", "b"},
		{"span made of what cannot be seen", "`\u200b`<img alt=\"SECRET\">`\u200b` b", "b"},
		{"behind a fence", "```txt SECRET words\nlog line\n```\n", "```txt\nlog line\n```"},
		{"behind a fence, one word", "```SECRET,words-for-you\nlog line\n```\n", "```\nlog line\n```"},
		{"behind a fence of tildes", "~~~ txt ` SECRET\nlog\n~~~", "txt\nlog"},
		{"long tag", "<img src=\"" + long + "\" alt=\"SECRET\"> b", "b"},
		{"long declaration", "a <!X " + long + " SECRET> b", "b"},
		{"long declaration in small letters", "a <!x " + long + " SECRET> b", "b"},
		{"long image", "![" + long + "SECRET](https://example.com/x.png) b", "(image) b"},
		{"deep image", "![" + strings.Repeat("[", 40) + "SECRET" + strings.Repeat("]", 40) + "](u) b", "(image) b"},
		{"image by name", "![SECRET][x] b\n\n[x]: https://example.com/x.png\n", "(image) b"},
		{"image with a bracket in a tag", "![a <b title=\"]\"> SECRET](u) b", "(image) b"},
		{"image with a bracket in code", "![a `]` SECRET](u) b", "(image) b"},
		{"image with a bracket in an address", "![a <https://example.com/]> SECRET](u) b", "(image) b"},
		{"image with a bracket in a link", "![a [b](u]) SECRET](v) c", "(image) c"},
		{"image with a bracket as an entity", "![a &#93; SECRET](u) b", "(image) b"},
		{"image begun in what looks like a title", "[a [b](u) c](v \"![\") SECRET](w) d", "(image) d"},
		{"image begun in what looks like a tag", "<b \"![\"> SECRET](u) b", "(image) b"},
		{"image begun in the next item", "[a](\n- \"![\") SECRET](u) b", "(image) b"},
		{"title with a quote", `[a](u "b \" SECRET") c`, "[a](u) c"},
		{"title on the next line of a quote", "> [a](u\n> \"SECRET\") c", "[a](u) c"},
		{"definition in a quote", "> [//]: # (SECRET)\n\nb", "b"},
		{"definition in a list", "- [//]: # (SECRET)\n- b", "b"},
		{"definition whose label has two lines", "[a\nSECRET]: #\n\nb", "b"},
		{"definition whose title has a quote", "[a]: # \"b \\\" SECRET\"\nb", "b"},
		{"definition that nobody needs", "[x]: https://example.com/SECRET\nb", "b"},
		{"name of a definition", "[shown][SECRET words]\n\n[SECRET words]: https://example.com/a", "[shown](https://example.com/a)"},
		{"behind the path", "[a](https://example.com/b?SECRET#SECRET) [c](<d#SECRET e>)", "[a](https://example.com/b) [c](d)"},
		{"user in an address", "[a](https://SECRET:SECRET@example.com/b)", "[a](https://example.com/b)"},
		{"no address of a page", "[a](data:text/plain,SECRET) [b](mailto:SECRET@example.com)", "[a](…) [b](…)"},
		{"attribute without a value", "<div SECRET, of it>\nb\n</div>", "b"},
		{"tag over lines of a quote", "> <div\n> title=\"SECRET\">\n> b", "b"},
		{"link over lines of a quote", "> a <a\n> title=\"SECRET\">b</a>", "b"},
		{"value over an empty line", "b\n\n<div title=\"\n\nSECRET\">\n\nSECRET", "b"},
		{"comment with two ends", "<div>\n<!-- a --!> <b title=\"-->SECRET\"></div>", "(cut: HTML without an end)"},
		{"comment that is none for some", "<div>\n<!--> <b title=\"-->SECRET\">\n</div>", "(cut: HTML without an end)"},
		{"span too deep to be parsed", strings.Repeat("> ", 100) + "`<img alt=\"SECRET\">` b", "b"},
		{"span behind too many brackets", strings.Repeat("[a] ", maxLinks) + "`<img alt=\"SECRET\">` b", "b"},
		{"value without an end behind too many brackets", strings.Repeat("[a] ", maxLinks) + "<img alt=\"SECRET", "(cut: HTML without an end)"},
		{"name of a tag", "a <please-do-SECRET-now> b", "b"},
		{"phantom", "$\\phantom{SECRET}$ b", "math left out"},
		{"white", "a ${\\color{white}\\text{SECRET}}$ b", "math left out"},
		{"white in a block", "```math\n\\color{white}SECRET\n```", "math left out"},
		{"white in a span", "a $`\\textcolor{white}{SECRET}`$ b", "math left out"},
		{"comment in math of one line", "a $b % SECRET$, c", "math left out"},
		{"comment in math", "$$\na % SECRET\n$$", "math left out"},
		{"diagram", "```mermaid\n---\ntitle: SECRET\n---\ngraph TD\n%% SECRET\naccDescr { SECRET\nSECRET }\nA-->B\nclick A \"SECRET\"\nstyle A fill:#SECRET\n```", "graph TD"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Clean(c.in, 16<<10)
			if strings.Contains(got, "SECRET") || !strings.Contains(got, c.want) || strings.ContainsAny(got, codeMark+edge) {
				t.Errorf("got %.300q, want %q in it", got, c.want)
			}
		})
	}
}

// TestCleanShown: what a page shows stays, even if it looks like something hidden.
func TestCleanShown(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"folded", "<details><summary>Log</summary>\n\nThe log\n\n</details>", "(folded)\n\nLog\n\nThe log\n\n(end of what can be folded)"},
		{"drawn", "```mermaid\ngraph TD\nA-->B\n```", "```mermaid (drawn on the page, parts of it may be hidden)\ngraph TD\nA-->B\n```"},
		{"math", "a $x^2$ costs $5", "a $x^2$ costs $5"},
		{"prices", "From $5, which is 20% more, to $6.", "From $5, which is 20% more, to $6."},
		{"footnote that somebody refers to", "a[^X]\n\n[^x]: shown\n\n    too", "a[^X]\n\n[^x]: shown\n\n    too"},
		{"code in a quote", "> ```go\n> a <b title=\"c\">\n> ```", "> ```go\n> a <b title=\"c\">\n> ```"},
		{"code in a list", "1. a\n\n   ```html\n   <b title=\"c\">\n   ```", "1. a\n\n   ```html\n   <b title=\"c\">\n   ```"},
		{"entities in code", "`&lt;b&gt;`", "`&lt;b&gt;`"},
		{"lines of a file", "[a](https://example.com/b.go#L10-L20)", "[a](https://example.com/b.go#L10-L20)"},
		{"link in a link", "[a [b](u) c](v)", "[a [b](u) c](v)"},
		{"list of tasks", "- [ ] a\n- [x] b", "- [ ] a\n- [x] b"},
		{"index", "a[0] = b[i](x) + c[\"d\"]", "a[0] = b[i](x) + c[\"d\"]"},
		{"types", "Use List<String> and <your-name>.", "Use List<String> and <your-name>."},
		{"table", "| a | b |\n|---|---|\n| 1 | `<b>` |", "| a | b |\n|---|---|\n| 1 | `<b>` |"},
		{"value over an empty line, where no block begins", "<img alt=\"\n\nshown\">", "<img alt=\"\n\nshown\">"},
		{"rest of nested comments", "<<!-- a -->!-- shown -->", "< !-- shown -->"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Clean(c.in, 4096); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}
