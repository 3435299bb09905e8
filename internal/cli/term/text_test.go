package term

import (
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/plaintext"
)

func TestDurations(t *testing.T) {
	for _, c := range []struct {
		d               time.Duration
		full, left, ago string
	}{
		{-time.Second, "0s", "0s", "0s"},
		{400 * time.Millisecond, "0s", "0s", "0s"},
		{83 * time.Second, "1m 23s", "1m 23s", "1m"},
		{3661 * time.Second, "1h 1m 1s", "1h 1m", "1h"},
		{2*time.Hour + 43*time.Minute + 40*time.Second, "2h 43m 40s", "2h 44m", "2h"},
		{72 * time.Hour, "72h", "72h", "3d"},
	} {
		if got := [3]string{Duration(c.d), Remaining(c.d), Age(c.d)}; got != [3]string{c.full, c.left, c.ago} {
			t.Errorf("%v: %q", c.d, got)
		}
	}
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		line    string
		columns int
		want    string
	}{
		{"short", 10, "short"},
		{"exactly10!", 10, "exactly10!"},
		{"longer than that", 10, "longer th…"},
		{"⚡ wide", 7, "⚡ wide"},
		{"⚡⚡⚡⚡", 6, "⚡⚡…"},
		{"漢字かな", 8, "漢字かな"},
		{"e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"},
		{"anything", 1, "…"},
	} {
		got := fit(c.line, c.columns)
		if got != c.want || Cells(got) > c.columns {
			t.Errorf("fit(%q, %d) = %q (%d columns)", c.line, c.columns, got, Cells(got))
		}
	}
}

func TestPlain(t *testing.T) {
	for _, c := range [][2]string{
		{"as it is\tand\nthat", "as it is\tand\nthat"},
		{"\x1b[31mred\x1b[0m\a\r\x00", "[31mred[0m"},
		{"abc\u202edef\u2066", "abcdef"},
		{"c1 \u009b31m", "c1 31m"},
		{"bad \xff utf8", "bad  utf8"},
	} {
		if got := Plain(c[0]); got != c[1] {
			t.Errorf("plain(%q) = %q", c[0], got)
		}
	}
}

func TestFirstLine(t *testing.T) {
	if got := FirstLine("\n\n  the  first \x1b line\nthe second"); got != "the first line" {
		t.Errorf("first line %q", got)
	}
}

func TestTable(t *testing.T) {
	got := Table([]string{"A", "LONG HEAD", "C"}, [][]string{{"漢字", "x", ""}, {"b", "", "end"}})
	want := "A     LONG HEAD  C\n漢字  x\nb                end\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("\x1b]8;;http://x\x07text\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		if i := strings.IndexFunc(Plain(s), plaintext.Steers); i >= 0 {
			t.Errorf("%q is left in %q", Plain(s)[i:], s)
		}
		if line := fit(OneLine(s), 40); Cells(line) > 40 || strings.ContainsAny(line, "\n\r\x1b") {
			t.Errorf("line %q", line)
		}
	})
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		line            string
		columns, indent int
		want            string
	}{
		{"one two three", 40, 4, "one two three"},
		{"one two three four five six", 24, 4, "one two three four five\n    six"},
		{"see https://example.com/a/very/long/address now", 24, 2, "see\n  https://example.com/a/very/long/address\n  now"},
		{"日本語 日本語 日本語 日本語", 22, 2, "日本語 日本語 日本語\n  日本語"},
		{"one two three four five six", 20, 4, "one two three four five six"}, // no room
	} {
		if got := wrap(c.line, c.columns, c.indent); got != c.want {
			t.Errorf("%q, %d: %q, want %q", c.line, c.columns, got, c.want)
		}
	}
}
