package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/cputest"
	"github.com/longshift/longshift/internal/usertest"
)

func paths(a answer, list, field string) []string {
	all := []string{}
	for _, e := range a[list].([]any) {
		if field == "" {
			all = append(all, e.(string))
			continue
		}
		all = append(all, e.(map[string]any)[field].(string))
	}
	return all
}

func TestListDir(t *testing.T) {
	f := newFolder(t, map[string]string{"b.txt": "12345", "a/x y/ü": "", "a.txt": "", "a/b": "", ".git/config": "", "l": "-> ..",
		"empty/": ""})
	a, r := f.call("list_dir", `{}`)
	equal(t, "root", a["entries"],
		json.RawMessage(`[{"name":".git","type":"dir"},{"name":"a.txt","size":0,"type":"file"},{"name":"a","type":"dir"},`+
			`{"name":"b.txt","size":5,"type":"file"},{"name":"empty","type":"dir"},{"name":"l","type":"link"}]`))
	equal(t, "line", r.Line, "list_dir .: 6 entries")
	equal(t, "recursive", paths(f.ok("list_dir", `{"recursive":true}`), "entries", "name"), []string{"a.txt", "a", "a/b", "a/x y", "a/x y/ü",
		"b.txt", "empty", "l"})
	equal(t, "below", paths(f.ok("list_dir", `{"path":"./a/","recursive":true}`), "entries", "name"), []string{"b", "x y", "x y/ü"})
	equal(t, "empty", f.ok("list_dir", `{"path":"empty"}`)["entries"], []any{})
	f.fails("list_dir", `{"path":"b.txt"}`, "is a file, not a folder", "read_file")
	f.fails("list_dir", `{"path":"l"}`, "leads out")
	f.fails("list_dir", `{"path":"gone"}`, "does not exist")
}

// A folder that a background command replaces by a link, while the walk is at an earlier one, leads nowhere else.
func TestWalkFollowsNoLinkThatTakesAFoldersPlace(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a/x": "", "b/x": "", "c/x": "", "hidden/secret": "token", "z": ""})
	var seen []string
	w := walk{tree: &f.Tree, ctx: t.Context(), base: ".", depth: 9, visit: func(e found) bool {
		switch e.path {
		case "a/x":
			must(t, os.Rename(filepath.Join(f.dir, "b"), filepath.Join(f.dir, "b2")))
			f.put("b", "-> hidden")
		case "c/x":
			must(t, os.Rename(filepath.Join(f.dir, "c"), filepath.Join(f.dir, "c2")))
			f.put("c", "-> hidden")
			content, err := e.content(100)
			equal(t, "the file that was found", fmt.Sprint(content, err), "[] <nil>")
		}
		seen = append(seen, e.path)
		return true
	}}
	must(t, w.run())
	equal(t, "seen", seen, []string{"a", "a/x", "b", "c", "c/x", "hidden", "hidden/secret", "z"})
	if file, _, err := f.open("b/secret"); err == nil {
		file.Close()
		t.Error("a file is opened through the link")
	}
}

func TestListDirLimits(t *testing.T) {
	t.Parallel()
	f := newFolder(t, nil)
	for i := range 1000 {
		f.put(fmt.Sprintf("%04d", i), "")
	}
	a := f.ok("list_dir", `{}`)
	equal(t, "1000", []any{len(a["entries"].([]any)), a["more"], a["truncated"]}, []any{1000, nil, nil})
	f.put("d/x", "")
	a = f.ok("list_dir", `{"recursive":true}`)
	equal(t, "1002", []any{len(a["entries"].([]any)), a["more"], a["truncated"]}, []any{1000, 2, nil})
	f.Limits.Walked = 500
	a = f.ok("list_dir", `{"recursive":true}`)
	equal(t, "too many to look at", a["truncated"], true)
}

func TestDeepTree(t *testing.T) {
	f := newFolder(t, nil)
	deep := strings.Repeat("d/", 39)
	f.put(deep+"file", "x")
	a := f.ok("list_dir", `{"recursive":true}`)
	equal(t, "40 deep", []any{len(a["entries"].([]any)), a["truncated"]}, []any{40, nil})
	equal(t, "found", paths(f.ok("find_files", `{"pattern":"file"}`), "files", ""), []string{deep + "file"})
	f.put(deep+"d/file", "x")
	a = f.ok("list_dir", `{"recursive":true}`)
	equal(t, "41 deep", []any{len(a["entries"].([]any)), a["truncated"]}, []any{41, true})
	equal(t, "found", f.ok("find_files", `{"pattern":"d/**/file"}`),
		json.RawMessage(`{"files":["`+deep+`file"],"success":true,"truncated":true}`))
	equal(t, "by its path", f.ok("read_file", with("path", deep+"d/file"))["content"], "x")
}

