package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func TestApplyPatch(t *testing.T) {
	for name, c := range map[string]struct{ content, patch, want string }{
		"one line":            {"a\nb\nc\n", "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", "a\nB\nc\n"},
		"no prefix, a time":   {"a\n", "--- f\t2026-01-01 00:00:00\n+++ f\t2026-01-01\n@@ -1 +1 @@\n-a\n+b\n", "b\n"},
		"wrong lines, once":   {numbered(9), "--- a/f\n+++ b/f\n@@ -1,2 +1,1 @@\n line 7\n-line 8\n", strings.Replace(numbered(9), "line 8\n", "", 1)},
		"wrong counts":        {"a\nb\nc\n", "--- a/f\n+++ b/f\n@@ -1,9 +1,7 @@\n a\n-b\n+B\n+C\n", "a\nB\nC\nc\n"},
		"counts too small":    {"a\nb\nc\n", "--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n a\n-b\n+B\n", "a\nB\nc\n"},
		"no counts":           {"a\nb\nc\n", "--- a/f\n+++ b/f\n@@\n a\n-b\n+B\n\n", "a\nB\nc\n"},
		"right place of many": {"x\nx\nx\n", "--- a/f\n+++ b/f\n@@ -2 +2 @@\n-x\n+y\n", "x\ny\nx\n"},
		"drift": {"new\nnew\nx\na\nx\nb\nx\n", "--- a/f\n+++ b/f\n@@ -2 +2 @@\n-a\n+A\n@@ -3 +3 @@\n-x\n+y\n",
			"new\nnew\nx\nA\ny\nb\nx\n"},
		"two hunks": {numbered(20), "--- a/f\n+++ b/f\n@@ -2,1 +2,2 @@\n line 2\n+two\n@@ -19,1 +20,0 @@\n-line 19\n",
			strings.Replace(strings.Replace(numbered(20), "line 2\n", "line 2\ntwo\n", 1), "line 19\n", "", 1)},
		"blank without blank": {"a\n\nb\n", "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", "a\n\nc\n"},
		"insert":              {"a\nb\n", "--- a/f\n+++ b/f\n@@ -1,0 +2 @@\n+x\n", "a\nx\nb\n"},
		"insert at top":       {"a\n", "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+x\n", "x\na\n"},
		"dashes":              {"-- a\n++ b\n", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n--- a\n+++ c\n ++ b\n", "++ c\n++ b\n"},
		"end added":           {"a", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", "b\n"},
		"end removed":         {"a\n", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n", "b"},
		"behind an open end":  {"a", "--- a/f\n+++ b/f\n@@ -1 +1,2 @@\n a\n+b\n", "a\nb\n"},
		"windows":             {"a\r\nb\r\n", "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n a\n-b\n+x\n+y\n", "a\r\nx\r\ny\r\n"},
		"windows patch":       {"a\nb\n", "--- a/f\r\n+++ b/f\r\n@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+x\r\n", "a\nx\n"},
		"mail": {"a\n",
			"From 1 Mon\nSubject: x\n\n---\n f | 2 +-\n\ndiff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n-- \n" +
				"2.47.0\n\n", "b\n"},
		"other bytes": {"caf\xe9\nb\n", "--- a/f\n+++ b/f\n@@ -2 +2 @@\n-b\n+c\n", "caf\xe9\nc\n"},
		"envelope": {numbered(9),
			"*** Begin Patch\n*** Update File: f\n@@ line 4\n line 5\n-line 6\n+six\n@@\n-line 8\n+eight\n*** End Patch",
			strings.NewReplacer("line 6", "six", "line 8", "eight").Replace(numbered(9))},
		"envelope at the end": {"x\na\nx\n", "*** Begin Patch\n*** Update File: f\n@@\n-x\n+y\n*** End of File\n*** End Patch\n", "x\na\ny\n"},
		"envelope appends":    {"a\n", "*** Begin Patch\n*** Update File: f\n@@\n+b\n\n*** End Patch\n", "a\nb\n"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFolder(t, map[string]string{"f": c.content})
			preview := f.ok("preview_patch", with("patch", c.patch))
			equal(t, "after the preview", f.get("f"), c.content)
			equal(t, "answer", f.ok("apply_patch", with("patch", c.patch)), preview)
			equal(t, "file", f.get("f"), c.want)
		})
	}
}

func TestApplyPatchRefuses(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"f": numbered(9), "x": "x\nx\n", "g": "g\n", "nul": "a\x00b\n", "l": "-> f", "dir/": "",
		".git/config": "c\n"})
	good := "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-g\n+G\n"
	hunk := "@@ -1 +1 @@\n-c\n+d\n"
	for patch, says := range map[string]string{
		"": "holds no file", "no patch": "holds no file", "--- a/f\n+++ b/f\n": `no hunk for "f"`,
		"@@ -1 +1 @@\n-a\n+b\n": "a hunk comes before",
		"--- a/f\n+++ b/f\n@@ -3,2 +3,2 @@\n line 3\n-line fore\n+4\n":            "does not fit; the nearest text is:\nL3: line 3\nL4: line 4\n",
		"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-line 1\n+1\n@@ -5 +5 @@\n-line 50\n+5\n": `hunk 2 of "f" does not fit; the nearest text is`,
		"--- a/f\n+++ b/f\n@@ -5 +5 @@\n-line 5\n+5\n@@ -1 +1 @@\n-line 1\n+1\n":  `hunk 2 of "f" does not fit`,
		"--- a/x\n+++ b/x\n@@ -7 +7 @@\n-x\n+y\n":                                 "fits at the lines 1, 2;",
		"--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n line 1\n?\n":                           `of the patch: "?" is in a hunk`,
		"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-line 1\n+1\n?\n+2\n":                     `"+2" is in no hunk`,
		"--- a/f\n+++ b/f\n@@ -1 +1 @@\n line 1\n":                                `changes nothing in "f"`,
		"--- a/f\n+++ b/f\n@@ -1 +1 @@\n":                                         "is empty",
		"--- a/f\n+++ b/f\n@@ -99,0 +100 @@\n+x\n":                                "adds lines at line 99 of 9",
		"--- a/gone\n+++ b/gone\n" + hunk:                                         `"gone": it does not exist`,
		"--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n":                             `"f" exists`,
		"--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-line 1\n":                        "leaves text in it",
		"--- a/nul\n+++ b/nul\n" + hunk:                                           "binary",
		"--- a/l\n+++ b/l\n" + hunk:                                               `a link to "f"`,
		"--- a/dir\n+++ b/dir\n" + hunk:                                           "is a folder",
		"--- a/.git/config\n+++ b/.git/config\n" + hunk:                           "belongs to git",
		"--- a/../f\n+++ b/../f\n" + hunk:                                         "leads out of the workspace",
		"--- /etc/passwd\n+++ /etc/passwd\n" + hunk:                               "leads out of the workspace",
		"--- /dev/null\n+++ b/.longshift/deliverables.json\n@@ -0,0 +1 @@\n+x\n":  "written by Longshift only",
		"diff --git a/f b/.git/hooks/x\nrename from f\nrename to .git/hooks/x\n":  "belongs to git",
		"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n":                  "needs a command",

		"diff --git a/s b/s\nnew file mode 120000\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n": `mode "120000"`,

		"diff --git a/f b/f\nindex 1..2\nGIT binary patch\nliteral 1\n":           "binary files can't be patched",
		"diff --cc f\n--- a/f\n+++ b/f\n@@@ -1,1 -1,1 +1,1 @@@\n":                 "against several files",
		"diff --git a/f b/g\nrename from f\nrename to g\n":                        `"g" exists`,
		"--- /dev/null\n+++ /dev/null\n" + hunk:                                   "has no name",
		good + good:                                                               "is in the patch twice",
		"*** Begin Patch\n*** Update File: f\n@@\n-line 1\n+1\n":                  "without the line *** End Patch",
		"*** Begin Patch\n*** Update File: f\n@@ nowhere\n-line 1\n*** End Patch": `no line is "nowhere"`,
		"*** Begin Patch\n*** Update File: x\n@@\n-x\n*** End Patch":              "fits at the lines 1, 2",
		"*** Begin Patch\n*** Add File: n\nx\n*** End Patch":                      `"x" does not belong here`,
		"*** Begin Patch\n+x\n*** End Patch":                                      "comes before a line such as",
	} {
		f.fails("apply_patch", with("patch", patch), says)
		f.fails("preview_patch", with("patch", patch), says)
		if strings.HasPrefix(patch, "---") || strings.HasPrefix(patch, "diff --git") {
			f.fails("apply_patch", with("patch", good+patch), says) // all or nothing
		}
	}
	f.fails("apply_patch", with("patch", strings.Repeat(good, 101)), "has 101 files, more than 100")
	f.fails("apply_patch", with("patch", "--- a/g\n+++ b/g\n"+strings.Repeat("@@ -1 +1 @@\n-g\n+g\n", 1001)), "more than 1000 hunks")
	f.fails("apply_patch", with("patch", "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+"+strings.Repeat("x", 4<<20)),
		"more than the 4194304 of a file")
	f.Limits.WriteBytes = 10
	three := ""
	for _, name := range []string{"1", "2", "3"} {
		f.put(name, "g\n1234567\n")
		three += strings.ReplaceAll(good, "/g", "/"+name)
	}
	f.fails("apply_patch", with("patch", three), "more than 40 bytes together")
	f.Limits.WriteBytes = 0
	f.Readable = func(path string) bool { return path != "g" }
	f.fails("preview_patch", with("patch", strings.Replace(good, "-g", "-guess", 1)), `"g" may not be read`)
}

