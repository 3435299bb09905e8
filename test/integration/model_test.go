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

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/test/lab"
)

// TestModelIsDown lets the model fail for a moment in one session, and for longer than the agent has patience in another.
// Neither is an error of the work: each session is one session, and what it had done is not done again.
func TestModelIsDown(t *testing.T) {
	t.Parallel()
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

// keyCheck lets model calls pass that show the present key, and answers 401 to all others, as an API does after a key was changed.
type keyCheck struct {
	mu    sync.Mutex
	key   string
	model string
}

func (d *keyCheck) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
	t.Parallel()
	const old, fresh = "sk-ant-test-old-00000000000000000000000000000000000", "sk-ant-test-new-00000000000000000000000000000000000"
	d := &keyCheck{key: fresh}
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
