package reporting_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/task"
)

// said is what client.mjs prints.
type said struct {
	Tools   []string
	Answers []struct {
		Text  string
		Wrong bool
	}
	Error string
}

// TestOtherClient has the protocol's own client in another language list the tools and call them.
func TestOtherClient(t *testing.T) {
	t.Parallel()
	const folder = "../../../test/mcp"
	if _, err := os.Stat(folder + "/node_modules/.installed"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("run make agents: %v", err)
		}
		t.Skipf("run make agents: %v", err)
	}
	s := newStage(t, task.Implementer)
	run := func(token string, calls ...string) (out said) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "node", append([]string{"client.mjs", s.session.Endpoint().URL, token}, calls...)...)
		cmd.Dir = folder
		text, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		return out
	}
	if out := run("other"); out.Error == "" || out.Tools != nil && len(out.Tools) > 0 {
		t.Errorf("a wrong token: %+v", out)
	}
	out := run(s.session.Endpoint().Token,
		"deliverable_list", `{}`, "note_save", `{"text":"Dates are UTC."}`, "note_save", `{"text":1}`,
		"review_submit", `{"verdict":"approved","text":"mine"}`, "deliverable_set_status", `{"id":"FIX-001","status":"passed","text":"fix: add"}`)
	slices.Sort(out.Tools)
	if want := slices.Sorted(slices.Values(s.session.Endpoint().Tools)); out.Error != "" || !slices.Equal(out.Tools, want) {
		t.Errorf("it lists %q, wanted %q; error %q", out.Tools, want, out.Error)
	}
	for i, want := range []string{"FIX-002", "recorded", "A call looks like this", "review_submit", "the session ends here"} {
		if a := out.Answers[i]; !strings.Contains(a.Text, want) || a.Wrong != (i == 2 || i == 3) {
			t.Errorf("answer %d: %+v, wanted %q", i, a, want)
		}
	}
	if got := s.texts(); !slices.Equal(got, []string{"Dates are UTC.", "fix: add"}) {
		t.Errorf("accepted %q", got)
	}
}
