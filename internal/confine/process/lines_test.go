package process

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLineScanner(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for name, c := range map[string]struct {
		in      string
		max     int
		want    []string
		skipped int64
		partial bool
	}{
		"empty":               {"", 10, nil, 0, false},
		"lines":               {"a\nbb\n\nccc\n", 10, []string{"a", "bb", "", "ccc"}, 0, false},
		"carriage returns":    {"a\r\nb\n", 10, []string{"a\r", "b"}, 0, false},
		"last without end":    {"a\nb", 10, []string{"a", "b"}, 0, true},
		"exactly the cap":     {"0123456789\n", 10, []string{"0123456789"}, 0, false},
		"one over":            {"01234567890\nb\n", 10, []string{"b"}, 1, false},
		"all over":            {"01234567890\n01234567890", 10, nil, 2, false},
		"over the buffer":     {long + "\nb\n" + long, 300_000, []string{long, "b", long}, 0, true},
		"far over the cap":    {"a\n" + long + "\nb\n" + long, 10, []string{"a", "b"}, 2, false},
		"long, then the same": {long + "\n" + long + "\n", 200_000, []string{long, long}, 0, false},
	} {
		for kind, r := range map[string]io.Reader{"at once": strings.NewReader(c.in), "in bits": iotest.HalfReader(strings.NewReader(c.in))} {
			s, partial := NewLineScanner(r, c.max), false
			var got []string
			for s.Scan() {
				got = append(got, string(s.Bytes()))
				partial = !s.complete
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") || len(got) != len(c.want) {
				t.Errorf("%s, %s: %d lines, want %d", name, kind, len(got), len(c.want))
			}
			if s.Skipped() != c.skipped || s.Err() != nil || partial != c.partial {
				t.Errorf("%s, %s: skipped %d, %v, partial %v", name, kind, s.Skipped(), s.Err(), partial)
			}
			if cap(s.long) > 2*c.max+64<<10 {
				t.Errorf("%s, %s: holds %d bytes", name, kind, cap(s.long))
			}
		}
	}
}

func TestLineScannerError(t *testing.T) {
	broken := errors.New("broken")
	s := NewLineScanner(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), 10)
	n := 0
	for s.Scan() {
		n++
	}
	if n != 2 || !errors.Is(s.Err(), broken) {
		t.Errorf("%d lines, %v", n, s.Err())
	}
}

func BenchmarkLineScanner(b *testing.B) {
	in := bytes.Repeat([]byte(strings.Repeat("x", 300)+"\n"+strings.Repeat("y", 5000)+"\n"), 2000)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		for s := NewLineScanner(bytes.NewReader(in), 1<<20); s.Scan(); {
		}
	}
}
