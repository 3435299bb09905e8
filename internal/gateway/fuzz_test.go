package gateway

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// evil are members that would make the vendor reach out or charge more.
var evil = []string{
	`"mcp_servers":[{"type":"url","url":"https://evil.example","name":"x"}]`, `"container":"c1"`, `"fallbacks":[{"model":"claude-fable-5"}]`,
	`"source":{"type":"url","url":"https://evil.example"}`, `"source":{"type":"file","file_id":"f"}`, `"type":"url"`, `"type":"file"`,
	`"url":"https://evil.example"`, `"file_id":"f"`, `"type":"web_fetch_20250910"`, `"type":"web_search_20250305"`, `"type":"code_execution_20250825"`,
	`"type":"container_upload"`, `"tools":[{"type":"web_fetch_20250910","name":"web_fetch"}]`, `"type":"mcp_toolset"`, `"type":"compact_20260112"`,
	`"allowed_domains":["evil.example"]`, `"allowed_domains":[]`, `"allowed_domains":null`, `"blocked_domains":["docs.example"]`, `"max_uses":1000`,
	`"max_tokens":1000000`, `"max_tokens":1`, `"max_tokens":1e9`, `"max_tokens":"999999"`, `"max_tokens":null`, `"model":"claude-fable-5"`,
	`"model":"claude-haiku-5-5"`, `"speed":"fast"`, `"speed":"Fast"`, `"inference_geo":"us"`, `"inference_geo":"US"`, `"$ref":"https://evil.example"`,
	`"$dynamicRef":"//evil.example"`, `"server_url":"https://evil.example"`, `"tool":{"type":"tool_definition","definition":{"type":"web_fetch_20250910"}}`,
	`"content":[{"type":"image","source":{"type":"url","url":"https://evil.example"}}]`, `"input":{"type":"url"}`, `"cache_control":{"type":"ephemeral","ttl":"1h"}`,
	`"thinking":{"type":"enabled","budget_tokens":900000}`, `"input_schema":{"$ref":"https://evil.example"}`,
}

// evilHeaders are headers that might change what a call does.
var evilHeaders = []string{
	"Anthropic-Beta: mcp-client-2025-04-04", "Anthropic-Beta: effort-2025-11-24,files-api-2025-04-14", "anthropic-beta: web-fetch-2025-09-10",
	"X-HTTP-Method-Override: DELETE", "X-Method-Override: GET", "X-Original-Url: /v1/files", "X-Forwarded-Host: evil.example", "Content-Encoding: gzip",
	"Content-Type: application/json; charset=utf-16", "Transfer-Encoding: chunked", "Connection: X-Api-Key", "Anthropic-Version: 2023-01-01",
	"X-Claude-Code-Session-Id: x", "Authorization: Bearer x", "Cookie: a=b", "Anthropic-Workspace-Id: w",
}

// mangler mutates JSON. It works on the text, so that it can repeat keys and spell them in any way.
type mangler struct{ *rand.Rand }

func (m mangler) body(body string) string {
	for range 1 + m.IntN(2) {
		switch m.IntN(20) {
		case 0, 1, 2:
			body = m.insert(body, "{", func(member string) string { return member + "," })
		case 3, 4, 5:
			body = m.insert(body, ",", func(member string) string { return member + "," })
		case 6:
			body = m.insert(body, "}", func(member string) string { return "," + member })
		case 7, 8:
			body = m.respell(body)
		case 9:
			body = m.swap(body)
		case 10:
			body = m.wrap(body)
		case 11:
			body = m.bytes(body)
		default:
			body = m.mild(body)
		}
	}
	return body
}

