package gateway

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
)

// A granted tool reaches the hosts of its grant, whatever the request asks for, and costs no more than is reserved.
func TestGrantedToolReachesItsHostsOnly(t *testing.T) {
	search := func(members string) string {
		return with(`"tools":[{"type":"web_search_20250305","name":"web_search"` + members + `}]`)
	}
	fetch := func(members string) string {
		return with(`"tools":[{"type":"web_fetch_20250910","name":"web_fetch"` + members + `}]`)
	}
	for _, c := range []struct {
		granted, body string
		sends         string // part of the request sent upstream, or of the refusal
	}{
		{"web_search", search(``), `"name":"web_search","max_uses":8}`},
		{"WebSearch(*)", search(`,"max_uses":3,"blocked_domains":["a.example"]`), `"max_uses":3,"blocked_domains":["a.example"]}`},
		{"web_search", search(`,"max_uses":1000`), `"max_uses":8}`},
		{"web_search(docs.example go.dev)", search(``), `"max_uses":8,"allowed_domains":["docs.example","go.dev"]}`},
		{"web_search(docs.example)", search(`,"allowed_domains":["evil.example","www.docs.example","docs.example/a"]`), `"allowed_domains":["www.docs.example","docs.example/a"]`},
		{"web_search(docs.example)", search(`,"blocked_domains":["docs.example"]`), `"max_uses":8,"allowed_domains":["docs.example"]}`},
		{"web_search(docs.example)", search(`,"allowed_domains":["evil.example","notdocs.example","docs.example.evil.example"]`), "allowed_domains names no host that the operator has granted; these are: docs.example"},
		{"web_search(docs.example)", search(`,"allowed_domains":[]`), "names no host"},
		{"web_search(docs.example)", search(`,"allowed_domains":"docs.example"`), "is not a list"},
		{"web_search(docs.example)", search(`,"hosts":["evil.example"]`), "LONGSHIFT_GATEWAY_PASS=tool.hosts"},
		{"web_search", search(`,"name":"x"`), "in one object twice"},
		{"web_search", fetch(``), "LONGSHIFT_SERVER_TOOLS=web_fetch"},
		{"WebFetch(https://docs.example/api/*)", fetch(``), `"max_content_tokens":20000,"allowed_domains":["docs.example/api"]`},
		{"WebFetch(https://docs.example/api/*)", fetch(`,"allowed_domains":["docs.example/api/v1","docs.example/api/../x","docs.example/apis","docs.example"]`), `"allowed_domains":["docs.example/api/v1"]`},
		{"WebFetch(*)", fetch(`,"max_content_tokens":90000000`), `"max_content_tokens":20000`},
		{"web_search", strings.Replace(search(``), "20250305", "20260209", 1), "LONGSHIFT_GATEWAY_PASS=tool:web_search_20260209"},
	} {
		api, s := newLoose(t, []string{c.granted}, []string{"docs.example", "go.dev", "docs.example/api", "docs.example/api/v1", "docs.example/a", "any host"})
		w := attack{body: c.body}.make(t, s)
		if w.Code != 200 && !strings.Contains(message(t, w.Body.Bytes()), c.sends) || w.Code == 200 && !strings.Contains(api.got, c.sends) {
			t.Errorf("%s, %s: %d %s\n%s", c.granted, c.body, w.Code, w.Body, api.got)
		}
		for _, harm := range api.harm {
			t.Errorf("%s: %s", c.granted, harm)
		}
	}
}

