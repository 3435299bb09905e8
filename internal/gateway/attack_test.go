package gateway

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// attack is a raw call from inside the sandbox.
type attack struct {
	name   string
	header string // Name: value
	query  string
	body   string
}

const plainBody = `{"model":"claude-haiku-5-5","max_tokens":100,"messages":[{"role":"user","content":"hi"}]}`

// with adds members to the start of a harmless body.
func with(members string) string { return `{` + members + `,` + plainBody[1:] }

// says adds a block to the message of a harmless body.
func says(block string) string { return strings.Replace(plainBody, `"hi"`, `[`+block+`]`, 1) }

// costs is a body with the given model and output.
func costs(model, output string) string {
	return `{` + model + `,"max_tokens":` + output + `,"messages":[{"role":"user","content":"hi"}]}`
}

func zipped(body string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(body))
	_ = z.Close()
	return b.String()
}

var attacks = []attack{
	{name: "web fetch", body: with(`"tools":[{"type":"web_fetch_20250910","name":"web_fetch"}]`)},
	{name: "web fetch, later", body: with(`"tools":[{"type":"web_fetch_20291231","name":"web_fetch"}]`)},
	{name: "web search", body: with(`"tools":[{"type":"web_search_20250305","name":"web_search"}]`)},
	{name: "code execution", body: with(`"tools":[{"type":"code_execution_20250825","name":"code_execution"}]`)},
	{name: "computer", body: with(`"tools":[{"type":"computer_20250124","name":"computer"}]`)},
	{name: "advisor", body: with(`"tools":[{"type":"advisor_20260301","name":"advisor","model":"claude-opus-5-5"}]`)},
	{name: "MCP server", body: with(`"mcp_servers":[{"type":"url","url":"https://evil.example/mcp","name":"x"}]`)},
	{name: "MCP tool set", body: with(`"tools":[{"type":"mcp_toolset","mcp_server_name":"x"}]`)},
	{name: "container", body: with(`"container":{"skills":[{"type":"custom","skill_id":"x"}]}`)},
	{name: "fallbacks", body: with(`"fallbacks":[{"model":"claude-opus-5-5"}]`)},
	{name: "compaction", body: with(`"context_management":{"edits":[{"type":"compact_20260112"}]}`)},
	{name: "picture by address", body: says(`{"type":"image","source":{"type":"url","url":"https://evil.example/?data"}}`)},
	{name: "document by address", body: says(`{"type":"document","source":{"type":"url","url":"https://evil.example/?data"}}`)},
	{name: "picture in a result", body: says(`{"type":"tool_result","tool_use_id":"a","content":[{"type":"image","source":{"type":"url","url":"https://evil.example"}}]}`)},
	{name: "file", body: says(`{"type":"document","source":{"type":"file","file_id":"file_1"}}`)},
	{name: "upload to a container", body: says(`{"type":"container_upload","file_id":"file_1"}`)},
	{name: "tool that is added later", body: says(`{"type":"tool_addition","tool":{"type":"tool_definition","definition":{"type":"web_fetch_20250910","name":"web_fetch"}}}`)},
	{name: "tool's address", body: with(`"tools":[{"name":"x","input_schema":{"type":"object"},"server_url":"https://evil.example"}]`)},
	{name: "schema elsewhere", body: with(`"tools":[{"name":"x","input_schema":{"$ref":"https://evil.example/?data"}}]`)},
	{name: "schema elsewhere, in large letters", body: with(`"tools":[{"name":"x","input_schema":{"properties":{"a":{"$REF":"https://evil.example"}}}}]`)},
	{name: "answer's schema elsewhere", body: with(`"output_config":{"format":{"type":"json_schema","schema":{"$ref":"//evil.example"}}}`)},
	{name: "model twice", body: costs(`"model":"claude-fable-5","model":"claude-haiku-5-5"`, `30000`)},
	{name: "model in other letters", body: costs(`"model":"claude-fable-5","MODEL":"claude-haiku-5-5"`, `30000`)},
	{name: "output in other letters", body: costs(`"model":"claude-haiku-5-5"`, `1000000,"Max_Tokens":1`)},
	{name: "output with a long s", body: costs(`"model":"claude-haiku-5-5"`, `1000000,"max_tokenſ":1`)},
	{name: "output twice", body: costs(`"model":"claude-haiku-5-5"`, `1000000,"max_tokens":1`)},
	{name: "output twice, escaped", body: costs(`"model":"claude-haiku-5-5"`, `1000000,"max_\u0074okens":1`)},
	{name: "fast in other letters", body: costs(`"model":"claude-opus-5-5","speed":"FAST"`, `30000`)},
	{name: "elsewhere in other letters", body: costs(`"model":"claude-opus-5-5","inference_geo":"US"`, `30000`)},
	{name: "pictures that are small", body: says(strings.TrimSuffix(strings.Repeat(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aaaa"}},`, 60), ","))},
	{name: "second source", body: says(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"a"},"SOURCE":{"type":"url","url":"https://evil.example"}}`)},
	{name: "second type", body: says(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"a","type":"url","url":"https://evil.example"}}`)},
	{name: "more behind the end", body: plainBody[:len(plainBody)-1] + `,"mcp_servers":[{"type":"url","url":"https://evil.example"}]}]`},
	{name: "packed", header: "Content-Encoding: gzip", body: zipped(with(`"mcp_servers":[{"type":"url","url":"https://evil.example"}]`))},
	{name: "beta", header: "Anthropic-Beta: mcp-client-2025-04-04", body: plainBody},
	{name: "beta among others", header: "Anthropic-Beta: effort-2025-11-24,\tfiles-api-2025-04-14 ,", body: plainBody},
	{name: "other method", header: "X-HTTP-Method-Override: DELETE", body: plainBody},
	{name: "other address", header: "X-Original-URL: /v1/files", body: plainBody},
	{name: "method in the query", query: "?_method=DELETE", body: plainBody},
}

// TestAttacks makes each call directly to a fully permissive API, and through the gateway.
func TestAttacks(t *testing.T) {
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			api, s := newLoose(t, nil, nil)
			before := a.request(t, "https://api.example/v1/messages")
			if harm := api.judge(http.MethodPost, before.URL, before.Header, []byte(a.body), guessed(a.body)); len(harm) == 0 {
				t.Fatal("without the gateway it does no harm, so it is no attack")
			}
			w := a.make(t, s)
			if len(api.harm) > 0 {
				t.Errorf("%d, and the API %s", w.Code, strings.Join(api.harm, "\n"))
			}
			if refused := w.Code == 400 && strings.Contains(w.Body.String(), `"type":"invalid_request_error"`); !refused && (w.Code != 200 || api.calls != 1) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
}

// guessed is what would be reserved if every API parsed JSON as the standard library does.
func guessed(body string) nanos {
	var read struct {
		Model string `json:"model"`
		Limit *int64 `json:"max_tokens"`
		Speed string `json:"speed"`
		Geo   string `json:"inference_geo"`
	}
	_ = json.Unmarshal([]byte(body), &read)
	q := &request{body: &dict{}, text: []byte(body), model: read.Model, speed: read.Speed, geo: read.Geo, output: 128_000}
	if read.Limit != nil {
		q.output = *read.Limit
	}
	return DefaultPrices().bid(q).worst()
}

func (a attack) request(t testing.TB, target string) *http.Request {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, target+a.query, strings.NewReader(a.body))
	if name, value, ok := strings.Cut(a.header, ": "); ok {
		r.Header.Set(name, value)
	}
	return r
}

func (a attack) make(t testing.TB, s *Session) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	s.gateway.ServeHTTP(deadlines{w}, a.request(t, "/s/"+s.Token()+"/v1/messages"))
	return w
}