// mild makes the changes an agent may legitimately make, inserts something evil, or changes what the call costs.
func (m mangler) mild(body string) string {
	bad := evil[m.IntN(len(evil))]
	quoted, _ := json.Marshal("{" + bad + "}")
	models := slices.Sorted(maps.Keys(testPrices.models))
	pair := [][2]string{
		{`"input":{`, `"input":{"x":{` + bad + `},`}, {`"properties":{`, `"properties":{"x":{` + bad + `},`}, {`"text":"`, `"text":` + string(quoted[:len(quoted)-1])},
		{`"hi"`, string(quoted)}, {`"max_tokens":1`, fmt.Sprintf(`"max_tokens":%d`, m.IntN(1e6))}, {`"model":"claude-haiku-5-5`, `"model":"` + models[m.IntN(len(models))]},
		{`,`, " ,\t\n"}, {`"messages"`, `"speed":"fast","inference_geo":"us","messages"`}, {`"type":"text"`, `"cache_control":{"type":"ephemeral","ttl":"1h"},"type":"text"`},
		{`"messages":[`, `"thinking":{"type":"enabled","budget_tokens":2000},"messages":[{"role":"user","content":"x"},`}, {`"e`, `"\u0065`},
		{`"allowed_domains":["`, `"allowed_domains":["evil.example","docs.example/../x","a.docs.example","`},
	}[m.IntN(12)]
	return strings.Replace(body, pair[0], pair[1], 1)
}

// places returns the positions of a character in a text.
func places(body, sign string) (all []int) {
	for i := 0; ; {
		n := strings.Index(body[i:], sign)
		if n < 0 {
			return all
		}
		all = append(all, i+n)
		i += n + len(sign)
	}
}

// insert adds something evil next to a random occurrence of a character: before a closing one, after any other.
func (m mangler) insert(body, sign string, form func(string) string) string {
	all := places(body, sign)
	if len(all) == 0 {
		return body
	}
	at := all[m.IntN(len(all))]
	if sign != "}" {
		at++
	}
	member := evil[m.IntN(len(evil))]
	if m.IntN(3) == 0 {
		member = m.respell(member)
	}
	return body[:at] + form(member) + body[at:]
}

// respell spells one key differently.
func (m mangler) respell(body string) string {
	all := places(body, `":`)
	if len(all) == 0 {
		return body
	}
	end := all[m.IntN(len(all))]
	start := strings.LastIndexByte(body[:end], '"') + 1
	key := body[start:end]
	if key == "" {
		return body
	}
	i := m.IntN(len(key))
	switch m.IntN(6) {
	case 0:
		key = strings.ToUpper(key)
	case 1:
		key = key[:i] + strings.ToUpper(key[i:i+1]) + key[i+1:]
	case 2:
		key = key[:i] + fmt.Sprintf(`\u%04x`, key[i]) + key[i+1:]
	case 3:
		key = strings.NewReplacer("s", "ſ", "k", "K").Replace(key)
	case 4:
		key += []string{" ", "\u200b", `\u0000`, "\ufeff"}[m.IntN(4)]
	case 5: // duplicated, one copy unchanged
		value, _, _ := strings.Cut(body[end+2:], ",")
		if json.Valid([]byte(value)) {
			return body[:start-1] + `"` + strings.ToUpper(key) + `":` + value + "," + body[start-1:]
		}
	}
	return body[:start] + key + body[end:]
}

// swap replaces a short value.
func (m mangler) swap(body string) string {
	all := places(body, `":`)
	if len(all) == 0 {
		return body
	}
	at := all[m.IntN(len(all))] + 2
	end := strings.IndexAny(body[at:], ",}")
	if end < 0 {
		return body
	}
	_, value, _ := strings.Cut(evil[m.IntN(len(evil))], ":")
	return body[:at] + []string{value, "null", "1e999", "-1", "1000000", "{}", "[]", `"\ud800"`, "true", "0.1e8", "00"}[m.IntN(11)] + body[at+end:]
}

func (m mangler) wrap(body string) string {
	other := "{" + evil[m.IntN(len(evil))] + "}"
	return []string{body + other, other + body, body + "\n", "\xef\xbb\xbf" + body, "[" + body + "]", body + "\x00",
		strings.Repeat("[", 150) + body, body + "}"}[m.IntN(8)]
}

