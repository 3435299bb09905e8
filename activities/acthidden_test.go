package activities

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/task"
)

// compose has a password that is hidden for its form alone, on its fourth line.
const compose = "services:\n  app:\n    environment:\n      URL: postgres://app:app@db:5432/app\n    image: app\n"

// callingWith is a call whose arguments are given as a value.
func callingWith(t *testing.T, tool string, arguments map[string]any) transcript.Call {
	t.Helper()
	text, err := json.Marshal(arguments)
	must(t, err)
	return calling(tool, string(text))
}

// TestNativeWritesNoMark: what a model was not shown of a file stays in it, whichever tool would write the mark that it was shown instead.
func TestNativeWritesNoMark(t *testing.T) {
	const line, shown = "      URL: postgres://app:app@db:5432/app\n", "      URL: postgres://[hidden]@db:5432/app\n"
	seen := strings.Replace(compose, line, shown, 1)
	file := func(more map[string]any) map[string]any {
		more["path"] = "compose.yml"
		return more
	}
	for name, c := range map[string]struct {
		tool      string
		arguments map[string]any
		says      string // "" for a call that is made
		after     string // of the file that is then written
	}{
		"written back":        {"write_file", file(map[string]any{"content": seen}), `path \"compose.yml\": on line 4 \"[hidden]\" stands for a secret`, ""},
		"edited around":       {"edit_file", file(map[string]any{"old": "image: app", "new": "image: web"}), "", strings.Replace(compose, "image: app", "image: web", 1)},
		"looked for":          {"edit_file", file(map[string]any{"old": shown, "new": "x"}), `may stand for a secret that you are not shown: change or copy such a line by a command`, ""},
		"put beside":          {"edit_file", file(map[string]any{"old": "    image: app", "new": shown + "    image: app"}), `on line 5`, ""},
		"patched":             {"apply_patch", map[string]any{"patch": "--- a/compose.yml\n+++ b/compose.yml\n@@ -5 +5 @@\n-    image: app\n+" + shown}, `on line 5`, ""},
		"looked for, patched": {"preview_patch", map[string]any{"patch": "--- a/compose.yml\n+++ b/compose.yml\n@@ -4 +4 @@\n-" + shown + "+x\n"}, `may stand for a secret`, ""},
		"copied":              {"write_file", map[string]any{"path": "b/test.yml", "content": seen}, `path \"b/test.yml\": on line 4`, ""},
		"a mark of its own":   {"edit_file", file(map[string]any{"old": "image: app", "new": "image: app # [hidden]"}), "", strings.Replace(compose, "image: app", "image: app # [hidden]", 1)},
		"a selector of CSS":   {"write_file", map[string]any{"path": "a.css", "content": "[hidden], li[hidden] { display: none }\n"}, "", "[hidden], li[hidden] { display: none }\n"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			b.prepare()
			must(t, os.WriteFile(b.work()+"/compose.yml", []byte(compose), 0o644))
			r := b.begins(task.Implementer, []transcript.Call{calling("read_file", `{"path":"compose.yml"}`), callingWith(t, c.tool, c.arguments)})
			r.play()
			got := r.results()
			if len(got) != 2 || !strings.Contains(got[0].Content, "postgres://[hidden]@db") || got[1].Failed != (c.says != "") || !strings.Contains(got[1].Content, c.says) {
				t.Fatalf("the model is told %+v", got)
			}
			path, want := "compose.yml", compose
			if c.says == "" {
				path, want = c.arguments["path"].(string), c.after
			}
			if text, err := os.ReadFile(b.work() + "/" + path); err != nil || string(text) != want {
				t.Errorf("%s is %q, %v", path, text, err)
			}
			if _, err := os.Stat(b.work() + "/b"); err == nil {
				t.Error("the copy was written")
			}
		})
	}
}