func TestFindFiles(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.go": "", "b.ts": "", "src/a.go": "", "src/x/a_test.go": "", "src/x/b.tsx": "", "src/[x].go": "",
		"l.go":      "-> a.go",
		".git/a.go": "", "src/vendor/v.go": "", ".gitignore": "vendor/\n*.log\n!keep.log\n/only.txt\n", "x.log": "", "keep.log": "",
		"only.txt": "", "src/only.txt": "",
		"src/.gitignore": "gen/**\n!gen/keep.txt\ndocs/*.txt\n\\#a\nspace\\ \nback   \n", "src/gen/a.txt": "", "src/gen/keep.txt": "",
		"src/docs/a.txt":      "",
		"src/docs/more/a.txt": "", "src/#a": "", "src/space ": "", "src/back": "", "docs/a.txt": "", "docs/vendor": ""})
	for pattern, want := range map[string][]string{
		"*.go":                 {"a.go", "l.go", "src/[x].go", "src/a.go", "src/x/a_test.go"},
		"./a.go":               {"a.go", "src/a.go"},
		"src/*.go":             {"src/[x].go", "src/a.go"},
		"src/**/*.go":          {"src/[x].go", "src/a.go", "src/x/a_test.go"},
		"**/x/**":              {"src/x/a_test.go", "src/x/b.tsx"},
		"*.{ts,tsx}":           {"b.ts", "src/x/b.tsx"},
		"{src,docs}/?.*":       {"docs/a.txt", "src/a.go"},
		`\[x\].go`:             {"src/[x].go"},
		"[!a-k].go":            {"l.go"},
		"**/only.txt":          {"src/only.txt"},
		"*.log":                {"keep.log"},
		"src/gen/**":           {"src/gen/keep.txt"},
		"**/docs/**":           {"docs/a.txt", "docs/vendor", "src/docs/more/a.txt"},
		"src/{#a,space?,back}": {},
		"nothing":              {},
	} {
		equal(t, pattern, paths(f.ok("find_files", with("pattern", pattern)), "files", ""), want)
	}
	equal(t, "below", paths(f.ok("find_files", `{"pattern":"*.go","path":"src/x"}`), "files", ""), []string{"src/x/a_test.go"})
	equal(t, "rules from above", paths(f.ok("find_files", `{"pattern":"**","path":"src/docs"}`), "files", ""), []string{"src/docs/more/a.txt"})
	f.fails("find_files", `{"pattern":"[a"}`, "is no glob")
	f.fails("find_files", `{"pattern":""}`, "0 bytes")
	f.fails("find_files", with("pattern", strings.Repeat("{a,b}", 7)), "more than 64 patterns")
	f.fails("find_files", with("pattern", strings.Repeat("a", 501)), "501 bytes")
	f.fails("find_files", `{"pattern":"*","path":"a.go"}`, "is a file")
}

func TestFindFilesLimit(t *testing.T) {
	t.Parallel()
	f := newFolder(t, nil)
	for i := range 500 {
		f.put(fmt.Sprintf("%03d", i), "")
	}
	equal(t, "500", f.ok("find_files", `{"pattern":"*"}`)["truncated"], false)
	f.put("z", "")
	a := f.ok("find_files", `{"pattern":"*"}`)
	equal(t, "501", []any{a["truncated"], len(a["files"].([]any))}, []any{true, 500})
}

func TestMatchPartsIsCheap(t *testing.T) {
	parts := strings.Split(strings.Repeat("**/a*a*a*/", 100)+"b", "/")
	names := strings.Split(strings.Repeat(strings.Repeat("a", 200)+"/", 400)+"c", "/")
	cputest.Bounded(t, "the pattern", func() {
		if matchParts(parts, names) {
			t.Error("it does not match")
		}
	})
}

