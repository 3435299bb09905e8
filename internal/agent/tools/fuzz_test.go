package tools

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// hostile is a folder whose links lead to where no tool may write.
func hostile(t testing.TB, content string) *folder {
	f := newFolder(t, map[string]string{"../outside": "o\n", "a.txt": "one\ntwo\n", "dir/b.txt": "b\r\n", ".git/config": "c\n",
		"out": "-> ../outside", "up": "-> ..", "git": "-> .git"})
	must(t, os.WriteFile(f.dir+"/f.txt", []byte(content), 0o644))
	return f
}

// check runs a call, with all that call checks, and looks at what no call may change.
func (f *folder) check(tool, arguments string) (answer, Result) {
	f.t.Helper()
	a, r := f.call(tool, arguments)
	all := f.all()
	if len(all) < 4 || all["outside"] != "-rw-r--r-- o\n" || all["work space ü/.git/config"] != "-rw-r--r-- c\n" || all["work space ü/out"] == "" {
		f.t.Errorf("%s %s changed what it must not: %v", tool, arguments, all)
	}
	for name := range all {
		if strings.Contains(name, Temporary) || !strings.Contains(name, "/") && name != "." && name != "outside" && name != "work space ü" {
			f.t.Errorf("%s %s left %q", tool, arguments, name)
		}
	}
	if path, ok := Path(tool, json.RawMessage(arguments)); ok && path == "" {
		f.t.Errorf("%s %s: an empty path", tool, arguments)
	}
	return a, r
}

func FuzzEdit(f *testing.F) {
	f.Add("f.txt", "a\r\nb\r\n", "a\nb", "x\ny", false)
	f.Add("./up/outside", "one\n", "o", "0", true)
	f.Add("git/config", "x", "c", "d", false)
	f.Add("f.txt", "  if x {\n\t}\n", "if x {\n}", "", false)
	f.Fuzz(func(t *testing.T, path, content, before, after string, all bool) {
		h := hostile(t, content)
		_, r := h.check("edit_file", with("path", path, "old", before, "new", after, "replace_all", all))
		before, after = strings.ToValidUTF8(before, "\ufffd"), strings.ToValidUTF8(after, "\ufffd")
		if !r.Failed && path == "f.txt" && !strings.Contains(content, "\r") && h.get("f.txt") != strings.Replace(content, before, after,
			1+1<<20*btoi(all)) {
			t.Errorf("%q is now %q", content, h.get("f.txt"))
		}
		h.check("write_file", with("path", path, "content", content))
		h.check("create_workspace", with("path", path, "createReadme", all, "readmeTitle", content))
		h.check("read_file", with("path", path))
		h.check("read_lines", with("path", path, "from", len(before), "to", len(after)))
	})
}

func FuzzApplyPatch(f *testing.F) {
	f.Add("a\nb\n", "--- a/f.txt\n+++ b/f.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n")
	f.Add("a", "diff --git a/f.txt b/up/x\nrename from f.txt\nrename to up/x\n")
	f.Add("a",
		"diff --git \"a/f\\001\" b/x\nnew file mode 100755\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n-- \n2\n")
	f.Add("a\r\n", "*** Begin Patch\n*** Update File: f.txt\n*** Move to: git/x\n@@ a\n+b\n*** End of File\n*** End Patch")
	f.Add("a\n", "*** Begin Patch\n*** Add File: n\n+b\n*** Delete File: a.txt\n*** End Patch")
	f.Fuzz(func(t *testing.T, content, patch string) {
		h := hostile(t, content)
		before := h.all()
		preview, p := h.check("preview_patch", with("patch", patch))
		equal(t, "after the preview", h.all(), before)
		applied, a := h.check("apply_patch", with("patch", patch))
		if !p.Failed && !a.Failed {
			equal(t, "answers", preview, applied)
		}
	})
}

func FuzzOutline(f *testing.F) {
	for _, ends := range []string{"go", "md", "py", "ts", "java", "c", "rs"} {
		f.Add(ends, "package a\n\nfunc f(a int) {\n}\n# x\n- > a\n===\nclass A {\n  def f(x) {\n}\n")
	}
	f.Fuzz(func(t *testing.T, ends, content string) {
		items, _, known := outlineOf("x."+ends, []byte(content))
		lines := countLines([]byte(content))
		for _, it := range items {
			if it.from < 1 || it.to < it.from || it.to > max(lines, 1) || !known {
				t.Errorf("lines %d to %d of %d: %q", it.from, it.to, lines, it.text)
			}
		}
		if shown, _ := show(items, 500); len(shown) > 500 {
			t.Errorf("%d bytes", len(shown))
		}
	})
}

func FuzzSearch(f *testing.F) {
	f.Add("one\ntwo\r\n", "(?i)T.o", "*.{txt,md}", "*.log\n!a\n/b/**\n", 2)
	f.Add("x", "a(", "[", "[", 9)
	f.Add(strings.Repeat("é", 900), "é{3}$", "**/f*", "**", 5)
	f.Fuzz(func(t *testing.T, content, pattern, glob, rules string, around int) {
		h := hostile(t, content)
		must(t, os.WriteFile(h.dir+"/.gitignore", []byte(rules), 0o644))
		before := h.all()
		h.check("search", with("pattern", pattern, "glob", glob, "context", around, "ignore_case", around%2 == 0))
		a, r := h.check("find_files", with("pattern", glob))
		if !r.Failed {
			for _, name := range paths(a, "files", "") {
				if strings.HasPrefix(name, ".git/") || strings.HasPrefix(name, "up/") {
					t.Errorf("%q was found", name)
				}
			}
		}
		h.check("list_dir", with("path", pattern, "recursive", true))
		equal(t, "after the search", h.all(), before)
	})
}