func TestApplyPatchToSeveralFiles(t *testing.T) {
	f := newFolder(t, map[string]string{"a b.txt": "one\n", "old/run.sh": "echo\n", "gone": "x\ny\n", "copied": "c\n", "src/\u00e4\"x": "q\n"})
	must(t, os.Chmod(filepath.Join(f.dir, "old/run.sh"), 0o755))
	patch := "diff --git a/a b.txt b/a b.txt\n--- a/a b.txt\n+++ b/a b.txt\n@@ -1 +1 @@\n-one\n+two\n" +
		"diff --git a/old/run.sh b/new/run.sh\nsimilarity index 90%\nrename from old/run.sh\nrename to new/run.sh\n--- a/old/run.sh\n" +
		"+++ b/new/run.sh\n@@ -1 +1 @@\n-echo\n+ls\n" +
		"diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n" +
		"diff --git a/copied b/copy\nsimilarity index 100%\ncopy from copied\ncopy to copy\n" +
		"diff --git a/empty b/empty\nnew file mode 100644\nindex 0000000..e69de29\n" +
		"diff --git a/tool b/tool\nnew file mode 100755\n--- /dev/null\n+++ b/tool\n@@ -0,0 +1 @@\n+#!\n" +
		"diff --git \"a/src/\\303\\244\\\"x\" \"b/src/\\303\\244\\\"x\"\n--- \"a/src/\\303\\244\\\"x\"\n+++ \"b/src/\\303\\244\\\"x\"\n" +
		"@@ -1 +1 @@\n-q\n+Q\n"
	call := json.RawMessage(with("patch", patch))
	changes, err := f.Plan(context.Background(), "apply_patch", call)
	must(t, err)
	a, r := f.call("apply_patch", string(call))
	equal(t, "files", a["files"], json.RawMessage(`[{"action":"change","added":1,"hunks":["1"],"path":"a b.txt","removed":1},`+
		`{"action":"rename","added":1,"from":"old/run.sh","hunks":["1"],"path":"new/run.sh","removed":1},`+
		`{"action":"delete","added":0,"hunks":["1-2"],"path":"gone","removed":2},{"action":"copy","added":0,"from":"copied","path":"copy","removed":0},`+
		`{"action":"create","added":0,"path":"empty","removed":0},{"action":"create","added":1,"hunks":["1"],"path":"tool","removed":0},`+
		`{"action":"change","added":1,"hunks":["1"],"path":"src/ä\"x","removed":1}]`))
	equal(t, "line", r.Line, `apply_patch 7 files (+4 -5): a b.txt, new/run.sh, gone, copy, empty, tool, src/ä"x`)
	equal(t, "wrote", r.Wrote, []string{"a b.txt", "new/run.sh", "old/run.sh", "gone", "copy", "empty", "tool", "src/ä\"x"})
	if !f.Done(changes) || len(changes) != 8 {
		t.Errorf("not done: %v", changes)
	}
	all := f.all()
	for name, want := range map[string]string{"a b.txt": "-rw-r--r-- two\n", "new/run.sh": "-rwxr-xr-x ls\n", "copy": "-rw-r--r-- c\n",
		"copied": "-rw-r--r-- c\n",
		"empty":  "-rw-r--r-- ", "tool": "-rwxr-xr-x #!\n", "src/ä\"x": "-rw-r--r-- Q\n", "gone": "", "old/run.sh": ""} {
		equal(t, name, all["work space ü/"+name], want)
	}
	f.ok("apply_patch", with("patch",
		"*** Begin Patch\n*** Add File: n/new\n+1\n+2\n\n*** Delete File: copy\n*** Update File: tool\n*** Move to: bin/tool\n@@\n-#!\n"+
			"+#!/bin/sh\n*** End Patch\n"))
	equal(t, "envelope", []string{f.get("n/new"), f.get("bin/tool")}, []string{"1\n2\n", "#!/bin/sh\n"})
	f.ok("apply_patch", with("patch", "--- a/made\n+++ b/made\n@@ -0,0 +1,2 @@\n+1\n+2\n"))
	equal(t, "made", f.get("made"), "1\n2\n")
}

