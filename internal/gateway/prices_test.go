package gateway

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestListPrices compares the price file with the dollars that Claude Code 2.1.328 reported for scripted usage.
func TestListPrices(t *testing.T) {
	p := DefaultPrices()
	if p.Source == "" || p.Date == "" {
		t.Error("the price file does not say where it is from")
	}
	for _, c := range []struct {
		model, usage string
		usd          float64
	}{
		{"claude-opus-5-5", `{"input_tokens":200,"output_tokens":100,"cache_read_input_tokens":600,"cache_creation_input_tokens":400}`, 0.00492},
		{"claude-opus-5-5", `{"input_tokens":30000,"output_tokens":30000}`, 0.72},
		{"claude-opus-5-5[1m]", `{"input_tokens":900000}`, 3.6},
		{"claude-sonnet-5-5", `{"input_tokens":100,"output_tokens":50,"cache_read_input_tokens":300,"cache_creation_input_tokens":200}`, 0.00123},
		{"claude-opus-4-8[1m]", `{"input_tokens":300,"output_tokens":150,"cache_read_input_tokens":900,"cache_creation_input_tokens":600}`, 0.00945},
		{"claude-haiku-5-5", `{"input_tokens":100000,"output_tokens":1000}`, 0.0105},
		{"claude-haiku-5-5", `{"input_tokens":100001,"output_tokens":1000}`, 0.0525005},
		{"claude-haiku-5-5", `{"input_tokens":1,"cache_read_input_tokens":50000,"cache_creation_input_tokens":50000,"output_tokens":1000}`, 0.0362505},
		{"claude-fable-5-2", `{"input_tokens":1000000,"output_tokens":0}`, 8},
		{"claude-opus-5-5", `{"cache_creation_input_tokens":1000,"cache_creation":{"ephemeral_1h_input_tokens":400,"ephemeral_5m_input_tokens":600}}`, 0.0062},
		{"claude-opus-5-5", `{"cache_creation_input_tokens":1000,"cache_creation":{"ephemeral_1h_input_tokens":400,"ephemeral_5m_input_tokens":0}}`, 0.0062},
		{"claude-opus-5-5", `{"cache_creation":{"ephemeral_1h_input_tokens":400,"ephemeral_5m_input_tokens":600}}`, 0.0062},
		{"claude-opus-5-5", `{"input_tokens":1000,"speed":"fast"}`, 0.008},
		{"claude-opus-5-5", `{"input_tokens":1000,"inference_geo":"us"}`, 0.0044},
		{"claude-opus-5-5", `{"input_tokens":1000,"server_tool_use":{"web_search_requests":3}}`, 0.034},
		{"claude-opus-5-5", `{"input_tokens":-5,"output_tokens":null}`, 0},
	} {
		var u apiUsage
		if err := json.Unmarshal([]byte(c.usage), &u); err != nil {
			t.Fatal(err)
		}
		_, cost, unknown := p.cost(u, c.model, c.model)
		if !near(cost.usd(), c.usd) || unknown != "" {
			t.Errorf("%s %s: $%.7f, want $%.7f; unknown %q", c.model, c.usage, cost.usd(), c.usd, unknown)
		}
	}
}