// TestFormsThatAreRefused covers JSON that parsers disagree on or that no agent needs, and the message for each.
func TestFormsThatAreRefused(t *testing.T) {
	for body, want := range map[string]string{
		``:                                       "not plain JSON",
		`[]`:                                     "not an object",
		`{"model":"claude-haiku-5-5","max_to`:    "not plain JSON",
		`{"max_tokens":1}`:                       "model is missing",
		plainBody + `{}`:                         "not plain JSON",
		"\xef\xbb\xbf" + plainBody:               "not plain JSON",
		"\xff" + plainBody:                       "not plain JSON",
		says("\"\xc3\""):                         "not plain JSON",
		with(`"stream":01`):                      "not plain JSON",
		with(`"Model":"x"`):                      "Model is a key that is not let through; an operator can allow it with LONGSHIFT_GATEWAY_PASS=Model",
		with(`"a b":1`):                          `"a b" is a key that is not let through`,
		with(`"stream":1`):                       "stream is not true or false",
		with(`"temperature":1e-1`):               "temperature is not a plain number",
		with(`"temperature":-0`):                 "temperature is not a plain number",
		with(`"top_k":1.0`):                      "top_k is not a whole number",
		with(`"system":{"type":"text"}`):         "system is not a list",
		with(`"metadata":{"user":{}}`):           "LONGSHIFT_GATEWAY_PASS=metadata.user",
		with(`"tools":[{"type":["custom"]}]`):    "tools.0 has a type that is not text",
		with(`"speed":"Fast"`):                   "speed is none of standard, fast",
		costs(`"model":"x"`, `"100"`):            "max_tokens is not a whole number",
		costs(`"model":"x"`, `1e3`):              "max_tokens is not a whole number",
		costs(`"model":"x"`, `100.0`):            "max_tokens is not a whole number",
		costs(`"model":"x"`, `-1`):               "max_tokens is not a whole number",
		costs(`"model":"x"`, `9007199254740993`): "max_tokens is not a whole number",
		costs(`"model":"x"`, `0`):                "max_tokens is not a number above 0",
		costs(`"model":"x"`, `null`):             "max_tokens is not a number above 0",
		`{"model":"x","messages":[]}`:            "max_tokens is not a number above 0",
		costs(`"model":"http://x"`, `1`):         "model is not a model's name",
		costs(`"model":"x\u0000"`, `1`):          "model is not a model's name",
		says(`{"type":"tool_use","input":{"a":1,"\u0061":2}}`):     "the key a is in one object twice",
		says(strings.Repeat(`[`, 200) + strings.Repeat(`]`, 200)):  "nested more than",
		with(`"tools":[` + strings.Repeat(`1,`, maxValues) + `1]`): "values",
	} {
		_, s := newLoose(t, nil, nil)
		if w := (attack{body: body}).make(t, s); w.Code != 400 || !strings.Contains(message(t, w.Body.Bytes()), want) {
			t.Errorf("%.100s: %d %.200s, want %s", body, w.Code, w.Body, want)
		}
	}
	_, s := newLoose(t, nil, nil)
	for header, want := range map[string]string{
		"Anthropic-Version: 2023-01-01": "anthropic-version is not 2023-06-01", "Content-Encoding: identity": "content-encoding",
		"Content-Encoding: ": "content-encoding",
	} {
		if w := (attack{header: header, body: plainBody}).make(t, s); w.Code != 400 || !strings.Contains(message(t, w.Body.Bytes()), want) {
			t.Errorf("%s: %d %s", header, w.Code, w.Body)
		}
	}
	for _, query := range []string{"?beta=false", "?beta=true&beta=true", "?Beta=true", "?beta=true;x=1", "?%zz"} {
		if w := (attack{query: query, body: plainBody}).make(t, s); w.Code != 400 {
			t.Errorf("%s: %d", query, w.Code)
		}
	}
}

