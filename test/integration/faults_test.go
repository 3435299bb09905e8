package integration

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/test/lab"
)

// TestModelIsDown lets the model fail for a moment in one session, and for longer than the agent has patience in another.
// Neither is an error of the work: each session is one session, and what it had done is not done again.
func TestModelIsDown(t *testing.T) {
	script := lab.With(lab.Brief(), "plan", 0, func(turn *agenttest.Turn) {
		turn.Fault = &agenttest.Fault{Status: http.StatusInternalServerError, Times: 2, Body: "Internal server error"}
	})
	script = lab.With(script, "fix", 1, func(turn *agenttest.Turn) {
		turn.Fault = &agenttest.Fault{Status: 529, Times: 7, Body: "Overloaded"}
	})
	s := lab.NewStage(t, script, lab.QuickSettings)
	s.Play()
	end := ended(t, s)
	s.Carried(end, lab.Messages[0])
	if n := s.WholeTurns(); len(end.Sessions) != 3 || n["plan/0"] != 1 || n["fix/0"] != 1 || n["fix/1"] != 1 {
		t.Errorf("%d sessions, answers by turn %v", len(end.Sessions), n)
	}
	if tries := len(s.Heard("fix", 1)); tries != 8 {
		t.Errorf("%d calls for a turn that failed seven times", tries)
	}
	if strings.Contains(lab.Log(end), "error:") {
		t.Errorf("a fault of the model's service was counted as an error of the work: %s", lab.Log(end))
	}
}

