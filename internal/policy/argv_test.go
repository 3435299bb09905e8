package policy

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/policy/grammar"
	"github.com/longshift/longshift/task"
)

// box runs scripts under the real bash in a sandbox where every program is a stub that notes its words.
type box struct {
	dir string
}

// newBox makes one, and skips the test where the machine can't; with CI set that is a failure.
func newBox(t testing.TB) *box {
	t.Helper()
	missing := func(why string) {
		if os.Getenv("CI") == "true" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	for _, tool := range []string{"bwrap", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			missing(tool + " is not installed; argv can't be compared")
		}
	}
	b := &box{dir: t.TempDir()}
	for _, d := range []string{"stub", "log"} {
		if err := os.MkdirAll(filepath.Join(b.dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	stub := "#!/bin/bash -p\nprintf -v line '%q ' \"${0##*/}\" \"$@\"\nprintf '%s\\n' \"$line\" >> /log/argv\necho src/main.go\n"
	if err := os.WriteFile(filepath.Join(b.dir, "stub", ".stub"), []byte(stub), 0o755); err != nil {
		t.Fatal(err)
	}
	for name := range newPolicy(t, openConfig()).programs {
		if name == "[" || strings.Contains(name, "/") {
			continue
		}
		if err := os.Symlink(".stub", filepath.Join(b.dir, "stub", name)); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := b.bash("true"); err != nil {
		missing(fmt.Sprintf("no sandbox here: %v: %s", err, out))
	}
	return b
}

func (b *box) cmd(ctx context.Context, tree string, script ...string) *exec.Cmd {
	args := []string{"--tmpfs", "/", "--ro-bind", "/usr", "/usr"}
	for _, d := range []string{"/bin", "/sbin", "/lib", "/lib64"} {
		if target, err := os.Readlink(d); err == nil {
			args = append(args, "--symlink", target, d)
		} else if _, err := os.Stat(d); err == nil {
			args = append(args, "--ro-bind", d, d)
		}
	}
	args = append(args, "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", home, "--bind", tree, root, "--ro-bind", filepath.Join(b.dir, "stub"), "/stub",
		"--bind", filepath.Join(b.dir, "log"), "/log", "--unshare-all", "--die-with-parent", "--new-session", "--chdir", root, "--clearenv", "--setenv", "PATH", "/stub",
		"--setenv", "HOME", home, "--setenv", "TMPDIR", "/tmp", "--setenv", "LC_ALL", "C.UTF-8", "/bin/bash", "--noprofile", "--norc", "-p")
	cmd := exec.CommandContext(ctx, "bwrap", append(args, script...)...)
	cmd.WaitDelay = time.Second
	return cmd
}

// tree makes a small working tree.
func (b *box) tree(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(b.dir, "tree")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"go.mod", "main.go", "a_test.go", "README.md", "names.txt", "src/main.go", "src/b.go", "docs/a.md", "web/package.json", "out/.keep", "testdata/x.bin", "Makefile", "package.json"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, f)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, f), []byte("one line\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func (b *box) bash(script string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	out, err := b.cmd(ctx, b.dir, "-c", script).CombinedOutput()
	return string(out), err
}

// ran returns the words of every program that a script starts.
func (b *box) ran(t testing.TB, script string) [][]string {
	t.Helper()
	log := filepath.Join(b.dir, "log", "argv")
	if err := os.WriteFile(log, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	tree := b.tree(t)
	defer func() { _ = os.RemoveAll(tree) }()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = b.cmd(ctx, tree, "-c", script).Run() // how the script ends is its own business
	raw, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]string
	for line := range strings.Lines(string(raw)) {
		words, ok := unquote(strings.TrimSuffix(line, " \n"))
		if !ok {
			t.Fatalf("%q: can't read the log line %q", script, line)
		}
		all = append(all, words)
	}
	return all
}

// unquote reads what printf %q writes: backslashes, $'...', ”.
func unquote(line string) ([]string, bool) {
	var words []string
	var w strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == ' ':
			words = append(words, w.String())
			w.Reset()
		case line[i] == '\\' && i+1 < len(line):
			i++
			w.WriteByte(line[i])
		case strings.HasPrefix(line[i:], "''"):
			i++
		case strings.HasPrefix(line[i:], "$'"):
			end := i + 2
			for end < len(line) && line[end] != '\'' {
				if line[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(line) {
				return nil, false
			}
			text, _ := ansi(line[i+2 : end])
			w.WriteString(text)
			i = end
		default:
			w.WriteByte(line[i])
		}
	}
	return append(words, w.String()), true
}

// covers reports whether the words that the policy has judged stand for what was run: literal words exactly, unknown ones for
// anything, "many" ones for any number.
func covers(judged []grammar.Word, ran []string) bool {
	if len(judged) == 0 {
		return len(ran) == 0
	}
	w := judged[0]
	if w.Many {
		return covers(judged[1:], ran) || len(ran) > 0 && covers(judged, ran[1:])
	}
	if len(ran) == 0 {
		return false
	}
	if text, ok := w.Text(); ok {
		return text == ran[0] && covers(judged[1:], ran[1:])
	}
	return strings.HasPrefix(ran[0], w.Prefix()) && covers(judged[1:], ran[1:])
}

// compare runs a script and fails when something was run that was not judged.
func compare(t testing.TB, b *box, p *Policy, script string, refusedToo bool) (compared int) {
	t.Helper()
	var judged [][]grammar.Word
	d := p.decide(Request{Role: task.Implementer, Command: script},
		observers{command: func(w []grammar.Word) { judged = append(judged, append([]grammar.Word(nil), w...)) }})
	if d.Verdict != Allow && !refusedToo {
		return 0
	}
	for _, words := range b.ran(t, script) {
		compared++
		found := false
		for _, w := range judged {
			name, _ := w[0].Text()
			w = append([]grammar.Word{grammar.Lit(filepath.Base(name))}, w[1:]...)
			found = found || covers(w, words)
		}
		if !found {
			t.Errorf("%q: bash ran %q, which was not judged; judged were %v", script, words, judged)
		}
	}
	return compared
}

func TestArgvIsWhatBashRuns(t *testing.T) {
	b := newBox(t)
	p := newPolicy(t, openConfig())
	compared := 0
	for _, r := range corpus(t, "policy-benign.jsonl") {
		if strings.Contains(r.Command, "sleep") {
			continue
		}
		compared += compare(t, b, p, r.Command, false)
	}
	for _, s := range tricky {
		n := compare(t, b, p, s, true)
		if n == 0 {
			t.Errorf("%q was not compared: %+v", s, decide(p, s))
		}
		compared += n
	}
	if compared < 300 {
		t.Fatalf("only %d commands compared", compared)
	}
	t.Logf("%d commands compared", compared)
}

// tricky are scripts whose words take some work.
var tricky = []string{
	`cat a\ b 'c d'"e f"g`, `cat $'a\x41\102\u00e9\n'`, `cat {a,b}{1..3}.txt x{,y}z`, `cat {01..03} {c..a} {1..9..4}`, `cat a{b}c {} {a,b} "{a,b}" \{a,b\}`,
	`x='a b'; cat $x "$x"`, `x="a  b"; cat -- $x`, `x='*.go'; cat -- $x`, `x=; cat a $x "$x" b`, `cat ${1:-none} "$2" $3`, `a=(x 'y z'); cat "${a[@]}" "${a[1]}"`,
	`for f in a 'b c'; do cat "$f"; done`, `for f in *.go; do cat "${f%.go}.md"; done`, `x=src/main.go; cat "${x##*/}" "${x%/*}"`, `x=Ab; cat "${x,,}" "${x^^}" ${#x}`,
	`cat a"b"'c'\d$(echo e)`, "cat `echo a b`", `cat "$(echo 'a b')"`, `n=3; cat $((n+1)).txt`, `cat a#b '#c' #d`, "cat a \\\n b", `cat "a\$b\"c\` + "`" + `d\e"`,
	`cat [ab].txt *.nothing`, `cat ./-x`, `cat "$PWD/a"`, `x=1; x+=2; cat $x`, `cd src && cat main.go`, `cat <(cat a)`, `cat 2>/dev/null a`, `cat a=b`, `cat "a
b"`, `cat <<< x a`, `cat "${x-y}"`, `x=a; cat ${x:+b}`, `! cat a`, `{ cat a; }`, `if cat a; then cat b; fi`, `i=0; while [ $i -lt 2 ]; do i=$((i+1)); cat $i; done`,
	`case a in a) cat b;; esac`, `x=a; case $x in b) cat c;; *) cat d;; esac`, `cat a & wait`, `FOO=1 cat a`, `x=a; (x=b; cat $x); cat $x`, `cat a | cat b | cat c`,
	`command cat a`, `for i in {1..3}; do cat $i; [ $i = 2 ] && break; done; cat $i`, `x=a; for y in 1 2; do cat $x; x=b; done`, `cat ~+/a`, `x=$(cat a); cat "$x"`,
	`cat é 'ü' "✓"`, `cat a\
b`, `cat ''`, `cat "" a`, `cat '' '' b`, `cat $'a\tb'`, `cat "$(printf 'a\n\n')"`, `x=" a "; cat b$x'c'`, `x="a b"; cat p${x}s`, `cat a{1,2}$((1+1))`, `cat -- -*`,
	`printf -- a; cat b`, `true && cat a || cat b`, `false || cat a`, `cat a;cat b;`, `time cat a`, `cat "${x:-a b}" ${y:-c d}`, `select=1; cat $select`, `cat \* '?' "[a]"`,
	`a=(1 2 3); for x in "${a[@]}"; do cat $x; done`, `a=(1); a+=(2); cat "${a[@]}"`, `cat "${a[0]-x}"`, `let x=1+2; cat $x`, `((x=4)); cat $x`, `cat $((0x10)) $((2#101))`,
	`export FOO=bar; cat $FOO`, `declare y=z; cat $y`, `readonly q=r; cat $q`, `read -r l < names.txt; cat "$l"`, `while read -r l; do cat "$l"; done < names.txt`,
	`cat names.txt | while read -r l; do cat "$l"; done`, `x=a; x=${x}b; cat $x`, `set -e; cat a; cat b`, `set -euo pipefail; cat a`,
}
