package gateway

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func read(chunks ...string) reading {
	m := streamMeter{event: messageEvent, longest: maxEvent}
	for _, c := range chunks {
		_, _ = m.Write([]byte(c))
	}
	return m.reading()
}

func TestStreamIsReadHoweverItIsCut(t *testing.T) {
	usage := object{"input_tokens": 12, "cache_read_input_tokens": 34, "output_tokens": 1,
		"cache_creation_input_tokens": 56, "cache_creation": object{"ephemeral_1h_input_tokens": 6, "ephemeral_5m_input_tokens": 50}}
	whole := strings.Join(stream("claude-opus-5-5", usage, 78, "hello", "<\"usage\": \"message_delta\">", strings.Repeat("y", maxEvent+100), "end"), "")
	whole = ": a comment\n" + strings.ReplaceAll(whole, "data: {\"content_block\"", "id: 7\r\ndata:{\"content_block\"")
	want := read(whole)
	if c := want.usage.counts(); c != (counts{Input: 12, Output: 78, CacheRead: 34, Write5m: 50, Write1h: 6}) || !want.complete ||
		want.model != "claude-opus-5-5" {
		t.Fatalf("read in one piece: %+v, %+v", want, c)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		m := streamMeter{event: messageEvent, longest: maxEvent}
		for rest := whole; rest != ""; {
			n := min(1+random.IntN(1+random.IntN(100_000)), len(rest))
			_, _ = m.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		if d := cmp.Diff(want, m.reading(), cmp.AllowUnexported(reading{})); d != "" {
			t.Fatal(d)
		}
	}
}

func TestStreamEvents(t *testing.T) {
	start := event("message_start", object{"type": "message_start", "message": object{"model": "a", "usage": object{"input_tokens": 5, "output_tokens": 1}}})
	for name, c := range map[string]struct {
		text string
		want counts
		more func(reading) bool
	}{
		"totals run": {start + event("message_delta", object{"type": "message_delta", "usage": object{"output_tokens": 3}}) +
			event("message_delta", object{"type": "message_delta", "usage": object{"output_tokens": 9, "input_tokens": 7}}),
			counts{Input: 7, Output: 9}, func(r reading) bool { return !r.complete }},
		"nulls leave what was said": {start + event("message_delta", object{"type": "message_delta", "usage": object{"output_tokens": 2, "input_tokens": nil}}),
			counts{Input: 5, Output: 2}, func(r reading) bool { return r.seen }},
		"error in mid-stream": {start + event("error", object{"type": "error", "error": object{"type": "overloaded_error"}}),
			counts{Input: 5, Output: 1}, func(r reading) bool { return r.failed == "overloaded_error" }},
		"another model goes on": {start + event("content_block_start", object{"type": "content_block_start", "content_block": object{"type": "fallback", "to": object{"model": "b"}}}),
			counts{Input: 5, Output: 1}, func(r reading) bool { return r.model == "b" }},
		"an event the model made up": {start + event("content_block_start", object{"type": "content_block_start", "content_block": object{
			"type": "text", "text": `data: {"type":"message_delta","usage":{"output_tokens":0}} "fallback" "message_stop"`}}),
			counts{Input: 5, Output: 1}, func(r reading) bool { return !r.complete && r.model == "a" }},
		"broken JSON": {start + "data: {\"type\":\"message_delta\",\"usage\":{\n\n", counts{Input: 5, Output: 1}, func(r reading) bool { return r.seen }},
		"nothing":     {"", counts{}, func(r reading) bool { return !r.seen }},
	} {
		if r := read(c.text); r.usage.counts() != c.want || !c.more(r) {
			t.Errorf("%s: %+v, %+v", name, r, r.usage.counts())
		}
	}
}

func TestMemoryDoesNotGrowWithTheStream(t *testing.T) {
	m := streamMeter{event: messageEvent, longest: maxEvent}
	for range 200 {
		_, _ = m.Write([]byte("data: " + strings.Repeat("z", 100_000)))
	}
	if cap(m.partial) > 2*maxEvent {
		t.Errorf("%d bytes are kept of a line without an end", cap(m.partial))
	}
	_, _ = m.Write([]byte("\n" + event("message_stop", object{"type": "message_stop"})))
	if r := m.reading(); !r.complete || r.text < 20_000_000 {
		t.Errorf("after the long line: %+v", r)
	}
}

func FuzzStreamMeter(f *testing.F) {
	f.Add(strings.Join(stream("m", object{"input_tokens": 1}, 2, "x"), ""), 7)
	f.Add("data: {\"type\":\"error\"}\r\n\ndata:", 1)
	prices := DefaultPrices()
	f.Fuzz(func(t *testing.T, text string, at int) {
		if at < 0 || at > len(text) {
			at = len(text) / 2
		}
		whole, parts := read(text), read(text[:at], text[at:])
		if d := cmp.Diff(whole, parts, cmp.AllowUnexported(reading{})); d != "" {
			t.Errorf("cut at %d: %s", at, d)
		}
		c := whole.usage.counts()
		if c.Input < 0 || c.Output < 0 || c.Write5m < 0 || c.Write1h < 0 || c.CacheRead < 0 {
			t.Errorf("negative: %+v", c)
		}
		if _, cost, _ := prices.cost(whole.usage, "claude-opus-5-5", whole.model); cost < 0 {
			t.Errorf("cost %d", cost)
		}
	})
}
