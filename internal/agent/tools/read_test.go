package tools

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadFile(t *testing.T) {
	most := 512 << 10
	f := newFolder(t, map[string]string{"empty": "", "a b.txt": "one\ntwo", "ü/漢.txt": "<a> & \"b\"\r\n", "fits": strings.Repeat("x", most),
		"large": strings.Repeat("x", most+1), "nul": "a\x00b", "latin": "caf\xe9"})
	for name, lines := range map[string]int{"empty": 0, "a b.txt": 2, "ü/漢.txt": 1, "fits": 1} {
		a := f.ok("read_file", with("path", name))
		content := f.get(name)
		equal(t, name, []any{a["content"], a["lines"], a["bytes"]}, []any{content, lines, len(content)})
	}
	for _, name := range []string{"nul", "latin"} {
		f.fails("read_file", with("path", name), "is binary", "use encoding base64")
		a := f.ok("read_file", with("path", name, "encoding", "base64"))
		equal(t, name, a["content"], base64.StdEncoding.EncodeToString([]byte(f.get(name))))
	}
	f.fails("read_file", with("path", "large"), "524289 bytes", "use read_lines")
	f.fails("read_file", with("path", "fits", "encoding", "latin-1"), `encoding is "latin-1"`)
	f.fails("read_file", with("path", "ü"), "is a folder", "list_dir")
	f.fails("read_file", with("path", "gone"), "does not exist")
	f.fails("read_file", with("path", "fits/gone"), "is a file, not a folder")
	if a, r := f.call("read_file", with("path", "a b.txt")); r.Line != "read_file a b.txt" || !strings.HasPrefix(string(r.Content),
		`{"success":true,"content"`) {
		t.Errorf("line %q, %v", r.Line, a)
	}
	if _, r := f.call("read_file", with("path", "ü/漢.txt")); !strings.Contains(string(r.Content), `<a> & `) {
		t.Errorf("code is escaped: %s", r.Content)
	}
}

func TestReadLines(t *testing.T) {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "line %d\r\n", i+1)
	}
	f := newFolder(t, map[string]string{"many": b.String(), "noend": "a\nb", "empty": "", "nul": "a\nb\x00\n", "latin": "caf\xe9\n",
		"long": strings.Repeat("é", 1000) + "\n" + strings.Repeat("é", 1001) + "\n" + strings.Repeat("z", 300_000) + "\nend\n"})
	a := f.ok("read_lines", with("path", "many", "from", 299, "to", 500))
	equal(t, "tail", []any{a["content"], a["lines"], a["from"], a["to"], a["note"]}, []any{"L299: line 299\nL300: line 300\n", 300, 299, 300,
		nil})
	a = f.ok("read_lines", with("path", "many", "from", 1, "to", 200))
	equal(t, "200 lines", []any{a["to"], a["note"], strings.Count(a["content"].(string), "\n")}, []any{200, nil, 200})
	a = f.ok("read_lines", with("path", "many", "from", 1, "to", 201))
	equal(t, "201 lines", []any{a["to"], strings.Count(a["content"].(string), "\n")}, []any{200, 200})
	if note, _ := a["note"].(string); !strings.Contains(note, "go on from line 201") {
		t.Errorf("note %q", note)
	}
	equal(t, "no end", f.ok("read_lines", with("path", "noend", "from", 2, "to", 2))["content"], "L2: b\n")
	a = f.ok("read_lines", with("path", "long", "from", 1, "to", 4))
	lines := strings.Split(a["content"].(string), "\n")
	equal(t, "cut", []any{len(lines[0]), len(lines[1]), strings.HasSuffix(lines[1], "é … (line cut)"), lines[3], len(lines[2])},
		[]any{4 + 2000, 4 + 2000 + len(" … (line cut)"), true, "L4: end", 4 + 2000 + len(" … (line cut)")})
	f.fails("read_lines", with("path", "many", "from", 301, "to", 302), "has 300 lines")
	f.fails("read_lines", with("path", "empty", "from", 1, "to", 1), "has 0 lines")
	f.fails("read_lines", with("path", "many", "from", 0, "to", 1), "from 0 to 1 is no range")
	f.fails("read_lines", with("path", "many", "from", 5, "to", 4), "is no range")
	f.fails("read_lines", with("path", "nul", "from", 1, "to", 2), "is binary")
	equal(t, "before the binary part", f.ok("read_lines", with("path", "nul", "from", 1, "to", 1))["content"], "L1: a\n")
	equal(t, "latin", f.ok("read_lines", with("path", "latin", "from", 1, "to", 1))["content"], "L1: caf\ufffd\n")
	if _, r := f.call("read_lines", with("path", "many", "from", 7, "to", 9)); r.Line != "read_lines many 7-9" {
		t.Errorf("line %q", r.Line)
	}
}

// TestReadLinesOfHugeFile has a file with holes, which takes no room.
func TestReadLinesOfHugeFile(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"huge": "first\nsecond\n"})
	must(t, os.Truncate(filepath.Join(f.dir, "huge"), 1<<40))
	a := f.ok("read_lines", with("path", "huge", "from", 2, "to", 2))
	equal(t, "second", a["content"], "L2: second\n")
	if note, _ := a["note"].(string); !strings.Contains(note, "first 67108864 bytes") {
		t.Errorf("note %q", note)
	}
	f.fails("read_lines", with("path", "huge", "from", 4, "to", 5), "is behind the first 67108864 bytes (3 lines)")
	f.fails("read_lines", with("path", "huge", "from", 3, "to", 3), "is binary")
	f.fails("read_file", with("path", "huge"), "1099511627776 bytes", "read_lines")
	f.fails("edit_file", with("path", "huge", "old", "first", "new", "x"), "1099511627776 bytes")
	f.fails("write_file", with("path", "huge", "content", "x"), "more than the 67108864 that the tools replace")
	f.fails("get_file_outline", with("path", "huge"), "1099511627776 bytes")
	equal(t, "search", f.ok("search", with("pattern", "first"))["matches"], []any{})
}
