package gateway

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkCall compares a small streamed answer through the gateway with one straight from the API, for requests of the
// size that an agent sends: one at a time, over kept connections.
func BenchmarkCall(b *testing.B) {
	answer := stream("claude-opus-5-5", object{"input_tokens": 100}, 10, "hello")
	for _, size := range []int{1 << 10, 50 << 10, 1 << 20} {
		body := strings.Replace(question("claude-opus-5-5", 100), "hi", strings.Repeat("x", size), 1)
		compare(b, fmt.Sprintf("request=%dKiB", size>>10), body, func(w http.ResponseWriter) { answerStream(w, answer) })
	}
}

// BenchmarkStream compares a long answer of small events, 16 MiB in all, as fast as they come.
func BenchmarkStream(b *testing.B) {
	part := strings.Join(stream("m", nil, 0, strings.Repeat("some words ", 10))[3:4], "")
	piece := []byte(strings.Repeat(part, 4096/len(part)+1))
	end := stream("claude-opus-5-5", object{"input_tokens": 100}, 10)
	compare(b, "answer=16MiB", question("claude-opus-5-5", 100), func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, end[0])
		for sent := 0; sent < 16<<20; sent += len(piece) {
			_, _ = w.Write(piece)
		}
		_, _ = io.WriteString(w, strings.Join(end[3:], ""))
	})
}

func compare(b *testing.B, name, body string, answer func(http.ResponseWriter)) {
	u := newUpstream(b, func(w http.ResponseWriter, _ *http.Request, _ []byte) { answer(w) })
	s := openSession(b, startGateway(b, u.URL, nil), 1e6)
	for _, c := range []struct{ way, url string }{{"direct", u.URL}, {"gateway", s.BaseURL()}} {
		b.Run(name+"/"+c.way, func(b *testing.B) {
			var size int64
			for b.Loop() {
				req, err := http.NewRequest(http.MethodPost, c.url+"/v1/messages", strings.NewReader(body))
				if err != nil {
					b.Fatal(err)
				}
				req.Header.Set("Accept-Encoding", "identity")
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					b.Fatal(err)
				}
				size, err = io.Copy(io.Discard, resp.Body)
				if err != nil || resp.StatusCode != 200 {
					b.Fatal(resp.StatusCode, err)
				}
				_ = resp.Body.Close()
			}
			b.SetBytes(size)
		})
	}
}

// BenchmarkMeter reads a stream without any network.
func BenchmarkMeter(b *testing.B) {
	text := []byte(strings.Join(stream("m", object{"input_tokens": 1}, 1, slices.Repeat([]string{"some words "}, 20_000)...), ""))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		m := streamMeter{event: messageEvent, longest: maxEvent}
		for chunk := range slices.Chunk(text, 32<<10) {
			_, _ = m.Write(chunk)
		}
		if !m.ended() {
			b.Fatal("the end was not seen")
		}
	}
}

// BenchmarkRead compares checking and encoding a body of 5 MB with decoding it alone.
func BenchmarkRead(b *testing.B) {
	message := `{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Read","input":{"file_path":"/w/a.go"}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":` + strconv.Quote(strings.Repeat("func main() { println(\"<é>\") }\n", 60)) + `}]},`
	body := []byte(strings.Replace(plainBody, `"messages":[`, `"messages":[`+strings.Repeat(message, 5<<20/len(message)), 1))
	v := anthropic(nil)
	for _, c := range []struct {
		way string
		do  func() error
	}{
		{"decode", func() error { var q any; return json.Unmarshal(body, &q) }},
		{"gateway", func() error { _, err := v.read(messages, body, nil, nil); return err }},
	} {
		b.Run("body=5MB/"+c.way, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				if err := c.do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
