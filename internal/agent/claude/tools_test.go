package claude

import (
	"bufio"
	"context"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

// The binary reads a page through the proxy of its environment, without asking its vendor about the host, and only when told yes.
func TestFetch(t *testing.T) {
	t.Parallel()
	b := newBench(t, task.Planner, func(string) agenttest.Script {
		return agenttest.Script{Rules: []agenttest.Rule{
			{Name: "it", Role: task.Planner, Turns: []agenttest.Turn{
				{Tools: []agenttest.Tool{call("WebFetch", "url", "https://docs.example.com/a", "prompt", "What does it say?")}},
				{Tools: []agenttest.Tool{call("WebFetch", "url", "https://docs.example.com/no", "prompt", "What does it say?")}},
				{Text: "Read."}}},
			{Name: "summary", Match: "the page says hello", Turns: []agenttest.Turn{{Text: "It says hello."}}}}}
	})
	var pages, asked []string
	web := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages = append(pages, r.Host+r.URL.Path)
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><body>the page says hello</body></html>")
	}))
	defer web.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.Host)
		there, err := net.Dial("tcp", web.Listener.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		here, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(there, bufio.NewReader(here)); _ = there.Close() }()
		_, _ = io.Copy(here, there)
		_ = here.Close()
	}))
	defer proxy.Close()
	b.session.Fetch = true
	b.session.Env = map[string]string{"HTTPS_PROXY": proxy.URL, "https_proxy": proxy.URL, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1",
		"NODE_EXTRA_CA_CERTS": ca}
	b.session.Permit = func(_ context.Context, c agent.Call) agent.Decision {
		return agent.Decision{Allow: c.Tool == "WebFetch" && !strings.Contains(string(c.Input), "/no"), Reason: "refused"}
	}
	o, e := b.run(t)
	if o.Kind != agent.Completed || o.Text != "Read." || len(e.Of(agent.Denied)) != 1 {
		t.Errorf("outcome %+v, denied %+v", o, e.Of(agent.Denied))
	}
	if !slices.Equal(pages, []string{"docs.example.com/a"}) || !slices.Equal(asked, []string{"CONNECT docs.example.com:443"}) {
		t.Errorf("pages %q, asked for %q", pages, asked)
	}
	if results := e.Of(agent.ToolResult); len(results) == 0 || results[0].Failed || !strings.Contains(results[0].Text, "It says hello.") {
		t.Errorf("results %+v", results)
	}
}

func TestOfferedTools(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]agent.Session{
		"Agent Bash Edit Glob Grep NotebookEdit Read Write":           {},
		"Bash Edit Glob Grep NotebookEdit Read Write":                 {Alone: true},
		"Bash Glob Grep Read":                                         {ReadOnly: true},
		"Bash Glob Grep Read WebSearch WebFetch":                      {ReadOnly: true, Fetch: true, Endpoint: agent.Endpoint{Search: true}},
		"Bash Edit Glob Grep NotebookEdit Read Write WebFetch":        {Alone: true, Fetch: true},
		"Agent Bash Edit Glob Grep NotebookEdit Read Write WebSearch": {Endpoint: agent.Endpoint{Search: true}},
	} {
		if got := strings.Join(offered(s), " "); got != want {
			t.Errorf("%+v: %s", s, got)
		}
		denied := ""
		a := arguments(s)
		for i, arg := range a {
			if arg == "--disallowedTools" {
				denied = a[i+1]
			}
		}
		for _, tool := range []string{"Agent", "WebFetch", "WebSearch"} {
			if slices.Contains(strings.Split(denied, ","), tool) == slices.Contains(strings.Fields(want), tool) {
				t.Errorf("%s is offered and denied, or neither: %s", tool, denied)
			}
		}
	}
}