func TestIterationsArePricedByThemselves(t *testing.T) {
	for name, c := range map[string]struct {
		model, usage string
		input        int64
		usd          float64
	}{
		"short prompts that add up to a long one": {"claude-haiku-5-5",
			`{"input_tokens":160000,"iterations":[{"type":"message","input_tokens":80000},{"type":"message","input_tokens":80000}]}`, 160_000, 0.016},
		"iterations that don't add up": {"claude-haiku-5-5",
			`{"input_tokens":160000,"iterations":[{"type":"message","input_tokens":80000}]}`, 160_000, 0.08},
		"another model's advice on top": {"claude-sonnet-5-5",
			`{"input_tokens":1000,"iterations":[{"type":"message","input_tokens":1000},{"type":"advisor_message","model":"claude-fable-5-1","input_tokens":2000}]}`, 3000, 0.022},
		"compaction on top": {"claude-sonnet-5-5",
			`{"input_tokens":1000,"iterations":[{"type":"compaction","input_tokens":5000,"output_tokens":100},{"type":"message","input_tokens":1000}]}`, 6000, 0.013},
		"hour-long writes that no iteration names": {"claude-haiku-5-5",
			`{"cache_creation_input_tokens":1000,"cache_creation":{"ephemeral_1h_input_tokens":700},"iterations":[{"type":"message","cache_creation_input_tokens":500},{"type":"message","cache_creation_input_tokens":500}]}`, 0, 0.0001775},
		"a form we don't know": {"claude-sonnet-5-5", `{"input_tokens":1000,"iterations":{"count":3}}`, 1000, 0.002},
		"no iterations":        {"claude-sonnet-5-5", `{"input_tokens":1000,"iterations":null}`, 1000, 0.002},
	} {
		var u apiUsage
		if err := json.Unmarshal([]byte(c.usage), &u); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, cost, _ := DefaultPrices().cost(u, c.model, c.model)
		if !near(cost.usd(), c.usd) || got.Input != c.input {
			t.Errorf("%s: $%.7f for %+v, want $%.7f, %d tokens of input", name, cost.usd(), got, c.usd, c.input)
		}
	}
}

func TestFindModel(t *testing.T) {
	p := DefaultPrices()
	for name, want := range map[string]string{ // "" = unknown
		"claude-opus-5-5":              "claude-opus-5-5",
		"claude-opus-5-5-20260901":     "claude-opus-5-5",
		"claude-opus-5-5[1m]":          "claude-opus-5-5",
		"claude-opus-5":                "claude-opus-5",
		"claude-opus-5-20260724":       "claude-opus-5",
		"Claude-Opus-5-latest":         "claude-opus-5",
		"claude-opus-4-20250514":       "claude-opus-4",
		"claude-opus-4-1-20250805":     "claude-opus-4-1",
		"claude-haiku-4-5-20251001":    "claude-haiku-4-5",
		"claude-3-5-haiku-20241022":    "claude-3-5-haiku",
		"claude-sonnet-4-5@20250929":   "claude-sonnet-4-5",
		"claude-opus-5-9":              "",
		"claude-opus-5-9-20270101":     "",
		"claude-opus-50":               "",
		"claude-opus-4-12":             "",
		"claude-zeus-1":                "",
		"gpt-6":                        "",
		"":                             "",
		"claude-haiku-5-5-preview[1m]": "claude-haiku-5-5",
	} {
		m, known := p.find(name)
		if known != (want != "") {
			t.Errorf("%q: known %t", name, known)
		}
		if want == "" {
			want = p.dear
		}
		if d := cmp.Diff(p.models[want], m, cmp.AllowUnexported(model{}, rate{})); d != "" {
			t.Errorf("%q is not priced as %s: %s", name, want, d)
		}
	}
	if m := p.models[p.dear]; m.output.usd()*1e6 != 75 {
		t.Errorf("the dearest is %s", p.dear)
	}
}

func TestUnknownModelIsDearAndFlagged(t *testing.T) {
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		answerStream(w, stream("claude-next-7", object{"input_tokens": 1000}, 1000))
	})
	s := openSession(t, startGateway(t, u.URL, nil), 0)
	mustAsk(t, s, question("claude-next-7", 1000))
	mustAsk(t, s, question("opus-alias", 1000))
	mustAsk(t, s, question("claude-opus-5-5", 1000)) // the answer names an unknown model, the request a known one
	if got := s.Usage().CostUSD; !near(got, 2*(0.015+0.075)+0.004+0.02) {
		t.Errorf("cost $%f", got)
	}
	s.Close()
	text, _ := os.ReadFile(s.account.ledger.file.Name())
	if strings.Count(string(text), `"flags":["unknown_model"]`) != 2 {
		t.Errorf("ledger:\n%s", text)
	}
}