// TestPatchAsGit applies what git makes of random changes, and must get what git has.
func TestPatchAsGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
	for i, texts := range [][2]string{
		{numbered(40), strings.NewReplacer("line 3\n", "", "line 17", "x\n-- y\n++ z", "line 38\n", "\n\n").Replace(numbered(40))},
		{"a\r\nb\r\nc\r\n", "a\r\nB\nc\r\nd"}, {"", "x"}, {"x", ""}, {"a\nb", "a\nb\n"},
		{strings.Repeat("x\n", 50), strings.Repeat("x\n", 20) + "y\n" + strings.Repeat("x\n", 28)},
		{"\n\n\n", "\n\n"}, {"tab\there \n", "tab\tthere \n"},
	} {
		for _, context := range []string{"-U0", "-U3"} {
			f := newFolder(t, map[string]string{"f": texts[0], "../new": texts[1]})
			diff := exec.Command("git", "-c", "core.quotepath=on", "diff", "--no-index", context, "--", f.dir+"/f", filepath.Dir(f.dir)+"/new")
			out, _ := diff.Output() // it ends with 1 if there are differences
			at := strings.Index(string(out), "\n@@")
			if at < 0 {
				t.Fatalf("git says %q", out)
			}
			f.ok("apply_patch", with("patch", "--- a/f\n+++ b/f"+string(out[at:])))
			equal(t, fmt.Sprint(i, context), f.get("f"), texts[1])
		}
	}
}

// TestAllOrNothing has the last file of a plan fail while the others are replaced.
func TestAllOrNothing(t *testing.T) {
	f := newFolder(t, map[string]string{"a": "a", "b": "b"})
	must(t, os.Chmod(filepath.Join(f.dir, "a"), 0o600))
	before := f.all()
	changes := []change{
		{path: "a", before: hash([]byte("a")), after: []byte("A"), had: []byte("a"), hadMode: 0o600, mode: 0o640}, {path: "n/n",
			after: []byte("n")},
		{path: "b", before: hash([]byte("b")), remove: true, had: []byte("b"), hadMode: 0o644},
		{path: "missing", remove: true}, // there is nothing to remove
	}
	if err := f.commit(context.Background(), changes); err == nil || !strings.Contains(err.Error(), `"missing": it does not exist`) {
		t.Errorf("%v", err)
	}
	equal(t, "afterwards", f.all(), before)
}
