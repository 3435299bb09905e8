package redact_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/redact"
)

func TestString(t *testing.T) {
	r := redact.New("sk-secret-1", "sk-secret-1-longer", "abc", "pin99", "x.y-z", "test-token", "hidden", " spaced-value ", "")
	for in, want := range map[string]string{
		"key sk-secret-1 end":                     "key [hidden] end",
		"key sk-secret-1-longer end":              "key [hidden] end",
		"abc stays, it is too short":              "abc stays, it is too short",
		"pin99 is a word, pin990 and mypin99 not": "[hidden] is a word, pin990 and mypin99 not",
		"'x.y-z'":   "'[hidden]'",
		"p i n 9 9": "p i n 9 9",
		"a test token, test.token and test_token()": "a test token, test.token and test_token()",
		"this-is-a-test-token-too":                  "this-is-a-[hidden]-too",
		"\"test-\" + \"token\"":                     "\"[hidden]\"\"\"",
		"t e s t - t o k e n":                       "[hidden]",
		"hidden stays, or the mark would not":       "hidden stays, or the mark would not",
		"(spaced-value)":                            "([hidden])",
		"clone https://bot:hunter2@host/x.git":      "clone https://[hidden]@host/x.git",
		"clone https://bot:sk-secret-1@host/x.git":  "clone https://[hidden]@host/x.git",
		"clone https://host/x.git is untouched":     "clone https://host/x.git is untouched",
		"http://localhost:8080/a@b":                 "http://localhost:8080/a@b",
		"sk-secret-1sk-secret-1":                    "[hidden][hidden]",
		"":                                          "",
	} {
		if got := r.String(in); got != want {
			t.Errorf("String(%q) = %q, want %q", in, got, want)
		}
	}
	token := "gh" + "p_" + random(1, 36, base62)
	if got := redact.New(token).String(token + "xyz"); got != "[hidden]xyz" {
		t.Errorf("what follows a value that is known is no part of it: %q", got)
	}
	var none *redact.Redactor
	var zero redact.Redactor
	for _, r := range []*redact.Redactor{none, &zero} {
		if got := r.String("ssh://a:b@c/d"); got != "ssh://[hidden]@c/d" {
			t.Errorf("without values: %q", got)
		}
		if len(r.Find("ssh://a:b@c/d")) != 1 {
			t.Error("without values: nothing found")
		}
	}
}

func TestPaths(t *testing.T) {
	r := redact.New("maria-keeps-it").WithPath("/home/maria/", "$HOME").WithPath("/home/maria/.local/share/longshift",
		"$LONGSHIFT_DATA").WithPath("/", "root").WithPath("//", "root").WithPath("", "none")
	in := "open /home/maria/.local/share/longshift/tasks/x: no; /home/maria/go/src /home/maria/maria-keeps-it"
	if got, want := r.String(in), "open $LONGSHIFT_DATA/tasks/x: no; $HOME/go/src $HOME/[hidden]"; got != want {
		t.Errorf("String(%q) = %q, want %q", in, got, want)
	}
	if found := r.Find("/home/maria/go"); len(found) != 0 {
		t.Errorf("a folder is no secret: %+v", found)
	}
	if got := redact.New("/home/maria/secret").WithPath("/home/maria", "$HOME").String("in /home/maria/secret now"); got != "in [hidden] now" {
		t.Errorf("a secret in a folder: %q", got)
	}
}

