package agenttest

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestOpenAIStatus(t *testing.T) {
	for want, f := range map[string]Fault{
		"401 invalid_request_error invalid_api_key no":                  {Status: 401, Body: "no"},
		"400 invalid_request_error context_length_exceeded too long":    {Status: 400, Code: "context_length_exceeded", Body: "too long"},
		"429 requests rate_limit_exceeded slow down":                    {Status: 429, Body: "slow down"},
		"429 insufficient_quota insufficient_quota no money":            {Status: 429, Type: "insufficient_quota", Code: "insufficient_quota", Body: "no money"},
		"429 usage_limit_reached  wait":                                 {Status: 429, Body: `{"error":{"type":"usage_limit_reached","message":"wait","code":null,"param":null}}`},
		"500 server_error  oops":                                        {Status: 500, Body: "oops"},
		"503 service_unavailable_error server_is_overloaded come again": {Status: 503, Body: "come again"},
		"502 server_error  bad gateway":                                 {Status: 502, Body: "bad gateway"},
	} {
		f.Times, f.Header = 1, map[string]string{"Retry-After": "3"}
		for name, c := range openaiClients {
			s := NewServer(t, oneRule(Turn{Text: "fine", Fault: &f}))
			resp := c.post(t, s, c.request(user("go")), nil)
			message, kind, code := refusal(t, resp)
			if got := fmt.Sprint(resp.StatusCode, " ", kind, " ", code, " ", message); got != want || resp.Header.Get("Retry-After") != "3" {
				t.Errorf("%s: answer %q, wanted %q; %v", name, got, want, resp.Header)
			}
			if h := c.hear(t, c.post(t, s, c.request(user("go")), nil)); h.text != "fine" || s.Calls()[1].Try != 2 || s.Usage().Calls != 1 {
				t.Errorf("%s: it said %q, calls %+v", name, h.text, s.Calls())
			}
		}
	}
}

// TestOpenAIFail ends a stream with an error; where there is none, the status says it.
func TestOpenAIFail(t *testing.T) {
	for name, c := range openaiClients {
		s := NewServer(t, oneRule(Turn{Text: "fine", Fault: &Fault{Fail: true, After: 2, Times: 1, Code: "rate_limit_exceeded", Body: "slow down"}}))
		resp := c.post(t, s, c.request(user("go")), nil)
		if !c.stream {
			if message, kind, code := refusal(t, resp); resp.StatusCode != 500 || message != "slow down" || kind != "server_error" || code != "rate_limit_exceeded" {
				t.Errorf("%s: answer %d %s %s %s", name, resp.StatusCode, kind, code, message)
			}
		} else {
			body, err := io.ReadAll(resp.Body)
			all := datas(body)
			if err != nil || len(all) != 3 {
				t.Fatalf("%s: it said %s: %v", name, body, err)
			}
			last := decoded(t, all[2])
			if c.responses() {
				asDescribed(t, "ResponseStreamEventUnion", all[2])
				if last["type"] != "response.failed" || last["sequence_number"] != 2.0 {
					t.Errorf("the last event is %v", last)
				}
				last = last["response"].(map[string]any)
			}
			if e := last["error"].(map[string]any); e["code"] != "rate_limit_exceeded" || e["message"] != "slow down" {
				t.Errorf("%s: the error is %v", name, e)
			}
		}
		if s.Calls()[0].Whole || s.Usage().Calls != 0 {
			t.Errorf("%s: an answer that failed counts as used", name)
		}
		if h := c.hear(t, c.post(t, s, c.request(user("go")), nil)); h.text != "fine" {
			t.Errorf("%s: then it said %q", name, h.text)
		}
	}
}

func TestOpenAIDrop(t *testing.T) {
	for name, c := range openaiClients {
		s := NewServer(t, oneRule(Turn{Text: "fine", Fault: &Fault{Drop: true, After: 2}}))
		resp := c.post(t, s, c.request(user("go")), nil)
		if !c.stream {
			if resp != nil {
				t.Errorf("%s: it answered", name)
			}
			continue
		}
		body, err := io.ReadAll(resp.Body)
		if len(datas(body)) != 2 || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %s, then %v", name, body, err)
		}
	}
}

func TestOpenAIHang(t *testing.T) {
	for name, c := range openaiClients {
		release := make(chan struct{})
		s := NewServer(t, oneRule(Turn{Text: "late", Before: func(*Call) { close(release) }, Fault: &Fault{Hang: true, After: 2, Release: release}}))
		if h := c.hear(t, c.post(t, s, c.request(user("go")), nil)); h.text != "late" {
			t.Errorf("%s: it said %q", name, h.text)
		}
	}
}
