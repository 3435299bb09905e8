package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/agent/claude"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/task"
)

var update = flag.Bool("update", false, "write down anew what the agents send")

// recorded holds the requests of real agents by version: one file per session, one request per line, texts shortened.
const recorded = "testdata/agents"

// TestRealAgentPassesUnchanged runs sessions of the real agent against a scripted model and compares both sides of the
// gateway: what the agent sends must leave unchanged.
func TestRealAgentPassesUnchanged(t *testing.T) {
	binary := agenttest.ClaudeBinary(t)
	for _, c := range []struct {
		name, model string
		kind        Kind
		role        task.Role
		thinking    int
		granted     []string
	}{
		{"implementer", "opus", APIKey, task.Implementer, 0, nil},
		{"implementer-login", "sonnet", OAuth, task.Implementer, 20_000, nil},
		{"implementer-budget", "claude-sonnet-4-5", APIKey, task.Implementer, 5_000, nil},
		{"implementer-search", "opus", APIKey, task.Implementer, 0, []string{"web_search(docs.example)"}},
		{"planner", "haiku", APIKey, task.Planner, 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWire(t, c.kind, c.model, c.granted)
			session := agent.Session{ID: uuid.NewString(), Role: c.role, Dir: w.dir, StateDir: t.TempDir(), System: "You are tested.\nRole: " + string(c.role) + "\n",
				Prompt: "Do what is to be done.", Model: c.model, ReadOnly: c.role.ReadOnly(), Wall: time.Minute, Thinking: c.thinking,
				Endpoint: agent.Endpoint{BaseURL: w.base, Token: w.session.Token(), Login: c.kind == OAuth, Search: w.session.Granted("web_search")}}
			if c.role == task.Planner {
				session.Reports = agenttest.Reports(t, c.role).Endpoint()
			}
			inside := agenttest.Inside(session)
			session.Permit = func(ctx context.Context, call agent.Call) agent.Decision {
				if call.Tool == "WebSearch" {
					return agent.Decision{Allow: true}
				}
				return inside(ctx, call)
			}
			d := claude.New(claude.Config{Config: program.Config{Binary: binary, Path: os.Getenv("PATH"), Log: slog.New(slog.NewTextHandler(t.Output(), nil))}})
			defer d.Close()
			if o, err := d.Run(t.Context(), session, func(agent.Event) {}); err != nil || o.Kind != agent.Completed {
				t.Fatalf("%+v, %v", o, err)
			}
			session.Resume, session.Prompt, session.Reports = true, "Go on.", nil
			if o, err := d.Run(t.Context(), session, func(agent.Event) {}); err != nil || !o.Resumed {
				t.Errorf("%+v, %v", o, err)
			}
			w.compare(t, c.name)
			searched := slices.ContainsFunc(w.out.messages(), func(s sent) bool { return bytes.Contains(s.body, []byte(`"type":"web_search_20250305"`)) })
			if searched != (c.granted != nil) {
				t.Errorf("granted %v, and searched: %t", c.granted, searched)
			}
		})
	}
}

// TestRealAgentSearches lets the agent use all of its own tools, with and without a granted search.
func TestRealAgentSearches(t *testing.T) {
	binary := agenttest.ClaudeBinary(t)
	for name, granted := range map[string][]string{"all-tools": {"web_search(docs.example)"}, "all-tools-ungranted": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWire(t, APIKey, "opus", granted)
			cmd := exec.CommandContext(t.Context(), binary, "-p", "Search.", "--output-format", "stream-json", "--verbose", "--model", "opus",
				"--dangerously-skip-permissions")
			cmd.Dir = w.dir
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "IS_SANDBOX=1", "ANTHROPIC_API_KEY=" + w.session.Token(),
				"ANTHROPIC_BASE_URL=" + w.base, "CLAUDE_CODE_MAX_RETRIES=1", "ENABLE_TOOL_SEARCH=true", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
			text, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if told := strings.Contains(string(text), "LONGSHIFT_SERVER_TOOLS=web_search"); told == (granted != nil) {
				t.Errorf("granted %v, and the agent shows a refusal: %t\n%s", granted, told, text)
			}
			if granted != nil {
				w.compare(t, name)
			}
		})
	}
}

// wire is a gateway between an agent and a scripted model, recorded on both sides.
type wire struct {
	dir     string
	base    string // what the agent is told
	session *Session
	in, out *tap
}

func newWire(t *testing.T, kind Kind, model string, granted []string) *wire {
	t.Helper()
	w := &wire{dir: t.TempDir()}
	w.out = newTap(t, agenttest.NewServer(t, agentScript(t, w.dir)).URL)
	g := startGateway(t, w.out.URL, func(c *Config, _ *Gateway) { c.Credential, c.Tools = fixed(kind, testKey), granted })
	w.session = openSession(t, g, 100)
	w.session.model = model
	base, err := url.Parse(w.session.BaseURL())
	if err != nil {
		t.Fatal(err)
	}
	w.in = newTap(t, base.Scheme+"://"+base.Host)
	w.base = w.in.URL + base.Path
	return w
}

