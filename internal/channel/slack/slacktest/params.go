package slacktest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"
)

// params are the parameters of a call, from a form or JSON.
type params struct {
	t      testing.TB
	method string
	token  string
	body   []byte
	values map[string]string
}

// read reads a call completely. It fails if the caller has aborted.
func read(t testing.TB, r *http.Request) (params, error) {
	p := params{t: t, method: strings.TrimPrefix(r.URL.Path, "/api/"), values: map[string]string{},
		token: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")}
	var err error
	if p.body, err = io.ReadAll(r.Body); err != nil {
		return p, err
	}
	switch {
	case r.Method != http.MethodPost || strings.HasPrefix(r.URL.Path, "/commands/") ||
		strings.HasPrefix(r.URL.Path, "/upload/") || len(p.body) == 0:
	case strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		p.json()
	default:
		form, err := url.ParseQuery(string(p.body))
		if err != nil {
			p.t.Errorf("%s: form: %v", p.method, err)
		}
		for k, v := range form {
			p.values[k] = v[0]
		}
	}
	if p.token == "" {
		p.token = p.values["token"]
	}
	return p, nil
}

func (p params) json() {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(p.body, &raw); err != nil {
		p.t.Errorf("%s: body: %v", p.method, err)
	}
	for k, v := range raw {
		var text string
		if json.Unmarshal(v, &text) != nil {
			text = string(v)
		}
		p.values[k] = text
	}
}

func (p params) need(name string) string {
	if p.values[name] == "" {
		p.t.Errorf("%s: %s is required", p.method, name)
	}
	return p.values[name]
}

// on reports whether a switch is set.
func (p params) on(name string) bool { return p.values[name] == "true" || p.values[name] == "1" }

// content parses what posts and edits have in common.
func (p params) content() (text string, blocks []block, code string) {
	text = p.need("text")
	if chars(text) > 4000 {
		return "", nil, "msg_too_long"
	}
	if p.values["parse"] != "none" || p.on("link_names") {
		p.t.Errorf("%s: names and addresses would be parsed: parse=%q link_names=%q", p.method, p.values["parse"], p.values["link_names"])
	}
	if raw := p.values["blocks"]; raw != "" {
		if err := json.Unmarshal([]byte(raw), &blocks); err != nil {
			return "", nil, "invalid_blocks_format"
		}
	}
	return text, blocks, checkBlocks(p.t, blocks)
}

func (p params) metadata() (json.RawMessage, string) {
	raw := p.values["metadata"]
	if raw == "" {
		return nil, ""
	}
	var m struct {
		Type    string         `json:"event_type"`
		Payload map[string]any `json:"event_payload"`
	}
	if err := json.Unmarshal([]byte(raw), &m); err != nil || m.Type == "" || m.Payload == nil {
		return nil, "invalid_metadata_format"
	}
	return json.RawMessage(raw), ""
}

// chars counts as Slack's limits may: characters beyond the basic plane count twice.
func chars(s string) (n int) {
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}