// bytes changes, adds or removes a few bytes.
func (m mangler) bytes(body string) string {
	b := []byte(body)
	for range 1 + m.IntN(3) {
		at := m.IntN(len(b))
		switch m.IntN(3) {
		case 0:
			b[at] = byte(m.IntN(256))
		case 1:
			b = append(b[:at], b[min(at+1+m.IntN(8), len(b)):]...)
		case 2:
			b = append(b[:at], append([]byte{"{}[],:\"\\\x00\xff0"[m.IntN(11)]}, b[at:]...)...)
		}
		if len(b) == 0 {
			return ""
		}
	}
	return string(b)
}

// seeds are the requests of honest agents and of attackers.
func seeds(t testing.TB) (all []string) {
	for _, c := range recordedCalls(t) {
		body, err := decodeJSON(c.Body)
		if err != nil {
			t.Fatal(err)
		}
		tools := body.(*dict).get("tools").([]value)
		body.(*dict).set("tools", tools[:min(len(tools), 2)]) // the others are similar
		all = append(all, string(encodeJSON(body)))
	}
	for range 4 {
		for _, a := range attacks {
			all = append(all, a.body)
		}
		all = append(all, plainBody, plainBody, plainBody, with(`"tools":[{"type":"web_search_20250305","name":"web_search","allowed_domains":["docs.example"]}]`),
			with(`"tools":[{"type":"web_fetch_20250910","name":"web_fetch"}]`),
			says(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aaaa"}}`),
			says(`{"type":"tool_use","id":"a","name":"x","input":{"url":"u"}}`))
	}
	return all
}

// mangled is the number of mutated requests in every run.
const mangled = 10_000

// TestNoMangledRequestDoesHarm sends mutated requests, from a fixed seed, to a fully permissive API with three JSON
// readings: once without grants, and once with a search on one host.
func TestNoMangledRequestDoesHarm(t *testing.T) {
	all := seeds(t)
	for name, granted := range map[string][]string{"nothing granted": nil, "a host granted": {"web_search(docs.example)", "WebFetch(https://docs.example/*)"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := mangler{rand.New(rand.NewPCG(1, 2))}
			api, s := newLoose(t, granted, []string{"docs.example"})
			for range mangled / 2 {
				a := attack{body: m.body(all[m.IntN(len(all))])}
				if m.IntN(4) == 0 {
					a.header = evilHeaders[m.IntN(len(evilHeaders))]
				}
				if m.IntN(16) == 0 {
					a.query = []string{"?beta=true", "?_method=DELETE", "?beta=true&x=https://evil.example"}[m.IntN(3)]
				}
				if w := a.make(t, s); w.Code != http.StatusOK && w.Code != http.StatusBadRequest {
					t.Errorf("%d %s for %s", w.Code, w.Body, a.body)
				}
			}
			t.Logf("%d of %d were sent", api.calls, mangled/2)
			if len(api.harm) > 0 {
				t.Errorf("%d times harm, first: %s", len(api.harm), api.harm[0])
			}
			if api.calls < mangled/20 {
				t.Errorf("only %d calls were sent: what is tried is too far from what passes", api.calls)
			}
		})
	}
}

// FuzzRequest looks for a harmful request, judged as in TestNoMangledRequestDoesHarm.
func FuzzRequest(f *testing.F) {
	for _, body := range seeds(f) {
		f.Add(body, "")
	}
	for _, h := range evilHeaders {
		f.Add(plainBody, h)
	}
	api, s := newLoose(f, nil, nil)
	f.Fuzz(func(t *testing.T, body, header string) {
		api.harm = nil
		(attack{body: body, header: header}).make(t, s)
		if len(api.harm) > 0 {
			t.Error(api.harm[0])
		}
	})
}