// message returns what an error of the API says.
func message(t testing.TB, body []byte) string {
	t.Helper()
	var e struct {
		Error struct{ Type, Message string }
	}
	if err := json.Unmarshal(body, &e); err != nil || e.Error.Type != typeInvalid {
		t.Errorf("%v in %s", err, body)
	}
	return e.Error.Message
}

// newLoose starts a gateway in front of a fully permissive API.
func newLoose(t testing.TB, granted, may []string) (*looseAPI, *Session) {
	api := &looseAPI{may: may}
	g := startGateway(t, "https://api.example", func(c *Config, _ *Gateway) { c.Tools, c.Client = granted, &http.Client{Transport: api} })
	api.betas = anthropic(nil).betas
	for _, tool := range grantable {
		if granted != nil {
			api.betas = append(api.betas, tool.beta)
		}
	}
	s := openSession(t, g, 1e6)
	api.reserved = func() nanos {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.account.reserved
	}
	return api, s
}

// TestManyAtOnceSpendNoMoreThanThereIs makes forty concurrent calls in every way that once made the API charge more than
// was reserved; some clients leave before the answer. The API produces all the output it is asked for.
func TestManyAtOnceSpendNoMoreThanThereIs(t *testing.T) {
	api := &greedyAPI{}
	u := newUpstream(t, api.answer)
	s := openSession(t, startGateway(t, u.URL, nil), 12)
	opus := strings.Replace(plainBody, "haiku", "opus", 1)
	bodies := []string{
		strings.Replace(opus, "100", "128000", 1),
		strings.Replace(opus, "100", "999999999", 1),
		strings.Replace(opus, `"messages"`, `"thinking":{"type":"enabled","budget_tokens":120000},"messages"`, 1),
	}
	for _, a := range attacks {
		bodies = append(bodies, a.body)
	}
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			for j := range 12 {
				if resp, err := ask(context.Background(), s, bodies[(i+7*j)%len(bodies)]); err == nil {
					_ = resp.Body.Close()
				}
				resp, err := ask(context.Background(), s, bodies[i%3])
				if err != nil {
					t.Error(err)
					continue
				}
				if i%2 == 0 {
					_, _ = io.Copy(io.Discard, resp.Body)
				}
				_ = resp.Body.Close()
			}
		})
	}
	wg.Wait()
	if spent := api.spent.usd(); spent > 12.01 || spent < 11.9 {
		t.Errorf("$%.4f of $12 are spent", spent)
	}
}

// greedyAPI produces as much output as a request asks for, in the most expensive reading.
type greedyAPI struct {
	mu    sync.Mutex
	spent nanos
}

func (a *greedyAPI) answer(w http.ResponseWriter, _ *http.Request, body []byte) {
	var most nanos
	var output int
	for _, put := range readings {
		q, _ := readLoosely(body, put).(map[string]any)
		if cost := (&look{}).cost(q, len(body)); cost > most {
			most, output = cost, int(loosely(q["max_tokens"], 128_000))
		}
	}
	a.mu.Lock()
	a.spent += most
	a.mu.Unlock()
	model, _ := readLoosely(body, readings["last key"]).(map[string]any)["model"].(string)
	answerStream(w, stream(model, object{"input_tokens": len(body)}, output))
}
