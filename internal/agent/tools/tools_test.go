package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const toolsSum = "8cfa529e00da875a"

func TestCatalog(t *testing.T) {
	sum := sha256.New()
	for _, tool := range Files() {
		var s struct {
			Type       string
			Properties map[string]struct{ Type, Description string }
			Required   []string
			Additional *bool `json:"additionalProperties"`
		}
		if err := json.Unmarshal(tool.Schema, &s); err != nil || s.Type != "object" || s.Additional == nil || *s.Additional {
			t.Fatalf("%s: schema %s: %v", tool.Name, tool.Schema, err)
		}
		e := byName(tool.Name)
		types := map[kind]string{stringArg: "string", numberArg: "integer", flagArg: "boolean"}
		for _, p := range e.params {
			has := s.Properties[p.name]
			if has.Type != types[p.kind] || has.Description == "" || p.required != slices.Contains(s.Required, p.name) {
				t.Errorf("%s: the schema says something else of %s", tool.Name, p.name)
			}
		}
		if len(s.Properties) != len(e.params) || (e.read == nil) == (e.plan == nil) || (tool.Class == Writes) != (e.plan != nil) {
			t.Errorf("%s: %d properties, class %s", tool.Name, len(s.Properties), tool.Class)
		}
		if _, _, err := decode(tool.Name, json.RawMessage(e.example)); err != nil {
			t.Errorf("%s: its example: %v", tool.Name, err)
		}
		sum.Write([]byte(tool.Name + "\x00" + tool.Text + "\x00" + string(tool.Schema) + "\x00"))
	}
	// Providers cache what they are told of the tools: change this only together with a change that is worth it.
	if got := hex.EncodeToString(sum.Sum(nil))[:16]; got != toolsSum {
		t.Errorf("the tools are told differently now: %s", got)
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.txt": "one\ntwo\n"})
	for arguments, says := range map[string]string{
		``: `"path" is missing`, `{}`: `"path" is missing`, `{"path":null}`: `"path" is null, not a string`, `[]`: "not one JSON object",
		`{"path":"a.txt"} x`: "not one JSON object",
		`{"path":"a.txt"`:    "not one JSON object", `{"path":7}`: `"path" is 7, not a string`,
		`{"path":"a.txt","to":2}`:                       `unknown argument "to" = 2`,
		`{"Path":"a.txt"}`:                              `unknown argument "Path"`,
		`{"path":["` + strings.Repeat("x", 500) + `"]}`: "…, not a string; call read_file with, for example, {",
		strings.Repeat(`{"a":`, 20_000):                 "not one JSON object",
	} {
		f.fails("read_file", arguments, says)
		if path, ok := Path("read_file", json.RawMessage(arguments)); ok {
			t.Errorf("%s: path %q", arguments, path)
		}
	}
	f.fails("read_fil", `{}`, `no file tool "read_fil"`, "read_lines")
	f.fails("read_lines", `{"path":"a.txt","from":1.5,"to":2}`, `"from" is 1.5, not a whole number`)
	f.fails("read_lines", `{"path":"a.txt","from":1e99,"to":2}`, "not a whole number")
	f.fails("read_lines", `{"path":"a.txt","from":"one","to":2}`, `"from" is "one", not a whole number`)
	f.fails("list_dir", `{"recursive":1}`, `"recursive" is 1, not true or false`)
	f.fails("write_file", with("path", "b", "content", strings.Repeat("x", argumentBytes)), "make several smaller calls")
	equal(t, "numbers in quotes", f.ok("read_lines", `{"path":"a.txt","from":"2","to":"2"}`)["content"], "L2: two\n")
	f.ok("list_dir", ``)
	f.ok("list_dir", `{"path":null,"recursive":"true"}`)
}

func TestPath(t *testing.T) {
	for call, want := range map[[2]string]string{
		{"read_file", `{"path":"./a/../b"}`}: "./a/../b", {"list_dir", `{}`}: ".", {"search", `{"pattern":"x"}`}: ".",
		{"edit_file", `{"path":"a","old":"b","new":"c"}`}: "a", {"write_file", `{"path":"a","content":"","path":"b"}`}: "b",
	} {
		if got, ok := Path(call[0], json.RawMessage(call[1])); got != want || !ok {
			t.Errorf("%v: %q %v", call, got, ok)
		}
	}
	if _, ok := Path("no_tool", nil); ok {
		t.Error("a tool that is none has a path")
	}
}

func TestWhereWritingIsRefused(t *testing.T) {
	f := newFolder(t, map[string]string{"../secret": "s", "dir/f": "f", "out": "-> ../secret", "outdir": "-> ..", "far": "-> /etc/passwd",
		"loop":    "-> loop",
		"gitlink": "-> .git", ".git/config": "c", "filelink": "-> dir/f", "dirlink": "-> dir", "dangling": "-> nothing", ".longshift/x": ""})
	outside := "leads out of the workspace; give one below it"
	for path, says := range map[string]string{
		"": "the path is empty", "a\x00b": "zero byte", "/etc/passwd": outside, "../secret": outside, "dir/../../secret": outside, "..": outside,
		"out": outside, "outdir/secret": outside, "far": outside, "loop": "too many links", strings.Repeat("a", 5000): "longer than 4096",
		strings.Repeat("a", 300): "name is too long",
		"gitlink/config":         `link to ".git/config"`, "filelink": `a link to "dir/f"`, "dirlink/f": `a link to "dir/f"`, "dirlink/../x": "",
		"dangling":    "link to \"nothing\"",
		".git/config": "belongs to git", "dir/.GIT/hooks/x": "belongs to git", ".git": "belongs to git",
		".longshift/deliverables.json": "written by Longshift only",
		".longshift/Deliverables.JSON": "written by Longshift only", ".": "is a folder", "dir": "is a folder", "a\nb": "control character",
		"new/": "is a folder", "dir/f/g": "is a file, not a folder",
		f.dir + "-other": outside, f.dir + "/../secret": outside,
	} {
		if path == "dirlink/../x" {
			f.ok("write_file", with("path", path, "content", "x"))
			continue
		}
		f.fails("write_file", with("path", path, "content", "x"), says)
		f.fails("edit_file", with("path", path, "old", "s", "new", "x"), "")
		if path != "dir" && path != "." {
			f.fails("write_source_file", with("path", path, "content", "x"), "")
		}
	}
	f.ok("write_file", with("path", f.dir+"/abs", "content", "x"))
	f.ok("write_file", with("path", ".longshift/other.json", "content", "x"))
	f.ok("write_file", with("path", ".gitignore", "content", "x"))
}

func TestReadThroughLinks(t *testing.T) {
	f := newFolder(t, map[string]string{"a/b": "text", "l": "-> a/b", "d": "-> a", "up": "-> a/../a/b", "secret/key": "k",
		"trick": "-> secret/key", "out": "-> ../x", "../x": "x"})
	for _, path := range []string{"l", "d/b", "up", "a/./b", "a//b", "d/../l", f.dir + "/l"} {
		equal(t, path, f.ok("read_file", with("path", path))["content"], "text")
	}
	f.fails("read_file", with("path", "out"), "leads out")
	f.Readable = func(path string) bool { return !strings.HasPrefix(path, "secret") }
	f.fails("read_file", with("path", "trick"), "link to what may not be read")
	f.fails("read_lines", with("path", "trick", "from", 1, "to", 1), "link to what may not be read")
	equal(t, "judged by the caller", f.ok("read_file", with("path", "secret/key"))["content"], "k")
	for _, call := range [][2]string{{"list_dir", `{"recursive":true}`}, {"find_files", `{"pattern":"**"}`}, {"search", `{"pattern":"."}`}} {
		if _, r := f.call(call[0], call[1]); strings.Contains(string(r.Content), "key") {
			t.Errorf("%s shows what may not be read: %s", call[0], r.Content)
		}
	}
}

// TestNothingBlocks has a pipe wherever a tool could open one.
func TestNothingBlocks(t *testing.T) {
	f := newFolder(t, map[string]string{"dir/a": "x"})
	for _, name := range []string{"pipe", ".gitignore", "dir/.gitignore"} {
		must(t, syscall.Mkfifo(filepath.Join(f.dir, name), 0o644))
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, tool := range []string{"read_file", "read_lines", "search", "edit_file", "write_file", "get_file_outline"} {
			arguments := map[string]any{}
			must(t, json.Unmarshal([]byte(byName(tool).example), &arguments))
			arguments["path"] = "pipe"
			b, _ := json.Marshal(arguments)
			r := f.Do(context.Background(), tool, b)
			if !r.Failed || !strings.Contains(string(r.Content), "regular files only") {
				t.Errorf("%s: %s", tool, r.Content)
			}
		}
		for _, call := range [][2]string{{"list_dir", `{"recursive":true}`}, {"find_files", `{"pattern":"**"}`}, {"search", `{"pattern":"."}`}} {
			if r := f.Do(context.Background(), call[0], json.RawMessage(call[1])); r.Failed {
				t.Errorf("%s: %s", call[0], r.Content)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Fatal("a tool waits for a pipe")
	}
}

func TestStopped(t *testing.T) {
	f := newFolder(t, map[string]string{"a.txt": "x"})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	before := f.all()
	for _, tool := range Files() {
		if r := f.Do(ctx, tool.Name, json.RawMessage(byName(tool.Name).example)); !r.Failed || !strings.Contains(string(r.Content),
			"was stopped") {
			t.Errorf("%s: %s", tool.Name, r.Content)
		}
	}
	if !maps.Equal(before, f.all()) {
		t.Error("a stopped call has changed something")
	}
}
