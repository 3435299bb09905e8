package redact_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/redact"
)

// Every promised form is found, named, and removed.
func TestForms(t *testing.T) {
	for _, v := range held() {
		r := redact.New(v)
		for name, form := range encoded(v) {
			for _, in := range []string{form, "before " + form + " after", "x = \"" + form + "\"\n", "\n" + strings.Repeat("pad ", 100) + form} {
				found := r.Find(in)
				if len(found) == 0 || !strings.HasPrefix(found[0].Rule, "held-value") || !found[0].Sure {
					t.Fatalf("%s of %q: found %+v in %q", name, v, found, in)
				}
				out := r.String(in)
				if survives(out, v) {
					t.Fatalf("%s of %q: %q survives in %q", name, v, form, out)
				}
				if again := r.String(out); again != out {
					t.Fatalf("%s: %q, then %q", name, out, again)
				}
			}
		}
	}
}

func TestRuleOfForms(t *testing.T) {
	v := held()[0]
	all := encoded(v)
	r := redact.New(v)
	for form, rule := range map[string]string{"plain": "held-value", "in code": "held-value", "hex": "held-value:hex", "HEX": "held-value:hex",
		"std base64 after 1, wrapped": "held-value:base64", "raw url base64 after 2": "held-value:base64", "reversed": "held-value:reversed",
		"bytes in decimal": "held-value:decimal", "upper": "held-value:case", "rot13": "held-value:rot13", "base32 after 3": "held-value:base32",
		"ascii85 after 2": "held-value:ascii85", "z85 after 1": "held-value:ascii85", "base64 of hex": "held-value:coded-twice",
		`pieces of 7 with " "`: "held-value:split"} {
		in := "one\ntwo " + all[form]
		found := r.Find(in)
		if len(found) != 1 || found[0].Rule != rule || found[0].Line != 1+strings.Count(in[:found[0].Offset], "\n") {
			t.Errorf("%s: %+v, want %s", form, found, rule)
		}
	}
}

// A long value that was encoded, broken into lines and encoded again is removed completely, not only at the ends of
// lines.
func TestLinesOfCodedTwice(t *testing.T) {
	v := random(11, 400, base62)
	form := base64.StdEncoding.EncodeToString([]byte(pieces(base64.StdEncoding.EncodeToString([]byte(v)), 76, "\n")))
	if out := strings.ReplaceAll(redact.New(v).String(form), redact.Mark, ""); len(out) > 40 {
		t.Errorf("of %d signs %d are left: %s", len(form), len(out), out)
	}
}

// Spellings that a model is most easily talked into.
func TestCommonCuts(t *testing.T) {
	v := "sk-ant-" + "abc"
	r := redact.New(v)
	for _, in := range []string{`"sk-ant-" + "abc"`, "sk-ant-\nabc", "s k - a n t - a b c", "sk-ant-\\\nabc", "'sk-' 'ant-' 'abc'", "s,k,-,a,n,t,-,a,b,c",
		"sk-\u200bant-\u200babc", "c2stYW50LWFiYw==", "x c2stYW50LWFiYwo= y", "736b2d616e742d616263", "sk-\x1b[1;31mant-\x1b[0mabc", "sk-\x1b[mant-abc\x1b", `\x73k-\x61nt-abc`, "%73%6b%2d%61%6e%74%2d%61%62%63"} {
		if len(r.Find(in)) == 0 || r.String(in) == in {
			t.Errorf("%q is not found", in)
		}
	}
}

// Ordinary text is unchanged, whatever values are known.
func TestNoFalseFinds(t *testing.T) {
	code := ordinary(t, 300<<10)
	r := redact.New(append(held(), "pass", "word", "main1", "p-a-s-s", "0000-0000", "package-main")...)
	code = strings.NewReplacer("pass", "PASS", "word", "WORD").Replace(code)
	if got := r.String(code); got != code {
		for i := range code {
			if code[i] != got[i] {
				t.Fatalf("changed at %q", got[max(0, i-80):i+80])
			}
		}
	}
	for _, in := range []string{"sk-ant-", "task-anthropic", "0x00, 0x01", "\\", "%", "%4", "&#", "&#x;", "\\u12", "\\x", "0x", "\\u{}",
		"\\u{zz}", "%25", "%2525"} {
		if got := r.String(in); got != in {
			t.Errorf("%q became %q", in, got)
		}
	}
}

// Half a key is found, wherever it was cut; the beginning that all keys of its kind share is not.
func TestParts(t *testing.T) {
	v := held()[0]
	r := redact.New(v, "the-quick-brown-fox-jumps-over-it", "eyJhbGciOiJIUzI1NiJ9."+"eyJpc3MiOiJ0ZW1wb3JhbC5pbyJ9."+random(8, 43, base62))
	for at := len("sk-ant-api03-"); at+21 <= len(v); at++ {
		in := "first = '" + v[at:at+21] + "'"
		found := r.Find(in)
		if len(found) != 1 || found[0].Rule != "held-value:part" || !found[0].Sure {
			t.Fatalf("%q: %+v", in, found)
		}
		if got := r.String(in); strings.Contains(got, v[at+2:at+19]) || r.String(got) != got {
			t.Errorf("%q became %q", in, got)
		}
	}
	if got := r.String("a := \"" + v[:40] + "\"\nb := \"" + strings.TrimLeft(v[40:], "-_") + "\"\n"); got != "a := \"[hidden]\"\nb := \"[hidden]\"\n" {
		t.Errorf("in two variables: %q", got)
	}
	for _, in := range []string{"sk-" + "ant-api03-...", "over the quick brown fox", "eyJhbGciOiJIUzI1NiJ9 and eyJpc3MiOiJ0ZW1wb3JhbC5pbyJ9"} {
		if got := r.String(in); got != in {
			t.Errorf("%q became %q", in, got)
		}
	}
}
