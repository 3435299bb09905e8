package excerpt

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCut(t *testing.T) {
	const s = "aäöü漢字, and so on"
	for n := range 30 {
		cut, clip, tail := Cut(s, n), Clip(s, n), Tail(s, n)
		if len(cut) > n || !strings.HasPrefix(s, cut) || len(cut) < min(n, len(s))-3 {
			t.Errorf("cut to %d: %q", n, cut)
		}
		if len(clip) > max(n, len(mark)) || clip != s && !strings.HasSuffix(clip, mark) {
			t.Errorf("clip to %d: %q", n, clip)
		}
		if len(tail) > n+len(mark+" ") || !strings.HasSuffix(s, strings.TrimPrefix(tail, mark+" ")) {
			t.Errorf("tail of %d: %q", n, tail)
		}
		if !utf8.ValidString(cut + clip + tail) {
			t.Errorf("%d bytes: half a character: %q %q %q", n, cut, clip, tail)
		}
	}
	for s, want := range map[string]string{strings.Repeat("\x80", 9): strings.Repeat("\x80", 8), "aaaaaaa€": "aaaaaaa"} {
		if got := Cut(s, 8); got != want {
			t.Errorf("cut(%q) = %q", s, got)
		}
	}
	if got := Clip("añejo", 5); got != "a…" {
		t.Errorf("clip %q", got)
	}
}

func TestLines(t *testing.T) {
	for got, want := range map[string]string{
		OneLine(" a\n\n b\tc "): "a b c", Line("a \n b c d", 6): "a b…", FirstLine("\n \nthe first \nthe second"): "the first", FirstLine(""): "",
		Count(0, "file"): "0 files", Count(1, "file"): "1 file", Count(2, "more line"): "2 more lines",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
