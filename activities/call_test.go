package activities

import (
	"encoding/json"
	"testing"

	"github.com/longshift/longshift/internal/agent"
)

func TestWhatPeopleSee(t *testing.T) {
	for _, c := range []struct{ tool, input, shown, put string }{
		{"Bash", `{"command":"make x"}`, "make x", "make x"},
		{"Bash", `{"command":"echo a\necho 'b\\n'"}`, `echo a⏎echo 'b\n'`, `echo a⏎echo 'b\n'`},
		{"Bash", `{"command":"ls \u202e⏎\u001b[2J"}`, `ls \u{202e}\u{23ce}\u{1b}[2J`, `ls \u{202e}\u{23ce}\u{1b}[2J`},
		{"Write", `{"file_path":"ci.yml","content":"on: push\n"}`, "Write ci.yml", "Write ci.yml: on: push⏎"},
		{"Edit", `{"file_path":"a","old_string":"x","new_string":"y"}`, "Edit a", "Edit a: x⏎=>⏎y"},
		{"Read", `{"file_path":"a\u0007"}`, `Read a\u{7}`, `Read a\u{7}`},
		{"WebFetch", `{"url":"http://x"}`, `WebFetch {"url":"http://x"}`, `WebFetch {"url":"http://x"}`},
	} {
		call := agent.Call{Tool: c.tool, Input: json.RawMessage(c.input)}
		if got := shown(call); got != c.shown {
			t.Errorf("%s %s is shown as %q", c.tool, c.input, got)
		}
		if got := put(call); got != c.put {
			t.Errorf("%s %s is put as %q", c.tool, c.input, got)
		}
	}
}