// A granted tool is refused by name to a session that may not use it, whoever in its box asks.
func TestGrantedToolOfOtherSessions(t *testing.T) {
	u := newUpstream(t, apiAnswers)
	g := startGateway(t, u.URL, func(c *Config, _ *Gateway) { c.Tools = []string{"web_search", "WebFetch(*)"} })
	for _, mine := range everyTool {
		s, err := g.Open(Spec{ID: "s-" + mine, Ledger: filepath.Join(t.TempDir(), "ledger.jsonl"), Tools: []string{mine}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, tool := range grantable {
			w := attack{body: with(`"tools":[{"type":"` + tool.kind + `","name":"` + tool.name + `"}]`)}.make(t, s)
			if may := tool.name == mine; s.Granted(tool.name) != may || (w.Code == 200) != may {
				t.Errorf("a session with %s asks for %s: %d %s", mine, tool.name, w.Code, w.Body)
			} else if refusal := "is " + tool.name + ", which this task's settings do not allow"; !may &&
				!strings.Contains(message(t, w.Body.Bytes()), refusal) {
				t.Errorf("refused without %q: %s", refusal, w.Body)
			}
		}
	}
}

func TestGrantsAreRead(t *testing.T) {
	granted, err := parseGrants([]string{"web_search(a.example)", "WebFetch(https://docs.example/*)", "WebSearch(*.b.example)"})
	if err != nil || len(granted) != 2 || !slices.Equal(granted[0].hosts, []string{"a.example", "b.example"}) ||
		!slices.Equal(granted[1].hosts, []string{"docs.example"}) {
		t.Errorf("%+v, %v", granted, err)
	}
	if all, err := parseGrants([]string{"web_search(a.example)", "web_search"}); err != nil || len(all) != 1 || all[0].hosts != nil {
		t.Errorf("%+v, %v", all, err)
	}
	for _, bad := range []string{"code_execution", "web_search(", "web_search)", "web_search()", "WebFetch", "WebFetch(http://docs.example)",
		"WebFetch(https://docs.example:8080/*)",
		"WebFetch(https://docs.example/../x)", "WebFetch(docs)", "WebFetch(https://*/x)", "WebFetch(https://me@docs.example)", "WebFetch(DOCS.example)"} {
		if _, err := New(Config{Endpoint: Endpoint{Credential: fixed(APIKey, testKey)}, Tools: []string{bad}}); fault.KindOf(err) != fault.Input || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// What the operator names may pass, and nothing else.
func TestPassByName(t *testing.T) {
	for _, c := range []struct{ pass, body, refused string }{
		{"", with(`"novelty":1`), "LONGSHIFT_GATEWAY_PASS=novelty"},
		{"novelty", with(`"novelty":{"a":[1]}`), ""},
		{"novelty", with(`"novelties":1`), "LONGSHIFT_GATEWAY_PASS=novelties"},
		{"novelty", with(`"metadata":{"novelty":1}`), "LONGSHIFT_GATEWAY_PASS=metadata.novelty"},
		{"metadata.novelty", with(`"metadata":{"novelty":1}`), ""},
		{"tool:robot_20270101", with(`"tools":[{"type":"robot_20270101","arm":2}]`), ""},
		{"tool:robot_20270101", with(`"tools":[{"type":"robot_20270102","arm":2}]`), "LONGSHIFT_GATEWAY_PASS=tool:robot_20270102"},
		{"source:url", says(`{"type":"image","source":{"type":"url","url":"https://docs.example"}}`), ""},
		{"block:novel", says(`{"type":"novel","source":{"type":"url"}}`), ""},
		{"block.novel", says(`{"type":"text","text":"a","novel":1}`), ""},
		{"tool:web_search_20250305", with(`"tools":[{"type":"web_search_20250305","name":"web_search"}]`), ""},
	} {
		u := newUpstream(t, apiAnswers)
		s := openSession(t, startGateway(t, u.URL, func(cfg *Config, _ *Gateway) { cfg.Pass = []string{c.pass, "beta:novel-2027-01-01"} }), 0)
		w := attack{body: c.body, header: "Anthropic-Beta: other-2027-01-01,novel-2027-01-01"}.make(t, s)
		if c.refused != "" {
			if w.Code != 400 || !strings.Contains(message(t, w.Body.Bytes()), c.refused) {
				t.Errorf("%+v: %d %s", c, w.Code, w.Body)
			}
			continue
		}
		if w.Code != 200 {
			t.Errorf("%+v: %d %s", c, w.Code, w.Body)
			continue
		}
		r, body := u.request(0)
		if string(body) != c.body || r.Header.Get("Anthropic-Beta") != "novel-2027-01-01" {
			t.Errorf("%+v: sent %s with %s", c, body, r.Header.Get("Anthropic-Beta"))
		}
	}
}
