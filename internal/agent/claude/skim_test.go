package claude

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/confine/process"
)

// FuzzLine feeds lines to the reader. On whatever encoding/json takes for an object, the walk must see the same fields.
func FuzzLine(f *testing.F) {
	files, err := filepath.Glob("testdata/streams/*.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.SplitSeq(data, []byte{'\n'}) {
			f.Add(line)
		}
	}
	f.Add([]byte(`{"a\"b":"\\","c":{"d":[1,"}"]},"e":[],"f":{},"g":-1.5e3,"h":null}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		r := newReader(time.Now, func(e agent.Event) {
			if len(e.Text) > len(line)*3+16 || !utf8.ValidString(e.Text) && utf8.Valid(line) {
				t.Errorf("event text of %d bytes from a line of %d: %q", len(e.Text), len(line), e.Text)
			}
		})
		r.line(line)
		var want map[string]json.RawMessage
		if json.Unmarshal(line, &want) != nil || want == nil {
			return
		}
		got := map[string]json.RawMessage{}
		err := eachField(line, func(key, value []byte) {
			var k string
			if json.Unmarshal([]byte(`"`+string(key)+`"`), &k) != nil {
				t.Errorf("key %q", key)
			}
			got[k] = bytes.TrimSpace(value)
		})
		if err != nil || len(got) != len(want) {
			t.Fatalf("%d fields of %d: %v", len(got), len(want), err)
		}
		for k, v := range want {
			if !bytes.Equal(got[k], bytes.TrimSpace(v)) {
				t.Errorf("field %q is %s, wanted %s", k, got[k], v)
			}
			var s string
			if len(v) > 0 && v[0] == '"' && json.Unmarshal(v, &s) == nil {
				if text(v) != s {
					t.Errorf("text of %s is %q", v, text(v))
				}
				short := strings.TrimSuffix(shortText(v, 10), "…")
				if !strings.HasPrefix(s, strings.TrimRight(short, "\uFFFD")) {
					t.Errorf("short text of %s is %q", v, short)
				}
			}
		}
	})
}

// heavyStream is n lines of what a talkative session writes: mostly text, with escapes as code has them, and large results.
func heavyStream(n int) []byte {
	prose := strings.Repeat("The parser reads each line once and leaves out what nobody asked for. It \"quotes\"\n\tand indents.\n", 40)
	code := strings.Repeat("\tif err != nil {\n\t\treturn fmt.Errorf(\"read %s: %w\", path, err)\n\t}\n", 300)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	message := func(role string, content ...any) map[string]any {
		return map[string]any{"id": fmt.Sprint("msg_", b.Len()), "role": role, "model": "claude-opus-5-5", "content": content,
			"usage": map[string]any{"input_tokens": 100, "output_tokens": 1, "cache_read_input_tokens": 9000}}
	}
	for range n {
		e.Encode(map[string]any{"type": "assistant", "uuid": "u", "message": message("assistant", map[string]any{"type": "text", "text": prose})})
		e.Encode(map[string]any{"type": "assistant", "uuid": "u", "message": message("assistant",
			map[string]any{"type": "tool_use", "id": "toolu_1", "name": "Read", "input": map[string]any{"file_path": "/w/a.go"}})})
		e.Encode(map[string]any{"type": "user", "message": message("user", map[string]any{"type": "tool_result", "tool_use_id": "toolu_1", "content": code}),
			"tool_use_result": map[string]any{"type": "text", "file": map[string]any{"content": code}}})
	}
	return b.Bytes()
}

func BenchmarkStream(b *testing.B) {
	textOnly := func(n int) []byte {
		var out []byte
		for i, line := range bytes.SplitAfter(heavyStream(n), []byte{'\n'}) {
			if i%3 == 0 {
				out = append(out, line...)
			}
		}
		return out
	}
	for name, stream := range map[string][]byte{"mixed": heavyStream(200), "text": textOnly(1000)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(stream)))
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				r := newReader(time.Now, func(e agent.Event) { n += len(e.Text) })
				lines := process.NewLineScanner(bytes.NewReader(stream), lineMax)
				for lines.Scan() {
					r.line(lines.Bytes())
				}
				if n == 0 || r.broken != 0 {
					b.Fatalf("%d bytes of text, %d broken lines", n, r.broken)
				}
			}
		})
		b.Run(name+"/encoding-json", func(b *testing.B) { // for comparison: every line checked and decoded as a whole
			b.SetBytes(int64(len(stream)))
			for b.Loop() {
				lines := process.NewLineScanner(bytes.NewReader(stream), lineMax)
				for lines.Scan() {
					var v struct {
						Type    string `json:"type"`
						Message struct {
							Content []map[string]any `json:"content"`
						} `json:"message"`
					}
					if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