// TestPathInAnother replaces a folder where it is a path, and not where its name is part of another one.
func TestPathInAnother(t *testing.T) {
	r := redact.New("maria-keeps-it").WithPath("/data", "$DATA").WithPath("/root", "$HOME").WithPath("/home/ann", "$ANN")
	for _, stays := range []string{
		"internal/data/store.go", "src/data.json", "cmd/root.go", "/database", "/data.json", "/data-old/x", "/data_1", "../data/x", "./data",
		"${DIR}/data/x", "$(pwd)/root/x", "app/[id]/data", "src/**/data/*", "~/data", "https://example.com/data", "http://data/x", "/home/anna/x",
		"a/home/ann/x", "/srv/data/x",
	} {
		if got := r.String("see " + stays + " now"); got != "see "+stays+" now" {
			t.Errorf("%q became %q", stays, got)
		}
	}
	for text, want := range map[string]string{
		"/data": "$DATA", "/data.": "$DATA.", "/data/a.go:7": "$DATA/a.go:7", "-I/data/include": "-I$DATA/include", "-isystem/root/x": "-isystem$HOME/x",
		"PATH=/root/bin:/data/bin": "PATH=$HOME/bin:$DATA/bin", "file:///data/x": "file://$DATA/x", `"\n/root/x"`: `"\n$HOME/x"`, "a%3D/data": "a%3D$DATA",
		"\x1b[1;34m/root/x": "\x1b[1;34m$HOME/x", "(/home/ann)": "($ANN)", "<d>/data</d>": "<d>$DATA</d>", "--out=/data/x": "--out=$DATA/x",
		"/root/maria-keeps-it": "$HOME/[hidden]", "'/data'": "'$DATA'",
	} {
		if got := r.String(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
		if got, want := r.Secrets(text), strings.ReplaceAll(text, "maria-keeps-it", redact.Mark); got != want {
			t.Errorf("without its secrets %q is %q, want %q", text, got, want)
		}
	}
}

func TestPathBehindLink(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	for _, err := range []error{os.Mkdir(filepath.Join(dir, "real"), 0o700), os.Symlink("real", link)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	r := redact.New().WithPath(link, "$DATA")
	if got := r.String(link + "/a " + dir + "/real/a"); got != "$DATA/a $DATA/a" {
		t.Errorf("got %q", got)
	}
}

// A secret may span several strings of a JSON document; the document must stay valid.
func TestStructureStays(t *testing.T) {
	v := held()[0]
	r := redact.New(held()...)
	half := len(v) / 2
	list, err := json.Marshal(map[string]any{"parts": []string{v[:10], v[10:half], v[half:]}, "after": "\n" + v, "all": v, "é": "é" + v + "é", "q": held()[2]})
	if err != nil {
		t.Fatal(err)
	}
	nested := quoted(string(list))
	for _, in := range []string{string(list), nested, quoted(nested), `["\n` + v + `\\"]`, `["\\` + v + `"]`, "[\n\"" + v[:20] + "\",\n\"" + v[20:] + "\"\n]"} {
		if !json.Valid([]byte(in)) {
			t.Fatalf("the test is wrong: %s", in)
		}
		got := r.String(in)
		if !json.Valid([]byte(got)) || !strings.Contains(got, redact.Mark) || survives(got, v) {
			t.Errorf("%s\nbecame %s", in, got)
		}
		if strings.Count(got, "\n") != strings.Count(in, "\n") {
			t.Errorf("lines are gone: %q", got)
		}
	}
	odd := redact.New("\x80begins-in-a-rune", "ends-in-a-rune\xc3")
	for _, in := range []string{"\u0400begins-in-a-rune", "ends-in-a-runeé"} {
		if got := odd.String(in); !utf8.ValidString(got) || got != redact.Mark {
			t.Errorf("%q became %q", in, got)
		}
	}
}

// Values are added while text is redacted.
func TestAddAtOnce(t *testing.T) {
	r := redact.New()
	values := held()
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			for i := range 12 {
				v := values[(n+i)%len(values)]
				r.Add(v, v)
				if got := r.String("a " + v + " b"); got != "a [hidden] b" {
					t.Errorf("got %q", got)
				}
				r.WithPath("/srv/data", "$DATA")
			}
		})
	}
	wg.Wait()
	if got := r.String(strings.Join(values, " and ") + " in /srv/data"); got != "[hidden] and [hidden] and [hidden] in $DATA" {
		t.Errorf("got %q", got)
	}
}

// Of tokens that rotate every hour the latest are known, and one that is used again is known again.
func TestManyValues(t *testing.T) {
	r := redact.New()
	value := func(n int) string { return random(uint64(n), 40, base62) }
	for n := range 200 {
		r.Add(value(n))
	}
	for n := 136; n < 200; n++ {
		if got := r.String(value(n)); got != redact.Mark {
			t.Fatalf("value %d: %q", n, got)
		}
	}
	if got := r.String(value(0)); got != value(0) {
		t.Errorf("nothing is ever forgotten: %q", got)
	}
	r.Add(value(0))
	if got := r.String(value(0)); got != redact.Mark {
		t.Errorf("got %q", got)
	}
}

// Secrets are found anywhere in a text of several segments.
func TestLargeText(t *testing.T) {
	v := held()[1]
	r := redact.New(v)
	code := ordinary(t, 900<<10)
	for at := 255 << 10; at < 257<<10; at += 199 {
		in := code[:at] + " " + v + " " + code[at:]
		if got, want := r.String(in), code[:at]+" [hidden] "+code[at:]; got != want {
			t.Fatalf("not hidden right at %d", at)
		}
	}
	spread := pieces(v, 1, strings.Repeat("\n", 300))
	if got := r.String(code[:250<<10] + spread + code); survives(got, v) {
		t.Error("a secret over two segments survives")
	}
}
