package acceptance

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/longshift/longshift/test/lab"
)

// person is somebody at this machine with a home folder of their own: nothing of the home and the environment of whoever runs the
// tests is theirs.
type person struct {
	t    testing.TB
	home string
	path string
	user *syscall.Credential // nil for the user who runs the tests

	nameless bool // the environment names nobody
}

// newPerson makes a home as the README's reader has it: git knows them, Claude Code is installed, Longshift is built.
func newPerson(t testing.TB, user *syscall.Credential) *person {
	t.Helper()
	base, err := os.MkdirTemp("/var/tmp", "longshift-acceptance-") // not /tmp: programs of a task have one of their own
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(base); err != nil {
			t.Errorf("remove the home folder: %v", err)
		}
	})
	p := &person{t: t, home: filepath.Join(base, "home"), user: user}
	local := filepath.Join(p.home, ".local", "bin")
	p.path = strings.Join(append([]string{local}, toolFolders(t)...), ":")
	must(t, os.MkdirAll(local, 0o755))
	p.install(claude(t), filepath.Join(local, "claude"))
	must(t, os.Mkdir(filepath.Join(p.home, "longshift"), 0o755))
	for _, name := range []string{"longshift", "longshift-worker", "longshift-devserver"} {
		p.install(lab.Program(t, name), filepath.Join(p.home, "longshift", name))
	}
	must(t, os.WriteFile(filepath.Join(p.home, ".gitconfig"), []byte("[user]\n\tname = Ann\n\temail = ann@example.com\n[init]\n\tdefaultBranch = main\n"), 0o644))
	p.owns(base)
	return p
}

// install gives the person a program of their own. It is a second name of the file where the file system can do that.
func (p *person) install(from, to string) {
	p.t.Helper()
	if os.Link(from, to) == nil {
		return
	}
	data, err := os.ReadFile(from)
	must(p.t, err)
	must(p.t, os.WriteFile(to, data, 0o755))
}

// links puts a program on the person's PATH by a link, as npm does.
func (p *person) links(name, path string) {
	p.t.Helper()
	must(p.t, os.Symlink(path, filepath.Join(p.home, ".local", "bin", name)))
}

// drops removes a program from the person's PATH.
func (p *person) drops(name string) {
	p.t.Helper()
	must(p.t, os.Remove(filepath.Join(p.home, ".local", "bin", name)))
}

// owns makes a folder and what is in it the person's.
func (p *person) owns(dir string) {
	p.t.Helper()
	must(p.t, os.Chmod(dir, 0o755))
	if p.user == nil {
		return
	}
	must(p.t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.Mode().IsRegular() && info.Mode()&0o111 != 0 && info.Size() > 1<<20 {
			return err // installed programs are other names of files that others use
		}
		return os.Lchown(path, int(p.user.Uid), int(p.user.Gid))
	}))
}

// env is a plain login's environment.
func (p *person) env(more ...string) []string {
	if !p.nameless {
		more = append(more, "USER=ann", "LOGNAME=ann")
	}
	return append([]string{"HOME=" + p.home, "PATH=" + p.path, "SHELL=/bin/bash", "LANG=C.UTF-8"}, more...)
}

// command is a program that the person starts in a folder.
func (p *person) command(ctx context.Context, dir, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env = dir, p.env()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: p.user}
	return cmd
}

// git runs git and gives what it prints.
func (p *person) git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	var errs bytes.Buffer
	cmd := p.command(t.Context(), dir, program(t, "git"), args...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, errs.String())
	}
	return strings.TrimSuffix(string(out), "\n")
}

// ran is what a program printed, and its exit code.
type ran struct {
	out, err string
	code     int
}

// longshift runs the command line in a folder and waits for its end.
func (p *person) longshift(t testing.TB, within time.Duration, dir string, env []string, args ...string) ran {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := p.command(ctx, dir, filepath.Join(p.home, "longshift", "longshift"), args...)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || !exit.Exited()) {
		t.Fatalf("longshift %q: %v\n%s%s", args, err, out.String(), errs.String())
	}
	return ran{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// folder makes a folder in the home.
func (p *person) folder(name string) string {
	p.t.Helper()
	dir := filepath.Join(p.home, name)
	must(p.t, os.MkdirAll(dir, 0o755))
	p.owns(dir)
	return dir
}

// leftNothing fails the test when more stands in the home folder than the person has put there, or something still runs for it.
func (p *person) leftNothing() {
	p.t.Helper()
	entries, err := os.ReadDir(p.home)
	must(p.t, err)
	for _, e := range entries {
		if !slices.Contains([]string{"longshift", ".gitconfig", ".local", ".cache", "src", "tmp"}, e.Name()) {
			files, _ := fs.Glob(os.DirFS(p.home), e.Name()+"/*/*")
			p.t.Errorf("left in the home folder: %s %q", e.Name(), files)
		}
	}
	if left := lab.Marked(p.t, filepath.Dir(p.home)+"/"); len(left) != 0 {
		p.t.Errorf("processes left behind: %q", left)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