func TestParsePrices(t *testing.T) {
	const good = `{"source":"us","date":"2026-01-01","models":{"own-":{"input":1,"output":2,"cacheWrite5m":3,"cacheWrite1h":4,"cacheRead":0.005}}}`
	p, err := ParsePrices([]byte(good))
	if err != nil {
		t.Fatal(err)
	}
	if m, known := p.find("own-model-3"); !known || m.rate != (rate{1000, 2000, 3000, 4000, 5}) {
		t.Errorf("%+v, %t", m, known)
	}
	for change, want := range map[string]string{
		`"input":1,|`:                                              "model own-: input is missing",
		`"cacheRead":0.005|"cacheRead":0.0005`:                     "cacheRead is 0.0005",
		`"output":2|"output":-2`:                                   "output is -2",
		`"output":2|"outputs":2`:                                   "unknown field",
		`"models":{|"models":{},"x":{`:                             "unknown field",
		`"cacheRead":0.005|"cacheRead":1,"fast":{}`:                "fast: input is missing",
		`"cacheRead":0.005|"cacheRead":1,"longPrompt":{"above":0}`: "longPrompt: above is 0",
		good + `|{}`:                                               "no models",
		good + `|` + good + `{}`:                                   "more than one",
	} {
		from, to, _ := strings.Cut(change, "|")
		if _, err := ParsePrices([]byte(strings.Replace(good, from, to, 1))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", change, err)
		}
	}
}

// TestImagesAreNotText reserves for an image what it may cost, however many bytes it has.
func TestImagesAreNotText(t *testing.T) {
	ask := func(data, text string) nanos {
		block := `[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + data + `"}},{"type":"text","text":"` + text + `"}]`
		q, err := anthropic(nil).read(messages, []byte(strings.Replace(question("claude-opus-5-5", 100), `"hi"`, block, 1)), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		q.shorten(100)
		return DefaultPrices().bid(q).worst()
	}
	long := strings.Repeat("A", 1<<20)
	if small, large := ask("AAAA", "x"), ask(long, "x"); small != large {
		t.Errorf("reserved %d for a small image, %d for a large one", small, large)
	}
	if image, text := ask(long, "x"), ask("AAAA", long); text < 10*image {
		t.Errorf("reserved %d for an image, %d for as much text", image, text)
	}
}

// TestWorstCaseIsTheWorst checks that the API can't charge more for a request than was reserved.
func TestWorstCaseIsTheWorst(t *testing.T) {
	p := DefaultPrices()
	for name := range p.models {
		for _, body := range []string{
			question(name, 5000),
			strings.Replace(question(name, 5000), `{`, `{"speed":"fast","inference_geo":"us",`, 1),
			strings.Replace(question(name, 5000), `"hi"`, `[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]`, 1),
			strings.Replace(question(name, 5000), `"hi"`, `[{"type":"text","text":"hi","cache_control":{"type":"ephemeral","ttl":"1h"}}]`, 1),
		} {
			a, err := anthropic(nil).read(messages, []byte(body), nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			a.shorten(5000)
			b := p.bid(a)
			n, out := int64(len(body)), int64(5000)
			u := apiUsage{Input: &n, Output: &out, Speed: a.speed, Geo: a.geo}
			if strings.Contains(body, "cache_control") {
				u.Input, u.CacheCreation = nil, &n
				if strings.Contains(body, "1h") {
					u.Tiers = &cacheTiers{Write1h: n}
				}
			}
			if _, cost, _ := p.cost(u, name, name); cost > b.worst() || b.guess <= 0 || b.guess > b.worst() {
				t.Errorf("%s: cost %d, worst %d, guess %d", body, cost, b.worst(), b.guess)
			}
		}
	}
}
