package redact_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/redact"
)

// ordinary is about size bytes of source code, the most common input.
func ordinary(t testing.TB, size int) string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no source here: %v", err)
	}
	var b strings.Builder
	for b.Len() < size {
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(text)
		}
	}
	return b.String()[:size]
}

// BenchmarkString compares the search for all forms of three values with replacing the literal values only.
func BenchmarkString(b *testing.B) {
	text, values := ordinary(b, 1<<20), held()
	r := redact.New(values...).WithPath("/srv/data/longshift", "$LONGSHIFT_DATA")
	b.SetBytes(int64(len(text)))
	var ours, plain time.Duration
	for b.Loop() {
		start := time.Now()
		if r.String(text) != text {
			b.Fatal("ordinary code was changed")
		}
		middle := time.Now()
		for _, v := range values {
			if strings.ReplaceAll(text, v, redact.Mark) != text {
				b.Fatal("ordinary code was changed")
			}
		}
		ours, plain = ours+middle.Sub(start), plain+time.Since(middle)
	}
	b.ReportMetric(float64(len(text))*float64(b.N)/1e6/ours.Seconds(), "String-MB/s")
	b.ReportMetric(float64(ours)/float64(plain), "times-ReplaceAll")
}

// BenchmarkStringManyValues uses the maximum number of values.
func BenchmarkStringManyValues(b *testing.B) {
	text, r := ordinary(b, 1<<20), redact.New()
	for n := range 64 {
		r.Add(random(uint64(n), 40, base62))
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if r.String(text) != text {
			b.Fatal("ordinary code was changed")
		}
	}
}

func BenchmarkLine(b *testing.B) {
	r := redact.New(held()...)
	line := `time=2026-01-02T03:04:05Z level=INFO msg="session ended" task=fix-1 took=3m2s cost=0.25` + "\n"
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if r.String(line) != line {
			b.Fatal("an ordinary line was changed")
		}
	}
}

func BenchmarkAddKnown(b *testing.B) {
	r, v := redact.New(held()...), held()[0]
	for b.Loop() {
		r.Add(v)
	}
}
