package gateway

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// readings are the ways in which an API may decode ambiguous JSON.
var readings = map[string]func(map[string]any, string, any){
	"first key": func(m map[string]any, key string, v any) {
		if _, there := m[key]; !there {
			m[key] = v
		}
	},
	"last key": func(m map[string]any, key string, v any) { m[key] = v },
	"any case": func(m map[string]any, key string, v any) {
		m[strings.NewReplacer("ſ", "s", "K", "k").Replace(strings.ToLower(key))] = v
	},
}

// readLoosely decodes the first value of a text and ignores what follows.
func readLoosely(body []byte, put func(map[string]any, string, any)) any {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))))
	d.UseNumber()
	v, err := looseValue(d, put)
	if err != nil {
		return nil
	}
	return v
}

func looseValue(d *json.Decoder, put func(map[string]any, string, any)) (any, error) {
	token, err := d.Token()
	if err != nil || token != json.Delim('{') && token != json.Delim('[') {
		return token, err
	}
	members, items := map[string]any{}, []any{}
	for d.More() {
		var key any
		if token == json.Delim('{') {
			if key, err = d.Token(); err != nil {
				return nil, err
			}
		}
		v, err := looseValue(d, put)
		if err != nil {
			return nil, err
		}
		if key != nil {
			put(members, key.(string), v)
		}
		items = append(items, v)
	}
	_, err = d.Token()
	if token == json.Delim('{') {
		return members, err
	}
	return items, err
}

// testPrices is shared, so that the file is parsed once.
var testPrices = DefaultPrices()

// looseAPI is a fully permissive Messages API: it accepts every feature from anybody and uses the most harmful reading
// of each request. It carries nothing out, but records what it would have done.
type looseAPI struct {
	reserved func() nanos // for the current call
	may      []string     // hosts that it may contact, including their subdomains
	betas    []string     // betas that may be enabled

	mu    sync.Mutex
	calls int
	got   string // the last body
	harm  []string
}

func (a *looseAPI) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	harm := a.judge(r.Method, r.URL, r.Header, body, a.reserved())
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls++
	a.got = string(body)
	for _, h := range harm {
		a.harm = append(a.harm, h+" by "+string(body[:min(len(body), 600)]))
	}
	answer := `{"model":"claude-opus-5-5","usage":{"input_tokens":1,"output_tokens":1}}`
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(answer)),
		ContentLength: int64(len(answer)), Request: r}, nil
}

// judge returns the harm that a request would do.
func (a *looseAPI) judge(method string, u *url.URL, h http.Header, body []byte, reserved nanos) (harm []string) {
	for _, name := range []string{"X-Http-Method-Override", "X-Method-Override", "X-Http-Method", "X-Original-Url", "X-Rewrite-Url", "X-Forwarded-Host"} {
		if h.Get(name) != "" {
			harm = append(harm, "takes the request for another one: "+name)
		}
	}
	if u.Query().Get("_method") != "" || method != http.MethodPost && strings.HasPrefix(u.Path, "/v1/models/") {
		harm = append(harm, "takes the request for another one")
	}
	for beta := range strings.SplitSeq(strings.Join(h["Anthropic-Beta"], ","), ",") {
		if beta = strings.TrimSpace(beta); beta != "" && !slices.Contains(a.betas, beta) {
			harm = append(harm, "turns on "+beta)
		}
	}
	if z, err := gzip.NewReader(bytes.NewReader(body)); err == nil && h.Get("Content-Encoding") == "gzip" {
		body, _ = io.ReadAll(z)
	}
	for name, put := range readings {
		q, _ := readLoosely(body, put).(map[string]any)
		if q == nil {
			continue
		}
		var l look
		l.at(q, "")
		for _, host := range l.reached {
			if !slices.ContainsFunc(a.may, func(h string) bool { return host == h || strings.HasSuffix(host, "."+h) }) {
				harm = append(harm, fmt.Sprintf("contacts %s (%s)", host, name))
			}
		}
		if cost := l.cost(q, len(body)); strings.HasSuffix(u.Path, "/v1/messages") && cost > reserved {
			harm = append(harm, fmt.Sprintf("spends $%.4f of $%.4f (%s)", cost.usd(), reserved.usd(), name))
		}
	}
	return harm
}

// look collects what a trusting API finds in a request.
type look struct {
	reached  []string
	pictures int
	uses     int64
}

func (l *look) at(v any, key string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			l.at(item, key)
		}
	case map[string]any:
		l.object(v)
		for k, item := range v {
			switch {
			case k == "input" && v["type"] == "tool_use": // for the agent's own tools
			case k == "input_schema" || k == "schema":
				l.schema(item)
			case (k == "mcp_servers" || k == "container" || k == "fallbacks" || k == "server_url") && item != nil:
				l.reached = append(l.reached, k)
			default:
				l.at(item, k)
			}
		}
	}
}

// schema finds references in a schema.
func (l *look) schema(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			l.schema(item)
		}
	case map[string]any:
		for k, item := range v {
			at, _ := item.(string)
			if slices.Contains([]string{"$ref", "$dynamicref", "$recursiveref", "$schema"}, strings.ToLower(k)) && strings.Contains(at, "//") &&
				!strings.Contains(at, "//json-schema.org/") {
				l.reached = append(l.reached, at)
			}
			l.schema(item)
		}
	}
}

func (l *look) object(o map[string]any) {
	kind, _ := o["type"].(string)
	switch {
	case kind == "url" || kind == "file" || kind == "container_upload" || kind == "mcp_toolset":
		l.reached = append(l.reached, kind)
	case strings.HasPrefix(kind, "code_execution_") || strings.HasPrefix(kind, "computer_") || strings.HasPrefix(kind, "advisor_") || kind == "compact_20260112":
		l.reached = append(l.reached, kind)
	case strings.HasPrefix(kind, "web_"):
		hosts, _ := o["allowed_domains"].([]any)
		for _, host := range hosts {
			l.reached = append(l.reached, fmt.Sprint(host))
		}
		if len(hosts) == 0 {
			l.reached = append(l.reached, "any host")
		}
		l.uses += int64(loosely(o["max_uses"], 50))
	case kind == "image" || kind == "document":
		l.pictures++
	}
}

// cost is the most that the API might charge.
func (l *look) cost(q map[string]any, size int) nanos {
	model, _ := q["model"].(string)
	m, _ := testPrices.find(model)
	speed, _ := q["speed"].(string)
	geo, _ := q["inference_geo"].(string)
	r := m.in(int64(size), strings.ToLower(speed))
	output := min(loosely(q["max_tokens"], 128_000), 1e6)
	input := min(float64(size+1_600*l.pictures)+float64(l.uses)*10_000, 1e6) * float64(l.uses+1)
	cost := nanos(output)*r.output + nanos(input)*r.input + nanos(l.uses)*testPrices.search
	return testPrices.geo(cost, strings.ToLower(geo))
}

// loosely reads a number in any form.
func loosely(v any, absent float64) float64 {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64()
		return f
	case string:
		f, _ := strconv.ParseFloat(strings.TrimSpace(v), 64)
		return f
	}
	return absent
}
