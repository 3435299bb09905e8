package workflows_test

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/longshift/longshift/internal/redact"
)

// revealing are shapes of what must not stand in a fixture.
var revealing = map[string]*regexp.Regexp{
	"a home folder":       regexp.MustCompile(`(/home/|/Users/|/root\b|[A-Z]:\\Users)`),
	"a folder of a test":  regexp.MustCompile(`/(tmp|var/folders|private)/`),
	"a model's key":       regexp.MustCompile(`sk-(ant|proj|live|test)-`),
	"a token of a forge":  regexp.MustCompile(`(gh[opsu]_|github_pat_|glpat-)[A-Za-z0-9_]`),
	"a cloud key":         regexp.MustCompile(`AKIA[0-9A-Z]{16}`),
	"a chat token":        regexp.MustCompile(`xox[abp]-`),
	"a private key":       regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY`),
	"a bearer":            regexp.MustCompile(`(?i)bearer [a-z0-9._-]{8}`),
	"a process's address": regexp.MustCompile(`\b[0-9]+@[A-Za-z0-9.-]+`),
	"a worker's queue":    regexp.MustCompile(`[A-Za-z0-9.-]+:[0-9a-f]{8}-[0-9a-f]{4}-`),
}

func TestFixturesKeepSecrets(t *testing.T) {
	machine, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	home, _ := os.UserHomeDir() // without one there is nothing to look for
	reveals := search(machine, home)
	for _, name := range fixtures(t) {
		data, err := os.ReadFile(filepath.Join(replays, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range textsOf(t, data) {
			for _, found := range reveals(text) {
				t.Errorf("%s holds %s: %.200q", name, found, text)
			}
		}
	}
}

// The search must see what it looks for, as it stands and inside of payloads.
func TestSecretsAreFound(t *testing.T) {
	reveals := search("build-7", "/srv/maria")
	for planted, want := range map[string]string{
		"/home/maria/calc/main.go":                      "a home folder",
		"/tmp/TestRun123/001/data":                      "a folder of a test",
		"key sk-ant-api03-xyz":                          "a model's key",
		"token ghp_abcdefgh":                            "a token of a forge",
		"AKIAIOSFODNN7EXAMPLE":                          "a cloud key",
		"xoxb-1-2":                                      "a chat token",
		"-----BEGIN RSA PRIVATE KEY-----":               "a private key",
		"Authorization: Bearer abcdefgh12":              "a bearer",
		"4711@build-7":                                  "a process's address",
		"build-7:0b5cdd59-22f0-4dd1-8ac9-7be24d1f7a3e":  "a worker's queue",
		"https://bot:hunter22@git.example/calc.git":     "a password in an address",
		"ran on build-7 today":                          "the machine's name",
		"look into /srv/maria/calc for the work it did": "the home folder",
	} {
		for form, value := range map[string]string{"as text": planted, "in a payload": base64.StdEncoding.EncodeToString([]byte(planted))} {
			data, err := json.Marshal(map[string]any{"events": []any{map[string]any{"deep": value}}})
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, text := range textsOf(t, data) {
				found = append(found, reveals(text)...)
			}
			if !slices.Contains(found, want) {
				t.Errorf("%q %s: found %q, want %s", planted, form, found, want)
			}
		}
	}
}

// search knows what must not stand in a fixture that was recorded on a machine.
func search(machine, home string) func(text string) (found []string) {
	shapes := maps.Clone(revealing)
	if machine != "" {
		shapes["the machine's name"] = regexp.MustCompile(`\b` + regexp.QuoteMeta(machine) + `\b`)
	}
	if len(home) > 1 {
		shapes["the home folder"] = regexp.MustCompile(regexp.QuoteMeta(home) + `\b`)
	}
	secrets := redact.New()
	return func(text string) (found []string) {
		for what, shape := range shapes {
			if shape.MatchString(text) {
				found = append(found, what)
			}
		}
		if secrets.String(text) != text {
			found = append(found, "a password in an address")
		}
		return found
	}
}

// textsOf gives every text in a JSON document, and what payloads hold in base64.
func textsOf(t *testing.T, data []byte) (texts []string) {
	t.Helper()
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, inner := range v {
				texts = append(texts, k)
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		case string:
			texts = append(texts, v)
			if raw, err := base64.StdEncoding.DecodeString(v); err == nil {
				texts = append(texts, string(raw))
			}
		}
	}
	walk(doc)
	return texts
}
