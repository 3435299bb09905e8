package activities

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/redact"
)

// canary is a value that the worker holds. token belongs to somebody else; it is joined here so that no scanner reports it.
const (
	canary = "sk-" + "ant-canary-Zq81mPw0TbY5nUe3RkX7"
	token  = "gh" + "p_Kd72fLq9WxN4vBt6HyS1Mz8Rc3Gj5Tp0Ew"
)

// repository is a real git repository.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T, files map[string]string) *repository {
	t.Helper()
	r := &repository{t, t.TempDir()}
	r.git("init", "-q", "-b", "main")
	r.commit(files)
	return r
}

func (r *repository) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b.c",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b.c"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// commit writes files, removes those whose content is "", and commits everything.
func (r *repository) commit(files map[string]string) {
	r.t.Helper()
	for name, content := range files {
		file := filepath.Join(r.dir, name)
		if content == "" {
			must(r.t, os.Remove(file))
			continue
		}
		must(r.t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(r.t, os.WriteFile(file, []byte(content), 0o644))
	}
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "x", "--allow-empty")
}

// pushed returns the changes that a push of all commits but the first would publish.
func (r *repository) pushed() string {
	return r.git("log", "--format=commit %H", "--patch", "--text", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--diff-merges=separate",
		r.git("rev-list", "--max-parents=0", "HEAD")[:40]+"..HEAD")
}

func scan(t *testing.T, diff string, texts map[string]string) []Leak {
	t.Helper()
	leaks, err := scanLeaks(redact.New(canary), strings.NewReader(diff), texts)
	must(t, err)
	return leaks
}

// pem looks like a private key and is none.
var pem = "-----BEGIN PRIVATE" + " KEY-----\n" + strings.Repeat("MIx2Jc7Vb4NmLq9Ks0Dh3Fg6Pa8Yt1Ur5We+iOoKjhgzxc/vQWE98SDF1rtyuBN\n", 8) +
	"-----END PRIVATE" + " KEY-----\n"

var fortyLines = strings.Repeat("one\ntwo\nthree\nfour\nfive\n", 8)

// wide is a text in UTF-16.
func wide(text string, order binary.AppendByteOrder) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, unit)
	}
	return string(out)
}