// door lets model calls pass that show the present key, and answers 401 to all others, as an API does after a key was changed.
type door struct {
	mu    sync.Mutex
	key   string
	model string
}

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	key, model := d.key, d.model
	d.mu.Unlock()
	if r.Header.Get("X-Api-Key") != key {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`))
		return
	}
	to, err := url.Parse(model)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	r.Header.Set("X-Api-Key", lab.Key)
	httputil.NewSingleHostReverseProxy(to).ServeHTTP(w, r)
}

// TestKeyIsRefused lets the key in the worker's file be an old one. The task waits for a person; when the file holds the new
// key, a resume is all it takes.
func TestKeyIsRefused(t *testing.T) {
	const old, fresh = "sk-ant-test-old-00000000000000000000000000000000000", "sk-ant-test-new-00000000000000000000000000000000000"
	d := &door{key: fresh}
	front := httptest.NewServer(d)
	t.Cleanup(front.Close)
	file := filepath.Join(t.TempDir(), "key")
	writeKey := func(key string) {
		if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	writeKey(old)
	s := lab.NewStage(t, lab.Brief(), lab.QuickSettings, "LONGSHIFT_ANTHROPIC_KEY=", "LONGSHIFT_ANTHROPIC_KEY_FILE="+file, "LONGSHIFT_ANTHROPIC_URL="+front.URL)
	d.mu.Lock()
	d.model = s.Model.URL
	d.mu.Unlock()
	s.Play()
	st := suspended(t, s, signals.ReasonAccess)
	if !strings.Contains(st.Detail, "key") || strings.Contains(st.Detail, "\n") {
		t.Errorf("detail %q", st.Detail)
	}
	writeKey(fresh)
	resumed(t, s, map[string]any{"note": "the key is renewed"})
	end := ended(t, s)
	s.Carried(end, lab.Messages[0])
	for _, word := range []string{old, fresh} {
		if history := historyText(t, s); strings.Contains(history, word) {
			t.Error("a key stands in the history")
		}
	}
}

func historyText(t *testing.T, s *lab.Stage) string {
	t.Helper()
	var b strings.Builder
	for _, e := range s.History(t, s.Begun.GetID()) {
		b.WriteString(e.String())
	}
	return b.String()
}

// TestGitHubIsDown lets the call that opens the pull request meet a bad gateway after it took effect, then a secondary limit.
// One pull request stands.
func TestGitHubIsDown(t *testing.T) {
	s := lab.NewStage(t, lab.Brief(), lab.QuickSettings)
	s.GitHub.Inject(
		forgetest.ServerError(http.StatusBadGateway).On(http.MethodPost, "/pulls"),
		forgetest.SecondaryLimit(http.StatusForbidden, 2*time.Second).On(http.MethodPost, "/pulls"),
		forgetest.ServerError(http.StatusBadGateway).On(http.MethodPost, "/pulls").Late(),
	)
	s.Play()
	s.Carried(ended(t, s), lab.Messages[0])
}

// TestGitServerIsDown lets each push fail twice: that of the fence, of the checkpoint, of the branch, and of their removal.
func TestGitServerIsDown(t *testing.T) {
	s := lab.NewStage(t, lab.Brief(), lab.QuickSettings)
	pushes := 0
	s.FailGit(func(service string) int {
		if service != "git-receive-pack" {
			return 0
		}
		if pushes++; pushes%3 != 0 {
			return http.StatusInternalServerError
		}
		return 0
	})
	s.Play()
	s.Carried(ended(t, s), lab.Messages[0])
	if pushes < 3*3 {
		t.Errorf("%d pushes were tried, fence, checkpoint and branch take three each", pushes)
	}
}

// TestNoReport lets a session end without a report. It is asked for it, in the same session.
func TestNoReport(t *testing.T) {
	script := lab.Brief()
	fix := script.Rules[1].Turns
	script.Rules[1].Turns = []agenttest.Turn{fix[0], {Text: "I am through with it.", Usage: lab.Counted}, fix[2]}
	s := lab.NewStage(t, script, lab.QuickSettings)
	s.Play()
	end := ended(t, s)
	s.Carried(end, lab.Messages[0])
	if len(end.Sessions) != 3 || !strings.Contains(lab.Log(end), "ended without a report") {
		t.Errorf("%d sessions; log: %s", len(end.Sessions), lab.Log(end))
	}
	first, second := s.Heard("fix", 1), s.Heard("fix", 2)
	if len(first) != 1 || len(second) != 1 || first[0].Session != second[0].Session || first[0].Prompt == second[0].Prompt {
		t.Errorf("calls %d and %d: the same session must be asked again, in other words", len(first), len(second))
	}
}

// TestPlannerWrites lets the model of a planner try every way to write. Nothing is written, and the plan is taken.
func TestPlannerWrites(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "intruder.txt")
	script := lab.Brief()
	plan := script.Rules[0].Turns[0]
	tool := func(name string, input map[string]any) agenttest.Turn {
		return agenttest.Turn{Usage: lab.Counted, Tools: []agenttest.Tool{{Name: name, Input: input}}}
	}
	script.Rules[0].Turns = []agenttest.Turn{
		tool("Write", map[string]any{"file_path": "intruder.txt", "content": "x"}),
		tool("Bash", map[string]any{"command": "touch intruder.txt " + outside, "description": "write"}),
		tool("Edit", map[string]any{"file_path": "calc.go", "old_string": "a - b", "new_string": "a * b"}),
		tool("Agent", map[string]any{"description": "write", "prompt": "write intruder.txt", "subagent_type": "general-purpose"}),
		plan,
	}
	var s *lab.Stage
	var seen []string
	script = lab.With(script, "plan", 4, func(turn *agenttest.Turn) {
		turn.Before = func(*agenttest.Call) { seen = intruders(s.Worker.Data) }
	})
	s = lab.NewStage(t, script, lab.QuickSettings)
	s.Play()
	end := ended(t, s)
	s.Carried(end, lab.Messages[0])
	if _, err := os.Stat(outside); err == nil || len(seen) != 0 {
		t.Errorf("the planner has written: %q, outside: %v", seen, err == nil)
	}
	if got := s.WholeTurns()["plan/4"]; got != 1 || len(end.Sessions) != 3 || end.Sessions[0].Role != task.Planner {
		t.Errorf("the plan was given %d times in %d sessions", got, len(end.Sessions))
	}
	if files := lab.Git(t, s.Bare, "diff", "--name-only", "main.."+end.Branch); files != "calc.go" {
		t.Errorf("changed files: %q", files)
	}
}

// intruders finds files of that name, and a calc.go with what the planner wanted in it.
func intruders(data string) (found []string) {
	_ = filepath.WalkDir(data, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		text, _ := os.ReadFile(path)
		if d.Name() == "intruder.txt" || d.Name() == "calc.go" && strings.Contains(string(text), "a * b") {
			found = append(found, path)
		}
		return nil
	})
	return found
}
