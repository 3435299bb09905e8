package acceptance

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/agenttest"
	driver "github.com/longshift/longshift/internal/agent/claude"
	"github.com/longshift/longshift/internal/sourcetree"
	"github.com/longshift/longshift/test/lab"
)

var transcript = flag.String("transcript", "", "a file for the transcript of the first hour on a new machine; it needs root, debootstrap and a network")

const transcriptPage = `# The first hour

What a user without rights types on a new Debian with Go, git and make, from the clone to the merge of a task's branch, and what is said.
` + "`make first-hour`" + ` plays it and writes this page; long outputs are cut to their ends. The model is scripted, and the plan is approved at once in a third
terminal. Lines that begin with # are root's.

` + "```text\n%s```\n"

// firstTask is what the README has people ask for first, in a repository that needs nothing from a registry.
func firstTask() story {
	const test = `package calc

import "testing"

func TestAdd(t *testing.T) {
	if got := Add(2, 3); got != 5 {
		t.Errorf("Add(2, 3) = %d", got)
	}
}
`
	a := archive{name: "calc", base: map[string]string{"go.mod": "module example.com/calc\n\ngo 1.26\n", "calc_test.go": test,
		"calc.go": "package calc\n\nfunc Add(a, b int) int { return a - b }\n"},
		meant: map[string]string{"calc.go": "package calc\n\nfunc Add(a, b int) int { return a + b }\n"}}
	return story{name: "first", archive: a, ask: "fix the failing tests", look: []step{read("calc_test.go")}, work: []work{{
		id: "FIX-001", message: "fix: add numbers",
		steps: []step{red("go test ./...", "Add(2, 3) = -1"), read("calc.go"), a.change("calc.go"), bash("go test ./...", "ok")},
	}}}
}

// hour is the first hour of an ordinary user on a machine that has nothing but Go, git and make.
type hour struct {
	t    *testing.T
	root string
	page strings.Builder
}

// TestFirstHour does what the README says on a new Debian, from the clone to the merge of a task's branch, and writes down what was typed and
// said. It compiles the server from nothing, so it runs only when it is asked for.
func TestFirstHour(t *testing.T) {
	if *transcript == "" {
		t.Log("nothing to do without -transcript; see make first-hour")
		return
	}
	h := newMachine(t)
	y := firstTask()
	said := script([]story{y})
	said.Key = key
	model := agenttest.NewServer(t, said)
	h.build()
	h.task(y, model.URL)
	must(t, os.WriteFile(*transcript, []byte(fmt.Sprintf(transcriptPage, h.page.String())), 0o644))
}

// newMachine installs a Debian with git and make, and a user ann.
func newMachine(t *testing.T) *hour {
	t.Helper()
	root, err := os.MkdirTemp("/var/tmp", "longshift-machine-")
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(root)) })
	must(t, os.Chmod(root, 0o755))
	out, err := exec.Command(program(t, "debootstrap"), "--variant=minbase", "--include=ca-certificates,git,make", "bookworm", root).CombinedOutput()
	if err != nil {
		t.Fatalf("debootstrap: %v\n%s", err, out[max(0, len(out)-2000):])
	}
	h := &hour{t: t, root: root}
	must(t, os.MkdirAll(filepath.Join(root, "src"), 0o755))
	must(t, os.MkdirAll(filepath.Join(root, "usr/local/go"), 0o755))
	h.must("root", "useradd --create-home --shell /bin/bash ann")
	return h
}

// onMachine makes the folder $1 the root of its mount namespace, with Go, this project at /src, and what the network needs, and runs the
// command $3 of the user $2 there. /proc is mounted anew and whole, because sandboxes on that machine mount theirs.
const onMachine = `set -e
mount --make-rprivate /
mount --bind "$1" "$1"
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
mount -o bind,ro "$4" "$1/usr/local/go"
mount -o bind,ro "$5" "$1/src"
mount -o bind,ro /etc/resolv.conf "$1/etc/resolv.conf"
mount -o bind,ro /etc/ssl/certs "$1/etc/ssl/certs"
cd "$1"
pivot_root . mnt
cd /
umount -l /mnt
exec su --login "$2" --command "$3"
`

// command is a shell on that machine. All that it starts ends with it.
func (h *hour) command(ctx context.Context, user, script string) *exec.Cmd {
	return exec.CommandContext(ctx, program(h.t, "unshare"), "--mount", "--pid", "--ipc", "--fork", "--kill-child", "/bin/sh", "-c", onMachine, "sh",
		h.root, user, "export PATH=~/.local/bin:$PATH:/usr/local/go/bin LANG=C.UTF-8\n"+script, ask(h.t, "go", "env", "GOROOT"), sourcetree.Root())
}

