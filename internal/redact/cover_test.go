package redact

import (
	"bytes"
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"
)

// However a text is split, the value is covered, everything else passes, and no byte is lost or delayed.
func TestPiecesCoverTheValue(t *testing.T) {
	const value = "sk-ant-abc/0123456789+xyz"
	packed := base64.StdEncoding.EncodeToString([]byte("{" + value + "}"))
	text := "sk-ant- sk-ant-abc " + value + value + "\n" + packed + "\ns sk-ant-abc/01234567"
	whole := []byte(text)
	cover := NewCover(value)
	if !cover.In(whole) || len(whole) != len(text) || bytes.Contains(whole, []byte(value)) || bytes.Contains(whole, []byte(packed[4:30])) {
		t.Fatalf("%s", whole)
	}
	if want := "sk-ant- sk-ant-abc " + strings.Repeat("*", 2*len(value)) + "\n"; !strings.HasPrefix(string(whole), want) ||
		!strings.HasSuffix(string(whole), "\ns sk-ant-abc/01234567") {
		t.Errorf("%s", whole)
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		p, out := Pieces{Cover: cover}, ""
		for rest := text; rest != ""; {
			n := min(1+random.IntN(40), len(rest))
			out += string(p.Pass([]byte(rest[:n]), n == len(rest)))
			if rest = rest[n:]; strings.HasSuffix(text[:len(text)-len(rest)], "\n") && len(out) != len(text)-len(rest) {
				t.Fatalf("after a line end %q is held back", text[len(out):len(text)-len(rest)])
			}
		}
		if out != string(whole) {
			t.Fatalf("%s\nin place of\n%s", out, whole)
		}
	}
}

func TestCoverOfNothing(t *testing.T) {
	for _, value := range []string{"", "short"} {
		p := Pieces{Cover: NewCover(value)}
		if out := p.Pass([]byte("a short text"), false); string(out) != "a short text" || NewCover(value).Within("X-Short") {
			t.Errorf("%q: %s", value, out)
		}
	}
	if !NewCover("Sk-Secret-1").Within("X-Sk-Secret-1") || !NewCover("sk-secret-1").Within("X-Sk-Secret-1") {
		t.Error("a name with the value in it was not seen")
	}
}
