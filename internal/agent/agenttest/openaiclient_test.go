package agenttest

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// openaiClient speaks one of OpenAI's APIs, with a stream or without.
type openaiClient struct {
	path   string
	stream bool
}

// openaiClients are all ways to be asked.
var openaiClients = map[string]openaiClient{
	"responses":        {"/v1/responses", false},
	"responses stream": {"/v1/responses", true},
	"chat":             {"/v1/chat/completions", false},
	"chat stream":      {"/v1/chat/completions", true},
}

func (c openaiClient) responses() bool { return c.path == "/v1/responses" }

// heard is what an answer says, whichever API it is of.
type heard struct {
	text, stop string
	calls      []heardCall
	said       []any // for the next request
	usage      map[string]any
}

type heardCall struct{ id, name, input string }

// request asks with the conversation so far.
func (c openaiClient) request(history ...any) map[string]any {
	q := map[string]any{"model": "gpt-6", "stream": c.stream, "prompt_cache_key": "s1"}
	f := map[string]any{"name": "write", "parameters": map[string]any{"type": "object"}}
	if c.responses() {
		maps.Copy(f, map[string]any{"type": "function", "strict": false})
		q["max_output_tokens"], q["input"], q["instructions"], q["store"], q["tools"] = 900, history, "You are an agent.\nRole: implementer\n", false, []any{f}
		return q
	}
	q["max_completion_tokens"] = 900
	q["messages"] = append([]any{map[string]any{"role": "developer", "content": "You are an agent.\nRole: implementer\n"}}, history...)
	q["tools"] = []any{map[string]any{"type": "function", "function": f}}
	if c.stream {
		q["stream_options"] = map[string]any{"include_usage": true}
	}
	return q
}

// result is what a call has come back with.
func (c openaiClient) result(id, text string) map[string]any {
	if c.responses() {
		return map[string]any{"type": "function_call_output", "call_id": id, "output": text}
	}
	return map[string]any{"role": "tool", "tool_call_id": id, "content": text}
}

func (c openaiClient) post(t *testing.T, s *Server, q map[string]any, header map[string]string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+c.path, bytes.NewReader(encode(q)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer key")
	return sent(t, r, header)
}

func (c openaiClient) hear(t *testing.T, resp *http.Response) heard {
	t.Helper()
	if resp == nil {
		t.Fatal("no answer")
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("answer %d %s: %v", resp.StatusCode, body, err)
	}
	switch {
	case c.stream && c.responses():
		return responsesHeard(t, endOfStream(t, body))
	case c.stream:
		return chatHeard(t, chunks(t, body))
	case c.responses():
		asDescribed(t, "Response", body)
		return responsesHeard(t, decoded(t, body))
	}
	asDescribed(t, "ChatCompletion", body)
	return chatHeard(t, decoded(t, body))
}

func decoded(t *testing.T, body []byte) (v map[string]any) {
	t.Helper()
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return v
}

// datas are the data of server-sent events.
func datas(body []byte) (all [][]byte) {
	for line := range bytes.Lines(body) {
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			all = append(all, bytes.TrimSpace(data))
		}
	}
	return all
}

var answerSchemas sync.Map // of compiled roots

// asDescribed holds what the server answers against the description of the API.
func asDescribed(t *testing.T, root string, body []byte) {
	t.Helper()
	s, ok := answerSchemas.Load(root)
	if !ok {
		c, err := openDescription("openai.json", undescribed)
		if err != nil {
			t.Fatal(err)
		}
		if s, err = c.Compile("openai.json#/$defs/" + root); err != nil {
			t.Fatal(err)
		}
		answerSchemas.Store(root, s)
	}
	if err := fits(s.(*jsonschema.Schema), body); err != nil {
		t.Errorf("%s is no %s: %v", body, root, err)
	}
}

// refusal is the error of an answer.
func refusal(t *testing.T, resp *http.Response) (message, kind, code string) {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	e, _ := decoded(t, body)["error"].(map[string]any)
	asDescribed(t, "ErrorObject", encode(e))
	code, _ = e["code"].(string)
	return e["message"].(string), e["type"].(string), strings.TrimSpace(code)
}