// compare checks what left the gateway against what came in.
func (w *wire) compare(t *testing.T, name string) {
	in, out := byMeaning(t, w.in.messages()), byMeaning(t, w.out.messages())
	if len(in) < 5 || len(in) != len(out) {
		t.Fatalf("%d calls of the agent, %d to the model", len(in), len(out))
	}
	for i := range in {
		if d := cmp.Diff(meaning(t, in[i].body), meaning(t, out[i].body)); d != "" {
			t.Errorf("call %d is changed: %s", i, d)
		}
		for name := range in[i].header {
			if slices.Contains([]string{"Accept-Encoding", "Authorization", "Connection", "Content-Length", "X-Api-Key"}, name) {
				continue
			}
			if d := cmp.Diff(in[i].header[name], out[i].header[name]); d != "" {
				t.Errorf("call %d, %s is changed: %s", i, name, d)
			}
		}
	}
	if *update {
		writeRecorded(t, name, w.in.messages())
	}
}

// meaning decodes a body with the standard library, keeping the digits of numbers.
func meaning(t testing.TB, body []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %.200s", err, body)
	}
	return v
}

// tap is a proxy that records requests.
type tap struct {
	*httptest.Server
	mu   sync.Mutex
	kept []sent
}

type sent struct {
	header http.Header
	body   []byte
}

func newTap(t *testing.T, to string) *tap {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo),
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	p := &tap{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method == http.MethodPost {
			p.mu.Lock()
			p.kept = append(p.kept, sent{r.Header.Clone(), body})
			p.mu.Unlock()
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// messages returns the recorded requests in order of arrival.
func (p *tap) messages() []sent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.kept)
}

// byMeaning sorts calls, since concurrent ones arrive in any order.
func byMeaning(t *testing.T, calls []sent) []sent {
	key := func(c sent) []byte {
		text, err := json.Marshal(meaning(t, c.body))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	return slices.SortedFunc(slices.Values(calls), func(a, b sent) int { return bytes.Compare(key(a), key(b)) })
}

// agentScript makes an agent use every feature: files of every kind, the shell, thinking, a sub-agent, a search.
func agentScript(t *testing.T, dir string) agenttest.Script {
	file := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	read := func(path string) agenttest.Tool {
		return agenttest.Tool{Name: "Read", Input: object{"file_path": path}}
	}
	picture, page := read(file("x.png", smallPNG)), read(file("x.pdf", smallPDF()))
	return agenttest.Script{Rules: []agenttest.Rule{
		{Name: "below", Match: "LOOK AROUND", Turns: []agenttest.Turn{{Tools: []agenttest.Tool{picture}}, {Text: "looked"}}},
		{Name: "plan", Role: task.Planner, Turns: []agenttest.Turn{
			{Thinking: "hm", Tools: []agenttest.Tool{{Name: "Glob", Input: object{"pattern": "*"}}}},
			{Tools: []agenttest.Tool{picture}}, {Answer: json.RawMessage(`{"sumary":"x"}`)},
			{Answer: json.RawMessage(`{"verdict":"already_done","summary":"x","approach":"","files":[],"risks":[],"evidence":"x","lines":0,"split":[],"deliverables":[]}`)},
			{Text: "planned"},
		}},
		{Name: "work", Turns: []agenttest.Turn{
			{Thinking: "hm", Text: "I write.", Tools: []agenttest.Tool{{Name: "Write", Input: object{"file_path": filepath.Join(dir, "a.txt"), "content": "\u2028<é>"}}}},
			{Tools: []agenttest.Tool{picture, page}},
			{Tools: []agenttest.Tool{{Name: "Bash", Input: object{"command": `printf 'a\x1b[31m\xff\x00'`, "description": "print"}}}},
			{Tools: []agenttest.Tool{{Name: "Agent", Input: object{"description": "look", "prompt": "LOOK AROUND", "subagent_type": "general-purpose"}}}},
			{Tools: []agenttest.Tool{{Name: "WebSearch", Input: object{"query": "hello", "allowed_domains": []any{"docs.example"}}}}},
			{Tools: []agenttest.Tool{{Name: "ToolSearch", Input: object{"query": "select:WebSearch", "max_results": 5}}}},
			{Text: "All done."},
		}},
	}}
}

// writeRecorded keeps the calls of a session that contain something that no earlier one did.
func writeRecorded(t *testing.T, name string, calls []sent) {
	var out bytes.Buffer
	known := map[string]bool{}
	for _, c := range calls {
		body := meaning(t, c.body)
		places := map[string]bool{}
		cut(body, "", places)
		fresh := slices.ContainsFunc(slices.Collect(maps.Keys(places)), func(p string) bool { return !known[p] })
		maps.Copy(known, places)
		if fresh {
			line, _ := json.Marshal(object{"betas": c.header.Get("Anthropic-Beta"), "body": body})
			fmt.Fprintf(&out, "%s\n", line)
		}
	}
	dir := filepath.Join(recorded, "claude-code-"+claude.Pinned)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// cut shortens the texts in a value and notes what is where.
func cut(v any, at string, places map[string]bool) any {
	switch v := v.(type) {
	case map[string]any:
		for key, item := range v {
			v[key] = cut(item, at+"."+key, places)
		}
	case []any:
		for i, item := range v {
			v[i] = cut(item, at, places)
		}
	case string:
		if strings.HasSuffix(at, ".type") {
			places[at+v] = true
		}
		if len(v) > 60 {
			return v[:40] + "..."
		}
	}
	places[at] = true
	return v
}

// smallPNG is an image of one red pixel.
var smallPNG = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde" +
	"\x00\x00\x00\x0cIDATx\x9cc\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00IEND\xaeB`\x82")

// smallPDF is a document with one empty page.
func smallPDF() []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var at []int
	for i, o := range []string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>"} {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	table := b.Len()
	b.WriteString("xref\n0 4\n0000000000 65535 f \n")
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer << /Size 4 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", table)
	return b.Bytes()
}
