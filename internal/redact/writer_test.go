package redact_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/redact"
)

// through writes text in pieces of random sizes.
func through(t testing.TB, r *redact.Redactor, text string, rng *rand.Rand) string {
	t.Helper()
	var out bytes.Buffer
	w := redact.Writer(&out, r)
	for rest := text; rest != ""; {
		n := min(len(rest), 1+rng.IntN(1+rng.IntN(len(rest))))
		if m, err := io.WriteString(w, rest[:n]); m != n || err != nil {
			t.Fatal(m, err)
		}
		rest = rest[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A FileWriter writes what String returns, even for text longer than its buffer and values with line breaks.
func TestFileWriterIsString(t *testing.T) {
	r := redact.New(held()...)
	var text strings.Builder
	for text.Len() < 1<<20 {
		for _, v := range held() {
			text.WriteString(strings.Repeat("between the lines\n", 200))
			coded := base64.StdEncoding.EncodeToString([]byte("x=" + v + "\ny"))
			text.WriteString(coded[:len(coded)/2] + "\n" + coded[len(coded)/2:] + "\n" + v[:len(v)/2] + "\\\n" + v[len(v)/2:] + "\n")
		}
	}
	var out bytes.Buffer
	w := redact.FileWriter(&out, r)
	for rest := text.String(); rest != ""; {
		n := min(len(rest), 1000)
		if _, err := io.WriteString(w, rest[:n]); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
	}
	if err := w.Close(); err != nil || out.String() != r.String(text.String()) {
		t.Errorf("differs from String of the whole, %v", err)
	}
	for _, v := range held() {
		if survives(out.String(), v) {
			t.Error("a value survives")
		}
	}
}

// The way a text is split does not matter, if no secret spans lines.
func TestWriterIsString(t *testing.T) {
	r := redact.New(held()...).WithPath("/srv/data", "$DATA")
	rng := rand.New(rand.NewPCG(3, 3))
	var lines []string
	for _, v := range held() {
		for _, form := range encoded(v) {
			if !strings.Contains(form, "\n") && !strings.Contains(form, "\r") {
				lines = append(lines, "x "+form+" = /srv/data/x é")
			}
		}
	}
	for _, token := range tokens(1) {
		lines = append(lines, strings.Split(token.text+"\nbetween", "\n")...)
	}
	for range 30 {
		rng.Shuffle(40, func(i, j int) { lines[i], lines[j] = lines[j], lines[i] }) // lines of keys come later
		text := strings.Join(lines, "\n") + "\n"
		got := through(t, r, text, rng)
		if got != r.String(text) {
			t.Fatal("differs from String of the whole")
		}
		for _, v := range held() {
			if survives(got, v) {
				t.Fatal("a value survives")
			}
		}
	}
}

// A log must not lag: a complete line is passed on at once.
func TestWriterPassesLinesAtOnce(t *testing.T) {
	var out bytes.Buffer
	v := held()[0]
	w := redact.Writer(&out, redact.New(v))
	log := slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	log.Info("begin", "key", v)
	if got := out.String(); got != "level=INFO msg=begin key=[hidden]\n" {
		t.Errorf("got %q", got)
	}
	out.Reset()
	half := len(v) / 2
	fmt.Fprint(w, "one\ntwo "+v[:half])
	if got := out.String(); got != "one\n" {
		t.Errorf("got %q", got)
	}
	fmt.Fprint(w, v[half:]+" three")
	if err := w.Close(); err != nil || out.String() != "one\ntwo [hidden] three" {
		t.Errorf("got %q, %v", out.String(), err)
	}
	if err := w.Close(); err != nil || out.String() != "one\ntwo [hidden] three" {
		t.Errorf("a second Close wrote: %q, %v", out.String(), err)
	}
}

// A long line is passed on in pieces, and no secret is cut.
func TestWriterLongLine(t *testing.T) {
	r := redact.New(held()...)
	v := held()[1]
	var text strings.Builder
	for n := 0; text.Len() < 2<<20; n++ {
		fmt.Fprintf(&text, "é %d %s ", n, v)
	}
	got := through(t, r, text.String(), rand.New(rand.NewPCG(1, 1)))
	if want := strings.ReplaceAll(text.String(), v, redact.Mark); got != want {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
	var out bytes.Buffer
	w := redact.Writer(&out, r)
	for range 64 {
		fmt.Fprint(w, strings.Repeat("word ", 1<<13))
	}
	if out.Len() < 2<<20 {
		t.Errorf("%d bytes passed: all of a line is kept back", out.Len())
	}
	endless := "sk-" + "ant-" + strings.Repeat(random(1, 1<<10, base62), 1<<10)
	if got := through(t, r, endless, rand.New(rand.NewPCG(1, 1))); len(got) > len(endless) || !strings.HasPrefix(got, redact.Mark) {
		t.Errorf("%.40q", got)
	}
}

func TestWriterPrivateKey(t *testing.T) {
	begin, end, body := "-----BEGIN PRIVATE"+" KEY-----", "-----END PRIVATE"+" KEY-----", random(1, 600, base62+"+/")
	for _, text := range []string{
		"a\n" + begin + "\n" + pieces(body, 64, "\n") + "\n" + end + "\nb\n",
		"a\n" + begin + "\n" + pieces(body, 64, "\n") + "\n" + end + " and " + body[:10] + ".\nb c\n",
		"a\n" + begin + "\n" + pieces(body, 64, "\n") + "\nno end here\n",
		"looks for " + begin + "\nnot in here\n",
		"looks for \"" + begin + "\" in it\nlone\n",
	} {
		var out bytes.Buffer
		w := redact.Writer(&out, nil)
		for line := range strings.Lines(text) {
			fmt.Fprint(w, line)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		var none *redact.Redactor
		if want := none.String(text); out.String() != want || strings.Contains(want, body[64:128]) {
			t.Errorf("%q\nwant %q", out.String(), want)
		}
	}
}

type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

func TestWriterError(t *testing.T) {
	full := errors.New("disk full")
	w := redact.Writer(broken{full}, nil)
	if n, err := io.WriteString(w, "half"); n != 4 || err != nil {
		t.Errorf("kept back: %d, %v", n, err)
	}
	if n, err := io.WriteString(w, " line\n"); n != 0 || !errors.Is(err, full) {
		t.Errorf("passed on: %d, %v", n, err)
	}
}