func TestSearch(t *testing.T) {
	f := newFolder(t, map[string]string{"a.go": "one\nTwo\nthree\r\nfour\n", "src/b ü.txt": "two and two\n", "bin": "two\x00", ".git/x": "two",
		"ign": "two", ".gitignore": "ign\n",
		"latin": "caf\xe9 zwei\n", "l": "-> a.go", "empty": ""})
	a, r := f.call("search", `{"pattern":"(?i)two"}`)
	equal(t, "all", a,
		json.RawMessage(`{"matches":[{"line":2,"path":"a.go","text":"Two"},`+
			`{"line":1,"path":"src/b ü.txt","text":"two and two"}],"success":true,"truncated":false}`))
	equal(t, "line", r.Line, "search (?i)two: 2 matches")
	equal(t, "case", len(f.ok("search", `{"pattern":"TWO","ignore_case":true}`)["matches"].([]any)), 2)
	equal(t, "glob", paths(f.ok("search", `{"pattern":"T|t","glob":"*.go"}`), "matches", "text"), []string{"Two", "three"})
	equal(t, "one file", paths(f.ok("search", `{"pattern":"two","path":"ign"}`), "matches", "path"), []string{"ign"})
	equal(t, "line ends", paths(f.ok("search", `{"pattern":"^\\w+e$"}`), "matches", "text"), []string{"one", "three"})
	equal(t, "latin", paths(f.ok("search", `{"pattern":"zwei"}`), "matches", "text"), []string{"caf\ufffd zwei"})
	equal(t, "context", f.ok("search", `{"pattern":"Two","context":5}`)["matches"],
		json.RawMessage(`[{"after":["three","four"],"before":["one"],"line":2,"path":"a.go","text":"Two"}]`))
	f.fails("search", `{"pattern":"x","context":6}`, "context is 6; give 0 to 5")
	f.fails("search", `{"pattern":"x","glob":"["}`, "is no glob")
	f.fails("search", `{"pattern":"x","path":"gone"}`, "does not exist")
	for pattern, says := range map[string]string{"": "0 bytes", "foo(bar": `missing closing ) at byte 0, "foo(bar"; write characters`,
		"a(?=b)": `at byte 1, "(?="; this syntax has no look-around`,
		"a**":    `invalid nested repetition operator at byte 1, "**"`, "x{1001}": "use smaller counts", "(((x{30}){30}){30})": "use smaller counts",
		`\y`: "stands only before",
		"x{1000}y{1000}z{1000}x{1000}y{1000}z{1000}": "repeats too much", strings.Repeat("x", 1001): "1001 bytes"} {
		f.fails("search", with("pattern", pattern), says)
	}
}

func TestSearchLimits(t *testing.T) {
	f := newFolder(t, map[string]string{"a": strings.Repeat("x\n", 100),
		"long": strings.Repeat("-", 1000) + "wanted" + strings.Repeat("-", 1000)})
	a := f.ok("search", `{"pattern":"x"}`)
	equal(t, "100", []any{len(a["matches"].([]any)), a["truncated"]}, []any{100, false})
	f.put("b", "x\n")
	a = f.ok("search", `{"pattern":"x"}`)
	equal(t, "101", []any{len(a["matches"].([]any)), a["truncated"]}, []any{100, true})
	shown := paths(f.ok("search", `{"pattern":"wanted"}`), "matches", "text")[0]
	if len(shown) > 400 || !strings.Contains(shown, "wanted") {
		t.Errorf("%d bytes: %s", len(shown), shown)
	}
	f.put("wide", strings.Repeat(strings.Repeat("w", 400)+"\n", 99))
	a = f.ok("search", `{"pattern":"w{9}","context":5}`)
	if r := len(fmt.Sprint(a)); a["truncated"] != true || r > 30_000 {
		t.Errorf("%d bytes, %v", r, a["truncated"])
	}
	f.put("fits", strings.Repeat(" ", 2<<20-7)+"\nneedle")
	f.put("large", strings.Repeat(" ", 2<<20-6)+"\nneedle")
	equal(t, "large files", paths(f.ok("search", `{"pattern":"needle"}`), "matches", "path"), []string{"fits"})
}

// TestSearchStops has more to look through than the deadline allows.
func TestSearchStops(t *testing.T) {
	f := newFolder(t, nil)
	for i := range 20 {
		f.put(path.Join("d", fmt.Sprint(i)), strings.Repeat(strings.Repeat("ab", 50)+"\n", 20_000))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	r := f.Do(ctx, "search", json.RawMessage(`{"pattern":"(a|b|ab)*(a?b?){200}c"}`))
	if !r.Failed || !strings.Contains(string(r.Content), "was stopped") {
		t.Errorf("%.200s", r.Content)
	}
}

func TestUnreadableFolderIsLeftOut(t *testing.T) {
	if usertest.NotRoot(t) {
		return
	}
	f := newFolder(t, map[string]string{"a": "x", "no/b": "x"})
	must(t, os.Chmod(filepath.Join(f.dir, "no"), 0))
	defer os.Chmod(filepath.Join(f.dir, "no"), 0o755)
	if r := f.Do(context.Background(), "find_files", json.RawMessage(`{"pattern":"*"}`)); !strings.Contains(string(r.Content), `["a"]`) {
		t.Errorf("%s", r.Content)
	}
}
