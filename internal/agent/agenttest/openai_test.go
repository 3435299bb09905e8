package agenttest

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/longshift/longshift/task"
)

// TestOpenAIConversation goes through three turns in each way.
func TestOpenAIConversation(t *testing.T) {
	for name, c := range openaiClients {
		t.Run(name, func(t *testing.T) {
			script := oneRule(
				Turn{Thinking: "hm", Text: "First.", Tools: []Tool{{Name: "write", Input: map[string]any{"path": "a"}}, {Name: "write"}},
					Usage: task.Usage{Input: 7, Output: 9, CacheRead: 11, CacheWrite: 13}},
				Turn{Tools: []Tool{{Name: "write", Input: map[string]any{"path": "b"}}}},
				Turn{Text: "Done.", Stop: "max_tokens"})
			script.Key, script.KeepBodies = "key", true
			s := NewServer(t, script)
			history := []any{user("go")}
			var saw []heard
			for range 3 {
				h := c.hear(t, c.post(t, s, c.request(history...), nil))
				saw, history = append(saw, h), append(history, h.said...)
				for _, call := range h.calls {
					history = append(history, c.result(call.id, "ok "+call.id))
				}
			}
			if got := fmt.Sprint(saw[0].text, saw[0].calls, saw[1].calls, saw[2].text); got !=
				`First.[{call_it_0_0_0 write {"path":"a"}} {call_it_0_1_0 write {}}] [{call_it_1_0_0 write {"path":"b"}}]Done.` {
				t.Errorf("it said %s", got)
			}
			stops := map[bool]string{true: "completed completed incomplete", false: "tool_calls tool_calls length"}
			if got := fmt.Sprint(saw[0].stop, " ", saw[1].stop, " ", saw[2].stop); got != stops[c.responses()] {
				t.Errorf("it stopped as %s", got)
			}
			in, out, details := "prompt_tokens", "completion_tokens", "prompt_tokens_details"
			if c.responses() {
				in, out, details = "input_tokens", "output_tokens", "input_tokens_details"
			}
			u := saw[0].usage
			if got := fmt.Sprint(u[in], u[out], u["total_tokens"], u[details]); got != "31 9 40 map[cache_write_tokens:13 cached_tokens:11]" {
				t.Errorf("usage %s", got)
			}
			if got := s.Usage(); got != (task.Usage{Input: 207, Output: 109, CacheRead: 11, CacheWrite: 13, Calls: 3}) {
				t.Errorf("usage of all: %+v", got)
			}
			last := s.Calls()[2]
			results, err := last.Results()
			if err != nil || len(results) != 3 || results[2] != (Result{Rule: "it", Turn: 1, Input: `{"path":"b"}`, Text: "ok call_it_1_0_0"}) {
				t.Errorf("results %+v: %v", results, err)
			}
			if last.Session != "s1" || last.Role != task.Implementer || last.Turn != 2 || last.Prompt != "go" || last.Stream != c.stream ||
				fmt.Sprint(last.Tools) != "[write]" || last.MaxTokens != 900 || last.Model != "gpt-6" || !last.Whole {
				t.Errorf("call: %+v", last)
			}
		})
	}
}

// TestRecordedBeforeTheEnd looks at what was recorded as soon as the last event is there, as clients do that wait for no more.
func TestRecordedBeforeTheEnd(t *testing.T) {
	ends := map[string]string{"responses stream": "event: response.completed", "chat stream": "data: [DONE]"}
	for name, end := range ends {
		c, s := openaiClients[name], NewServer(t, oneRule(Turn{Text: "fine"}))
		for n := 1; n <= 20; n++ {
			lines := bufio.NewScanner(c.post(t, s, c.request(user("go")), nil).Body)
			for lines.Scan() && lines.Text() != end {
			}
			if got := s.Usage().Calls; got != n {
				t.Fatalf("%s: %d calls are recorded after %d", name, got, n)
			}
		}
	}
}

func TestOpenAISession(t *testing.T) {
	for want, change := range map[string]struct {
		header map[string]string
		field  string
		value  any
	}{
		"a thread":    {map[string]string{"Thread-Id": "a thread", "Session-Id": "its session"}, "metadata", nil},
		"a session":   {map[string]string{"Session_id": "a session"}, "metadata", nil},
		"OpenCode's":  {map[string]string{"X-Session-Id": "OpenCode's"}, "metadata", nil},
		"of metadata": {nil, "metadata", map[string]any{"session_id": "of metadata"}},
		"a key":       {nil, "prompt_cache_key", "a key"},
	} {
		for name, c := range openaiClients {
			s := NewServer(t, oneRule(Turn{Text: "fine"}))
			q := c.request(user("go"))
			delete(q, "prompt_cache_key")
			q[change.field] = change.value
			c.hear(t, c.post(t, s, q, change.header))
			if got := s.Calls()[0].Session; got != want {
				t.Errorf("%s: the session is %q, wanted %q", name, got, want)
			}
		}
	}
}

// TestModels has a list for the clients of each API, and none for those without the key.
func TestModels(t *testing.T) {
	f := &failing{TB: t}
	s := NewServer(f, Script{Key: "key", Rules: oneRule(Turn{Text: "x"}).Rules})
	defer s.Close()
	for name, c := range map[string]struct {
		header map[string]string
		want   string
	}{
		"OpenAI":                {map[string]string{"Authorization": "Bearer key"}, `200 {"data":[],"object":"list"}`},
		"Anthropic":             {map[string]string{"X-Api-Key": "key", "Anthropic-Version": "2023-06-01"}, `200 {"data":[],"first_id":null`},
		"Anthropic, by a token": {map[string]string{"Authorization": "Bearer key", "Anthropic-Version": "2023-06-01"}, `200 {"data":[],"first_id":null`},
		"wrong key":             {map[string]string{"Authorization": "Bearer other"}, `401 {"error":{"code":"invalid_api_key"`},
		"no key":                {nil, `401 {"error":{"message":"scripted model: invalid API key","type":"authentication_error"}`},
		"no version":            {map[string]string{"X-Api-Key": "key"}, `400 {"error":{"message":"scripted model: anthropic-version`},
	} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/v1/models", nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range c.header {
			r.Header.Set(k, v)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if got := fmt.Sprintf("%d %s", resp.StatusCode, body); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