// must runs what belongs to the stage and not to the transcript.
func (h *hour) must(user, script string) string {
	h.t.Helper()
	out, err := h.command(h.t.Context(), user, script).CombinedOutput()
	if err != nil {
		h.t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}

// types runs a command as it is typed, writes it down with its output and time, and returns the output. code is what it must end with.
func (h *hour) types(user, dir, env, line string, code int) string {
	h.t.Helper()
	said, took := h.runs(user, dir, env, line, code)
	h.writes(user, line, said, took)
	return said
}

// runs is types without writing anything down.
func (h *hour) runs(user, dir, env, line string, code int) (said string, took time.Duration) {
	h.t.Helper()
	begun := time.Now()
	var out bytes.Buffer
	cmd := h.command(h.t.Context(), user, "cd "+dir+" && "+env+"\n"+line)
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != code {
		h.t.Fatalf("%s ended with %d, want %d:\n%s", line, got, code, out.String())
	}
	return out.String(), time.Since(begun)
}

const transcriptLines = 30 // of one command's output

// writes adds a command to the transcript.
func (h *hour) writes(user, line, output string, took time.Duration) {
	prompt := map[string]string{"ann": "$", "root": "#"}[user]
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(output, "\r", "")), "\n")
	if n := len(lines) - transcriptLines; n > 0 {
		lines = append([]string{fmt.Sprintf("[... %d lines ...]", n)}, lines[n:]...)
	}
	fmt.Fprintf(&h.page, "%s %s\n%s\n", prompt, line, strings.Join(lines, "\n"))
	if took > time.Second {
		fmt.Fprintf(&h.page, "[%s]\n", took.Round(time.Second))
	}
	h.page.WriteString("\n")
}

// build carries out the README's first part.
func (h *hour) build() {
	h.must("ann", "git config --global safe.directory /src/.git && git clone --quiet /src longshift")
	said := h.types("ann", "longshift", "true", "make demo", 2)
	install := regexp.MustCompile(`sudo (apt-get install .*?)(?: \(|\n)`).FindStringSubmatch(said)
	if install == nil {
		h.t.Fatalf("make demo does not say how to get what is missing:\n%s", said)
	}
	h.must("root", "apt-get update")
	h.types("root", "/", "export DEBIAN_FRONTEND=noninteractive", install[1]+" --yes -qq >/dev/null", 0)
	h.types("ann", "longshift", "true", "make demo", 0)
}

// task carries out the second part: a task in a repository of one's own, whose plan is approved in a third terminal.
func (h *hour) task(y story, model string) {
	h.types("root", "/", "export DEBIAN_FRONTEND=noninteractive", "apt-get install --yes -qq nodejs npm >/dev/null", 0)
	h.types("ann", "~", "true", "npm install --silent --global --prefix ~/.local "+"@anthropic-ai/claude-code@"+driver.Pinned, 0)
	h.must("ann", `git config --global user.name Ann && git config --global user.email ann@example.com && git config --global init.defaultBranch main`)
	write(h.t, filepath.Join(h.root, "home/ann/calc"), y.archive.base)
	h.must("root", "chown -R ann:ann /home/ann/calc")
	h.must("ann", "cd calc && git init -q && git add . && git commit -q -m 'Add two numbers'")

	// The model is at another address than Anthropic's, which the transcript leaves out.
	env := "export NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt ANTHROPIC_API_KEY=" + key + " ANTHROPIC_BASE_URL=" + model
	h.types("ann", "calc", env, "../longshift/bin/longshift init", 0)
	h.must("ann", "cd calc && git add . && git commit -q -m 'Say how Longshift checks the work'")
	dev := h.starts("longshift", env, "bin/longshift dev")
	h.says(dev, `longshift run "`)
	run := h.starts("calc", "true", `../longshift/bin/longshift run "`+y.ask+`"`)
	id := h.says(run, `longshift approve (\S+)`)[1]
	approve := "../longshift/bin/longshift approve " + id
	approved, waited := h.runs("ann", "calc", "true", approve, 0)
	if err := run.cmd.Wait(); err != nil {
		h.t.Fatalf("%s: %v\n%s", run.line, err, run.said(h.t))
	}
	h.writes("ann", dev.line, dev.said(h.t), 0)
	h.writes("ann", run.line, run.said(h.t), time.Since(run.begun))
	h.writes("ann", approve, approved, waited)
	branch := h.says(run, `git merge (\S+)`)[1]
	h.types("ann", "calc", "true", "git merge --quiet "+branch+" && go test ./...", 0)
}

// running is a program in a terminal of its own. It ends with the test.
type running struct {
	line  string
	begun time.Time
	out   string
	cmd   *exec.Cmd
}

func (r *running) said(t testing.TB) string {
	text, err := os.ReadFile(r.out)
	must(t, err)
	return string(text)
}

func (h *hour) starts(dir, env, line string) *running {
	h.t.Helper()
	out, err := os.Create(filepath.Join(h.t.TempDir(), "out"))
	must(h.t, err)
	defer out.Close()
	r := &running{line: line, begun: time.Now(), out: out.Name(), cmd: h.command(h.t.Context(), "ann", "cd "+dir+" && "+env+"\nexec "+line)}
	r.cmd.Stdout, r.cmd.Stderr = out, out
	must(h.t, r.cmd.Start())
	h.t.Cleanup(func() {
		if h.t.Failed() {
			h.t.Logf("%s said:\n%s", line, r.said(h.t))
		}
	})
	return r
}

// says waits until a program has printed something.
func (h *hour) says(r *running, pattern string) (found []string) {
	h.t.Helper()
	lab.Eventually(h.t, 3*time.Minute, r.line+" says "+pattern, func() bool {
		found = regexp.MustCompile(pattern).FindStringSubmatch(r.said(h.t))
		return found != nil
	})
	return found
}
