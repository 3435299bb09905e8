package gateway

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recordedCall is a request that an agent sent.
type recordedCall struct {
	File  string
	Betas string
	Body  json.RawMessage
}

// recordedCalls reads the requests recorded from the tested agent versions.
func recordedCalls(t testing.TB) (calls []recordedCall) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(recorded, "*", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			c := recordedCall{File: file}
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			calls = append(calls, c)
		}
		_ = f.Close()
	}
	return calls
}

func TestRecordedCallsPassUnchanged(t *testing.T) {
	granted, err := parseGrants([]string{"web_search(docs.example)"})
	if err != nil {
		t.Fatal(err)
	}
	v := anthropic(granted)
	calls := recordedCalls(t)
	for _, c := range calls {
		q, err := v.read(messages, c.Body, nil, everyTool)
		if err == nil {
			err = v.bound(q)
		}
		if err != nil {
			t.Errorf("%s: %v", c.File, err)
			continue
		}
		if d := cmp.Diff(meaning(t, c.Body), meaning(t, q.text)); d != "" {
			t.Errorf("%s: %s", c.File, d)
		}
		g := &Gateway{}
		if kept := strings.Join(g.pickBetas(&api{vendor: v}, http.Header{"Anthropic-Beta": {c.Betas}}), ","); kept != c.Betas {
			t.Errorf("%s: of the betas %s these are kept: %s", c.File, c.Betas, kept)
		}
	}
	if len(calls) < 20 {
		t.Errorf("%d calls only", len(calls))
	}
}
