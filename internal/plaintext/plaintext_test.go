package plaintext

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

var cases = [][2]string{
	{"as it is\tand\nthat é 漢字 👩‍💻\n", "as it is\tand\nthat é 漢字 👩‍💻\n"},
	{"\x1b[31mred\x1b[0m and \x1b[1;38;2;1;2;3mmore\x1b[m", "red and more"},
	{"FAIL\rPASS\n", "FAIL\nPASS\n"},
	{"10%\r20%\r\n30%\r\r\nend\r", "10%\n20%\n30%\nend\n"},
	{"a\r\x1b[2Kb", "a\nb"},
	{"hidden\x1b[1A\x1b[2Kline\b\b\x00\a\x7f\v\f", "hiddenline"},
	{"\x1b]0;title\aa\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b\x1b]52;c;cm0gLXJm\ac", "alinkbc"},
	{"\x1b]never ends\nthe next line", "\nthe next line"},
	{"\x1bP1$r0m\x1b\\dcs \x1b_apc\x1b\\\x1bXsos\x1b\\\x1b^pm\x1b\\", "dcs "},
	{"\x1b(0lqk\x1b(B \x1bc\x1b7\x1b#8x\x1b%Gy", "lqk xy"},
	{"\u009b31mc1\u009d0;t\u009c \u0090q\u009cx\u0085y\u0080", "c1 xy"},
	{"\x1b[12\nnot lost\x1b", "\nnot lost"},
	{"\x1b\x1b[31mx\x1b[3\x1b[1my\x1bé\x1b[é", "xyéé"},
	{"bad \xff utf8 \xc3", "bad \ufffd utf8 \ufffd"},
	{"8 bit \x9b31mx", "8 bit \ufffd31mx"},
	{"abc\u202edef\u2066\u200f", "abcdef"},
	{"\x1b]é\u202e…\ax", "x"},
	{"", ""},
}

func TestOf(t *testing.T) {
	for _, c := range cases {
		if got := Of(c[0]); got != c[1] {
			t.Errorf("%q became %q, want %q", c[0], got, c[1])
		}
	}
}

type file struct {
	bytes.Buffer
	closed int
	err    error
}

func (f *file) Close() error { f.closed++; return f.err }

// A Writer writes what Of returns, however the text is split.
func TestWriterInPieces(t *testing.T) {
	for _, c := range cases {
		for size := 1; size <= len(c[0]); size++ {
			var f file
			w := Writer(&f)
			for rest := c[0]; rest != ""; {
				n := min(size, len(rest))
				if m, err := w.Write([]byte(rest[:n])); m != n || err != nil {
					t.Fatal(m, err)
				}
				rest = rest[n:]
			}
			if err := w.Close(); err != nil || f.closed != 1 || f.String() != c[1] {
				t.Errorf("%q in pieces of %d became %q, %v", c[0], size, f.String(), err)
			}
		}
	}
	full := errors.New("disk full")
	if err := Writer(&file{err: full}).Close(); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

func FuzzOf(f *testing.F) {
	for _, c := range cases {
		f.Add(c[0], 3)
	}
	f.Fuzz(func(t *testing.T, s string, cut int) {
		got := Of(s)
		if strings.IndexFunc(got, Steers) >= 0 || !utf8.ValidString(got) || Of(got) != got || strings.Count(got, "\n") < strings.Count(s, "\n")-strings.Count(s, "\r\n") {
			t.Errorf("%q became %q", s, got)
		}
		if cut < 0 || cut > len(s) {
			return
		}
		var c cleaner
		if pieces := string(c.end(c.take(c.take(nil, []byte(s[:cut])), []byte(s[cut:])))); pieces != got {
			t.Errorf("%q cut at %d became %q, want %q", s, cut, pieces, got)
		}
	})
}

func BenchmarkOf(b *testing.B) {
	line := "ok  \tgithub.com/acme/web/internal/\x1b[32mthing\x1b[0m\t0.123s\n"
	for name, text := range map[string]string{"plain": strings.Repeat("ok  \tgithub.com/acme/web/internal/thing\t0.123s\n", 1000), "coloured": strings.Repeat(line, 1000)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				_ = Of(text)
			}
		})
	}
}
