package cli

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/signals"
)

// Only a yes deletes anything: enter alone, another word and the end of the input do not.
func TestUndoAsks(t *testing.T) {
	in := signals.UndoInput{TaskID: "x-12345678", Repository: "acme/web", PullRequest: 7, Branch: "longshift/x"}
	question := undoPlan(in, "https://example.com/7")
	const want = "Close https://example.com/7, and delete branch longshift/x and the other refs of task x-12345678 in acme/web?"
	if question != want {
		t.Errorf("it asks %q", question)
	}
	for typed, want := range map[string]bool{"y\n": true, " YES \n": true, "\n": false, "no\n": false, "yy\n": false, "": false} {
		c := newConsole(t)
		c.In, c.Raw = strings.NewReader(typed), true
		f := c.factory()
		o := &undoOptions{terminal: f.terminal, streams: f.streams}
		if got, err := o.confirm(t.Context(), question); err != nil || got != want {
			t.Errorf("%q: %t, %v", typed, got, err)
		}
		if shown := c.Errs.String(); shown != question+" [y/N]: " {
			t.Errorf("%q: it shows %q", typed, shown)
		}
		f.close()
	}
}