func TestLeaksInFiles(t *testing.T) {
	t.Parallel()
	coded := base64.StdEncoding.EncodeToString([]byte("config: " + canary + "\n" + fortyLines))
	wrapped := coded[:40] + "\n" + coded[40:80] + "\n" + coded[80:]
	for _, c := range []struct {
		name   string
		before map[string]string
		after  map[string]string
		want   []Leak
	}{
		{"nothing", nil, map[string]string{"a.go": fortyLines}, nil},
		{"a value", map[string]string{"a.go": fortyLines}, map[string]string{"a.go": fortyLines + "key := \"" + canary + "\"\n"}, []Leak{{"held-value", "a.go", 41}}},
		{"two hunks", map[string]string{"a.go": fortyLines}, map[string]string{"a.go": "zero\n" + fortyLines[:100] + token + "\n" + fortyLines[100:] + canary + "\n"},
			[]Leak{{"github-token", "a.go", 23}, {"held-value", "a.go", 43}}},
		{"base64 over lines", nil, map[string]string{"dir/a b.txt": "first\n" + wrapped}, []Leak{{"held-value:base64", "dir/a b.txt", 2}}},
		{"two lines", nil, map[string]string{"a.py": "k = (\"" + canary[:9] + "\"\n     \"" + canary[9:] + "\")\n"}, []Leak{{"held-value:split", "a.py", 1}}},
		{"one sign a line", nil, map[string]string{"a.txt": strings.Join(strings.Split(canary, ""), "\n") + "\n"}, []Leak{{"held-value:split", "a.txt", 1}}},
		{"among lines that stay", map[string]string{"a.txt": "--\n==\n--\n"}, map[string]string{"a.txt": "--\n" + canary[:9] + "\n==\n" + canary[9:] + "\n--\n"}, []Leak{{"held-value:split", "a.txt", 2}}},
		{"taken out", map[string]string{"a.txt": canary + "\nrest\n"}, map[string]string{"a.txt": "rest\n"}, nil},
		{"stays", map[string]string{"a.txt": canary + "\n"}, map[string]string{"a.txt": canary + "\nmore\n"}, nil},
		{"moved", map[string]string{"m.txt": token + "\n", "x.pem": pem}, map[string]string{"m.txt": "", "z.txt": token + "\n", "x.pem": "", "a.yaml": "key: |\n  " + strings.ReplaceAll(pem, "\n", "\n  ")}, nil},
		{"a value that is moved", map[string]string{"a.txt": canary + "\n"}, map[string]string{"a.txt": "", "b.txt": canary + "\n"}, []Leak{{"held-value", "b.txt", 1}}},
		{"same line changed", map[string]string{"a.go": "key := \"" + token + "\"\n"}, map[string]string{"a.go": "const key = \"" + token + "\" // renamed\n"}, nil},
		{"another token", map[string]string{"a.go": token + "\n"}, map[string]string{"a.go": token[:20] + "x" + token[21:] + "\n"}, []Leak{{"github-token", "a.go", 1}}},
		{"file removed", map[string]string{canary: canary + "\n"}, map[string]string{canary: ""}, nil},
		{"no line end", nil, map[string]string{"a.txt": "x\n" + canary}, []Leak{{"held-value", "a.txt", 2}}},
		{"binary", nil, map[string]string{"a.bin": "\x00\x01\n\x00" + canary + "\x00\xff"}, []Leak{{"held-value", "a.bin", 2}}},
		{"UTF-16", nil, map[string]string{"a.txt": wide("\uFEFFx\r\n"+token+"\r\n"+pem, binary.LittleEndian), "b.txt": wide("x\n"+canary+"\n"+token, binary.BigEndian)},
			[]Leak{{"github-token", "a.txt", 2}, {"private-key", "a.txt", 3}, {"held-value:split", "b.txt", 2}, {"held-value", "b.txt", 2}, {"github-token", "b.txt", 3}}},
		{"out of UTF-16", map[string]string{"a.txt": wide(token, binary.LittleEndian)}, map[string]string{"a.txt": token}, nil},
		{"strings of a program", nil, map[string]string{"a.bin": "\x00a\x00\x00" + token[:20] + "\x00" + token[20:] + "\x00b\x00"}, nil},
		{"looks like a header", nil, map[string]string{"a.txt": "++ b/other.go\n++ " + canary + "\n@@ -1 +1 @@\ndiff --git a/x b/x\n" + token + "\n"},
			[]Leak{{"held-value", "a.txt", 2}, {"github-token", "a.txt", 5}}},
		{"name", nil, map[string]string{"dir/" + canary + ".txt": "x\n"}, []Leak{{"held-value", "dir/[hidden].txt", 0}}},
		{"name of an empty file", map[string]string{"x": fortyLines}, map[string]string{"x": "", "dir/" + canary: fortyLines}, []Leak{{"held-value", "dir/[hidden]", 0}}},
		{"odd name", nil, map[string]string{"tab\t\"é\".txt": canary}, []Leak{{"held-value", "tab\t\"é\".txt", 1}}},
		{"placeholder", nil, map[string]string{"a.md": "gh" + "p_" + strings.Repeat("x", 36) + "\nAKIAIOSFODNN7" + "EXAMPLE\npostgres://user:password@localhost\n${TOKEN}\n"}, nil},
		{"private key", nil, map[string]string{"deploy/id_rsa": pem}, []Leak{{"private-key", "deploy/id_rsa", 1}}},
		{"private key of tests", nil, map[string]string{"tls/testdata/key.pem": pem, "tls/tls_test.go": "const key = `" + pem + "`\n", "contest.go": "`" + pem + "`\n"}, []Leak{{"private-key", "contest.go", 1}}},
		{"a value in tests", nil, map[string]string{"testdata/x": canary}, []Leak{{"held-value", "testdata/x", 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := map[string]string{"README": "x\n"}
			for name, content := range c.before {
				before[name] = content
			}
			r := newRepository(t, before)
			r.commit(c.after)
			if diff := cmp.Diff(c.want, scan(t, r.pushed(), nil)); diff != "" {
				t.Errorf("-want +got:\n%s\nof\n%s", diff, r.pushed())
			}
		})
	}
}

// A push publishes every commit, so also a secret that one commit adds and the next removes, and what a merge brings.
func TestLeaksBetweenCommits(t *testing.T) {
	t.Parallel()
	r := newRepository(t, map[string]string{"a.txt": "x\n"})
	r.commit(map[string]string{"key": canary + "\n"})
	r.commit(map[string]string{"key": ""})
	r.commit(map[string]string{"token": token + "\n"})
	r.commit(map[string]string{"token": ""})
	r.git("checkout", "-q", "-b", "side", "HEAD~4")
	r.commit(map[string]string{"side": "s\n"})
	r.git("checkout", "-q", "main")
	r.git("merge", "-q", "--no-commit", "side")
	r.commit(map[string]string{"merged": token + "\n"})
	want := []Leak{{"github-token", "merged", 1}, {"github-token", "token", 1}, {"held-value", "key", 1}}
	if diff := cmp.Diff(want, scan(t, r.pushed(), nil)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	combined := r.git("show", "--format=", "--text", "--cc", "HEAD")
	if diff := cmp.Diff(want[:1], scan(t, combined, nil)); diff != "" {
		t.Errorf("-want +got:\n%s\n%s", diff, combined)
	}
}

func TestLeaksInTexts(t *testing.T) {
	t.Parallel()
	got := scan(t, "", map[string]string{"pull request title": "Add " + canary,
		"pull request body": "Fixes\nit\n\n" + canary[:8] + "\n" + canary[8:] + "\n", "commit message": "Clean"})
	want := []Leak{{"held-value:split", "pull request body", 4}, {"held-value", "pull request title", 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got, err := scanLeaks(redact.New(canary), nil, map[string]string{"comment": "x " + canary}); err != nil || len(got) != 1 {
		t.Errorf("without a diff: %+v, %v", got, err)
	}
}

// Content that can't be searched must not pass as clean.
func TestPackedContentIsRefused(t *testing.T) {
	t.Parallel()
	r := newRepository(t, map[string]string{"a": "x\n"})
	r.commit(map[string]string{"b.bin": "\x00\x01" + canary})
	for _, flag := range []string{"--binary", "--patch"} {
		_, err := scanLeaks(redact.New(canary), strings.NewReader(r.git("diff", flag, "HEAD~1", "HEAD")), nil)
		if fault.KindOf(err) != fault.Internal || !strings.Contains(err.Error(), "--text") {
			t.Errorf("%s: %v", flag, err)
		}
	}
	broken := errors.New("pipe closed")
	if _, err := scanLeaks(nil, io.MultiReader(strings.NewReader("diff --git a/x b/x\n"), errorReader{broken}), nil); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

type errorReader struct{ err error }

func (e errorReader) Read([]byte) (int, error) { return 0, e.err }

// large streams a diff of a file of many megabytes, with secrets at its start, on the borders of the searched pieces, and at its end.
type large struct {
	left int // lines
	rest []byte
	each func(n int) string
}

func (l *large) Read(b []byte) (int, error) {
	if len(l.rest) == 0 {
		if l.left == 0 {
			return 0, io.EOF
		}
		l.left--
		l.rest = []byte(l.each(l.left))
	}
	n := copy(b, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// TestLeaksInLargeFiles reads the memory of the whole process, so it runs beside no other test.
func TestLeaksInLargeFiles(t *testing.T) {
	const lines = 200_000 // of 100 bytes
	head := "diff --git a/big b/big\nnew file mode 100644\n--- /dev/null\n+++ b/big\n@@ -0,0 +1,200000 @@\n"
	var want []Leak
	for n := 1; n <= lines; n += 997 {
		want = append(want, Leak{"held-value:split", "big", n})
	}
	diff := &large{left: lines, each: func(left int) string {
		line := strings.Repeat("lorem ipsum ", 8)
		switch n := lines - left; n % 997 {
		case 1:
			line += canary[:12]
		case 2:
			line = canary[12:] + line
		}
		return "+" + line + "\n"
	}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := scanLeaks(redact.New(canary), io.MultiReader(strings.NewReader(head), diff), nil)
	must(t, err)
	runtime.ReadMemStats(&after)
	if diff := cmp.Diff(want[:mostLeaks], got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 64<<20 {
		t.Errorf("%d MiB of memory for a diff of 20 MB", grown>>20)
	}
	long := "diff --git a/one b/one\n--- /dev/null\n+++ b/one\n@@ -0,0 +1,2 @@\n+" + strings.Repeat("x, ", 2<<20) + canary + "\n+" + token + "\n"
	if diff := cmp.Diff([]Leak{{"held-value", "one", 1}, {"github-token", "one", 2}}, scan(t, long, nil)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestLeakFault(t *testing.T) {
	t.Parallel()
	if err := leakFault(nil); err != nil {
		t.Errorf("got %v", err)
	}
	err := leakFault([]Leak{{"held-value", "a.go", 3}, {"github-token", "[hidden].txt", 0}})
	want := "not pushed, because it holds a secret: a.go line 3 (held-value), the name of [hidden].txt (github-token)"
	if err.Error() != want || fault.KindOf(err) != fault.Leak || fault.KindOf(err).Retryable() || !strings.Contains(fault.HintOf(err), "resume") {
		t.Errorf("%s: %v, %s", fault.KindOf(err), err, fault.HintOf(err))
	}
	many := slices.Repeat([]Leak{{"held-value", "a.go", 3}}, 9)
	if err := leakFault(many); !strings.HasSuffix(err.Error(), ", and 4 more") {
		t.Errorf("got %v", err)
	}
}

// No result or error contains the secret, whatever its form and place.
func TestLeakFaultTellsNothing(t *testing.T) {
	t.Parallel()
	for n, form := range []string{canary, strings.Join(strings.Split(canary, ""), " "), base64.StdEncoding.EncodeToString([]byte(canary)),
		fmt.Sprintf("%x", canary)} {
		diff := fmt.Sprintf("diff --git a/%[1]s b/%[1]s\nnew file mode 100644\n--- /dev/null\n+++ b/%[1]s\n@@ -0,0 +1 @@\n+%[1]s\n", form)
		leaks := scan(t, diff, map[string]string{"text " + form: form})
		if len(leaks) != 3 {
			t.Fatalf("%d: %+v", n, leaks)
		}
		text := fmt.Sprintf("%+v %v", leaks, leakFault(leaks))
		if strings.Contains(text, form) || strings.Contains(text, canary[8:]) || redact.New(canary).String(text) != text {
			t.Errorf("%s", text)
		}
	}
}

func BenchmarkScanLeaks(b *testing.B) {
	r := redact.New(canary, token)
	line := "+\tif err := tree.Checkpoint(ctx); err != nil { return fmt.Errorf(\"push the checkpoint: %w\", err) }\n"
	diff := []byte("diff --git a/x b/x\n+++ b/x\n@@ -0,0 +1 @@\n" + strings.Repeat(line, 1<<16))
	b.SetBytes(int64(len(diff)))
	for b.Loop() {
		if leaks, err := scanLeaks(r, bytes.NewReader(diff), nil); err != nil || len(leaks) != 0 {
			b.Fatal(leaks, err)
		}
	}
}
