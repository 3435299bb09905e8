package gateway

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// calls reads a transcript.
func calls(t *testing.T, path string) (list []map[string]any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			m = nil // a torn line
		}
		list = append(list, m)
	}
	return list
}

func TestTranscript(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t", "transcript.jsonl")
	token := ""
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request, body []byte) {
		if strings.HasSuffix(r.URL.Path, "count_tokens") {
			_, _ = io.WriteString(w, `{"input_tokens": 3}`)
			return
		}
		size := 1
		if strings.Contains(string(body), "long") {
			size = maxEntry
		}
		answerStream(w, stream("claude-opus-5-5", object{"input_tokens": 1}, 1, "the key is "+testKey+" and "+token, strings.Repeat("a", size)))
	})
	g := startGateway(t, u.URL, nil)
	spec := Spec{ID: "s1", Ledger: filepath.Join(dir, "ledger.jsonl"), Transcript: path}
	s, err := g.Open(spec)
	if err != nil {
		t.Fatal(err)
	}
	token = s.Token()
	mustAsk(t, s, question("claude-opus-5-5", 1))
	mustAsk(t, s, strings.Replace(question("claude-opus-5-5", 1), "hi", "long "+token+strings.Repeat("b", maxEntry), 1))
	resp, err := http.Post(s.BaseURL()+"/v1/messages/count_tokens", "application/json", strings.NewReader(`{"model":"claude-opus-5-5"}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	s.Close()
	list := calls(t, path)
	if len(list) != 3 {
		t.Fatalf("%d calls", len(list))
	}
	first, second, third := list[0], list[1], list[2]
	if q, ok := first["request"].(map[string]any); !ok || q["model"] != "claude-opus-5-5" || first["status"] != 200.0 || first["call"] != 1.0 ||
		!strings.Contains(first["answer"].(string), "event: message_stop") {
		t.Errorf("first: %v", first)
	}
	if q, ok := second["request"].(string); !ok || len(q) > maxEntry || second["requestCutFrom"].(float64) < maxEntry ||
		second["answerCutFrom"].(float64) < maxEntry {
		t.Errorf("second: %T, %v, %v", second["request"], second["requestCutFrom"], second["answerCutFrom"])
	}
	if a, ok := third["answer"].(map[string]any); !ok || a["input_tokens"] != 3.0 || third["call"] != nil || third["path"] != "/v1/messages/count_tokens" {
		t.Errorf("third: %v", third)
	}
	text, _ := os.ReadFile(path)
	for _, secret := range []string{testKey, token} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the transcript holds %s", secret)
		}
	}
	ledger, _ := os.ReadFile(spec.Ledger)
	if strings.Contains(string(ledger), testKey) || strings.Contains(string(ledger), token) {
		t.Error("the ledger holds a secret")
	}
}

// TestTranscriptWithoutImages keeps what is said of an image, and what comes after it.
func TestTranscriptWithoutImages(t *testing.T) {
	pixels, quoted := strings.Repeat("A", 2<<20), strings.Repeat("b", mostData)+`\"`
	body := `{"a":[{"type":"image","source":{"media_type":"image/png","data":"` + pixels + `","type":"base64"}},{"data":"` + quoted + `"},{"data":"x"}],"b":1}`
	want := `{"a":[{"type":"image","source":{"media_type":"image/png","data":"[2097152 bytes]","type":"base64"}},{"data":"` + quoted + `"},{"data":"x"}],"b":1}`
	if got := string(withoutImages([]byte(body))); got != want {
		t.Errorf("%.200s", got)
	}
}

func TestTranscriptSurvivesATornLine(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "transcript.jsonl")
	if err := os.WriteFile(path, []byte(`{"call":1}`+"\n"+`{"ca`), 0o600); err != nil {
		t.Fatal(err)
	}
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) { w.WriteHeader(500) })
	s, err := startGateway(t, u.URL, nil).Open(Spec{ID: "s1", Ledger: filepath.Join(dir, "l"), Transcript: path})
	if err != nil {
		t.Fatal(err)
	}
	mustAsk(t, s, question("claude-opus-5-5", 1))
	s.Close()
	if list := calls(t, path); len(list) != 3 || list[1] != nil || list[2]["status"] != 500.0 {
		t.Errorf("%v", list)
	}
}

func TestFaultInTheTranscriptStopsNoCall(t *testing.T) {
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) { w.WriteHeader(500) })
	g := startGateway(t, u.URL, nil)
	s := openSession(t, g, 0)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	s.transcript = &transcript{log: g.log, file: full}
	for range 2 {
		if status, _ := mustAsk(t, s, question("claude-opus-5-5", 1)); status != 500 {
			t.Errorf("%d", status)
		}
	}
	if s.transcript.on() {
		t.Error("the transcript goes on after a fault")
	}
}

func TestTranscriptHasAnEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	g := startGateway(t, "", nil)
	tr, err := openTranscript(path, g.log)
	if err != nil {
		t.Fatal(err)
	}
	tr.size = maxTranscript - 10
	tr.write(entry{Method: "POST"}, []byte(`{}`), &capture{}, nil)
	tr.write(entry{Method: "POST"}, []byte(`{}`), &capture{}, nil)
	if list := calls(t, path); len(list) != 1 || list[0]["full"] != true {
		t.Errorf("%v", list)
	}
}
