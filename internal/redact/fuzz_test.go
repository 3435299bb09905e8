package redact_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/redact"
)

// FuzzString plants a value in one of its forms between arbitrary texts. String must not panic, must remove the value,
// and must be idempotent; UTF-8 and JSON must stay valid.
func FuzzString(f *testing.F) {
	for i, s := range []string{"", "key: ", "\\", "\\\\u00", "%", "%25", "&#", "0x", "-----BEGIN PRIVATE" + " KEY-----\n", "://a:",
		"Authorization: Bearer ", "[hidden]", "\"", "\xc3", "eyJ", "\n\n", "sk-" + "ant-"} {
		f.Add(s, s, uint16(i*7), uint64(i))
		f.Add("x"+s, "é", uint16(i*13), uint64(i))
	}
	r := redact.New(held()...).WithPath("/srv/data", "$DATA")
	type planted struct{ value, form string }
	var all []planted
	for _, v := range held() {
		forms := encoded(v)
		for _, name := range slices.Sorted(maps.Keys(forms)) {
			all = append(all, planted{v, forms[name]})
		}
	}
	f.Fuzz(func(t *testing.T, before, after string, which uint16, seed uint64) {
		p := all[int(which)%len(all)]
		for _, in := range []string{before + after, before + " " + p.form + "\n" + after, quoted(before + " " + p.form + " " + after)} {
			out := r.String(in)
			if again := r.String(out); again != out {
				t.Errorf("%q became %q, then %q", in, out, again)
			}
			if utf8.ValidString(in) && !utf8.ValidString(out) {
				t.Errorf("%q became %q", in, out)
			}
			if json.Valid([]byte(in)) && strings.HasPrefix(in, `"`) && !json.Valid([]byte(out)) {
				t.Errorf("%q became %q", in, out)
			}
			if strings.Count(in, "\n") != strings.Count(out, "\n") {
				t.Errorf("%q became %q", in, out)
			}
			if in != before+after && survives(out, p.value) && !survives(before+after, p.value) {
				t.Errorf("%q became %q", in, out)
			}
			found := r.Find(in)
			for i, f := range found {
				if f.Offset < 0 || f.Length <= 0 || f.Offset+f.Length > len(in) || f.Line != 1+strings.Count(in[:f.Offset], "\n") || i > 0 &&
					f.Offset < found[i-1].Offset+found[i-1].Length {
					t.Errorf("%q: %+v", in, found)
				}
			}
			if got := through(t, r, in, rand.New(rand.NewPCG(seed, 1))); !strings.Contains(in, "\n") && got != out {
				t.Errorf("%q in pieces became %q, whole %q", in, got, out)
			}
		}
	})
}
