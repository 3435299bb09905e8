package render

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

func TestPlainText(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		Readable("a\r\nb\u202e\u200b\tc\x00 "): "a\nb\tc", OneLine("a\n\n b\u200b\tc"): "a b c", excerpt.Clip("añejo", 5): "a…", excerpt.Clip("ab", 2): "ab",
		Line("a\nbcdef", 6): "a b…", Sentence("no task"): "No task.", Sentence("--task is missing"): "--task is missing.", Sentence("ok!"): "Ok!", Sentence(""): "",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestMarkdownHasNoEffect(t *testing.T) {
	t.Parallel()
	m := Markdown{Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[hidden]") }, WebURL: "https://temporal.example.com",
		Namespace: "default"}
	for got, want := range map[string]string{
		m.Literal("*a* @ada [x](y)\nhunter2", 100):                        `\*a\* ＠ada \[x\](y) \[hidden\]`,
		m.Name("[x](http://y) *Ada*", "U1"):                               "xhttpy Ada",
		m.Name("***", "U1"):                                               "U1",
		m.Mono("acme-web-1a2b"):                                           "`acme-web-1a2b`",
		m.Mono("a`b"):                                                     "a\\`b",
		m.Link("here", "javascript:alert(1)"):                             "",
		m.Link("here", "https://x.example/hunter2"):                       "",
		m.Web("id", "run"):                                                "[Temporal Web](https://temporal.example.com/namespaces/default/workflows/id/run/user-metadata)",
		m.NotCurrent("This button", ""):                                   "This button is no longer current: this was settled already",
		m.Error(fault.New(fault.Input, "no *task*").WithHint("use list")): `No \*task\*. Use list.`,
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
