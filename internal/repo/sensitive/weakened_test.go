package sensitive

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/longshift/longshift/task"
)

// misjudged are the cases in which a look at single lines is wrong. Honest ones cost a person a look.
var misjudged = map[string]string{
	"golden-updated-with-code":         "only a person can tell whether the new output is meant",
	"go-asserts-moved-to-helper":       "what the helper asserts counts once",
	"go-three-asserts-one-struct":      "one assertion may say more than three",
	"py-reformatted":                   "a line that is broken in two is another line",
	"py-tests-merged-into-parametrize": "a list of cases may stand for several tests",
	"rust-message-changed-with-code":   "only a person can tell whether the new message is meant",
	"ts-variable-renamed":              "an assertion about another name is another assertion",
}

// TestWeakened inspects changes whose writer did not know what is looked for. Their first line says whether they weaken tests.
func TestWeakened(t *testing.T) {
	cases, err := filepath.Glob("testdata/weakened/*.txt")
	if err != nil || len(cases) < 40 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, name := range cases {
		short := strings.TrimSuffix(filepath.Base(name), ".txt")
		t.Run(short, func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			archive := txtar.Parse(text)
			var found []task.Finding
			for _, c := range changes(t, archive) {
				found = append(found, Inspect(c)...)
			}
			weakens := strings.HasPrefix(string(archive.Comment), "weakens: ")
			if right := len(found) > 0 == weakens; right != (misjudged[short] == "") {
				t.Errorf("%sfound %q", archive.Comment, says(found))
			}
		})
	}
}

// TestTestsThatNobodyLooksFor names tests that a runner may not find any more, and those that nobody could look into.
func TestTestsThatNobodyLooksFor(t *testing.T) {
	text := []byte("package greet\n\nimport \"testing\"\n\nfunc TestGreet(t *testing.T) { t.Fatal(1) }\n")
	one := func(change func(c *Change)) Change {
		c := Change{Path: "greet/greet_test.go", OldPath: "greet/greet_test.go", OldMode: "100644", NewMode: "100644", OldID: "a", NewID: "b", Old: text, New: text}
		change(&c)
		return c
	}
	for says, c := range map[string]Change{
		"was greet_test.go":         one(func(c *Change) { c.Path = "greet/greet_windows_test.go" }),
		"is a link to ../other now": one(func(c *Change) { c.NewMode, c.New = link, []byte("../other") }),
		"is too large to look into": one(func(c *Change) { c.Cut = true }),
		"":                          one(func(c *Change) { c.Path = "hello/greet_test.go" }),
	} {
		found := Inspect(c)
		if says == "" && len(found) > 0 || says != "" && (len(found) == 0 || !strings.Contains(found[0].What, says)) {
			t.Errorf("%q: found %+v", says, found)
		}
	}
}

// changes are those between the files old/PATH and new/PATH of an archive.
func changes(t *testing.T, a *txtar.Archive) (all []Change) {
	t.Helper()
	old, now := map[string]string{}, map[string]string{}
	for _, f := range a.Files {
		side, p, _ := strings.Cut(f.Name, "/")
		switch side {
		case "old":
			old[p] = string(f.Data)
		case "new":
			now[p] = string(f.Data)
		default:
			t.Fatalf("%s is neither old nor new", f.Name)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(now)) {
		if c := change(p, old[p], now[p]); old[p] != now[p] {
			if from := sameName(old, now, p); from != "" { // git would call it a renamed file
				c = change(p, old[from], now[p])
				c.OldPath = from
				delete(old, from)
			}
			all = append(all, c)
		}
		delete(old, p)
	}
	for _, p := range slices.Sorted(maps.Keys(old)) {
		all = append(all, change(p, old[p], ""))
	}
	return all
}

// sameName returns the removed file that has the name of a new one, "" for none.
func sameName(old, now map[string]string, added string) string {
	for _, p := range slices.Sorted(maps.Keys(old)) {
		_, stays := now[p]
		if _, there := old[added]; !stays && !there && path.Base(p) == path.Base(added) {
			return p
		}
	}
	return ""
}
