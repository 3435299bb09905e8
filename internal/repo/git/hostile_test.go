package git

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// trap is a repository whose configuration names a program wherever git would run one, and an environment that does so too.
type trap struct {
	dir, ran string
	environ  []string
}

func newTrap(t *testing.T) trap {
	t.Helper()
	home := t.TempDir()
	h := trap{dir: filepath.Join(home, "repo"), ran: filepath.Join(home, "ran")}
	script := filepath.Join(home, "evil")
	write(t, script, "#!/bin/sh\necho $0 $@ >>"+h.ran+"\nexit 0\n")
	plain(t, "/", "init", "-q", "--template=", "--initial-branch=main", h.dir)
	write(t, filepath.Join(h.dir, "a.txt"), "one\n")
	plain(t, h.dir, "add", "-A")
	plain(t, h.dir, "commit", "-q", "-m", "First")
	for _, name := range []string{"pre-commit", "post-commit", "reference-transaction", "post-index-change", "post-checkout"} {
		write(t, filepath.Join(h.dir, ".git", "hooks", name), "#!/bin/sh\nexec "+script+" hook\n")
	}
	for _, name := range []string{"core.fsmonitor", "core.pager", "pager.log", "pager.status", "core.sshCommand", "core.askPass", "core.editor",
		"credential.helper", "gpg.program"} {
		plain(t, h.dir, "config", name, script)
	}
	plain(t, h.dir, "config", "protocol.ext.allow", "always")
	plain(t, h.dir, "config", "alias.status", "!"+script)
	write(t, filepath.Join(home, ".gitconfig"), "[core]\n\tfsmonitor = "+script+"\n\tpager = "+script+"\n\taskPass = "+script+"\n[credential]\n\thelper = "+script+"\n")
	elsewhere := filepath.Join(home, "elsewhere")
	plain(t, "/", "init", "-q", "--bare", elsewhere)
	h.environ = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_DIR=" + elsewhere, "GIT_ASKPASS=" + script, "SSH_ASKPASS=" + script,
		"SSH_ASKPASS_REQUIRE=force", "GIT_SSH=" + script, "GIT_SSH_COMMAND=" + script, "GIT_PAGER=" + script, "PAGER=" + script, "GIT_EDITOR=" + script,
		"GIT_EXTERNAL_DIFF=" + script, "GIT_PROXY_COMMAND=" + script, "GIT_ALLOW_PROTOCOL=ext:ssh:http", "GIT_TRACE=" + h.ran,
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=" + script}
	for _, v := range h.environ[1:] {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	return h
}

// did returns the programs that have run since the last call.
func (h trap) did() string {
	text, _ := os.ReadFile(h.ran)
	os.Remove(h.ran)
	return string(text)
}

// acts lists commands, each of which would run one of the programs.
func (h trap) acts(server string) map[string][]string {
	return map[string][]string{
		"status": {"status", "--porcelain"}, "log": {"-p", "log", "-1", "-p"}, "diff": {"diff", "--no-ext-diff", "HEAD"},
		"commit": {"commit", "-q", "--allow-empty", "-m", "more"}, "ref": {"update-ref", "refs/heads/x", "HEAD"},
		"ext": {"ls-remote", "ext::" + filepath.Join(filepath.Dir(h.dir), "evil")}, "ssh": {"ls-remote", "ssh://nobody@localhost/x"},
		"login": {"ls-remote", server + "/x"}, "edit": {"commit", "--amend", "--allow-empty"}, "trailers": {"checkout", "-q", "HEAD"},
	}
}

// TestRunsNothing checks that git runs no program that a repository, a user or the environment names, and asks nobody.
func TestRunsNothing(t *testing.T) {
	h := newTrap(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	caught := 0
	for name, args := range h.acts(server.URL) {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = h.dir, append(append([]string{}, h.environ...), "GIT_DIR="+filepath.Join(h.dir, ".git"), "GIT_TRACE=0")
		cmd.Run()
		if h.did() != "" {
			caught++
		} else if name != "diff" && name != "trailers" {
			t.Logf("a git that is not hardened runs nothing for %s", name)
		}
		for kind, g := range map[string]Git{
			"own":   {Dir: h.dir, Author: Person{"Ada", "ada@example.com"}, Protocols: "http"},
			"user":  {Dir: h.dir, Author: Person{"Ada", "ada@example.com"}, Protocols: "http", User: true, Environ: h.environ},
			"guard": {Dir: h.dir, Author: Person{"Ada", "ada@example.com"}, Protocols: "http", Guarded: true},
		} {
			out, err := g.Output(t.Context(), nil, args...)
			if did := h.did(); did != "" {
				t.Errorf("%s, %s: has run %s", name, kind, did)
			}
			switch name {
			case "ext", "ssh":
				if err == nil || !strings.Contains(err.Error(), "not allowed") {
					t.Errorf("%s, %s: got %v", name, kind, err)
				}
			case "login":
				if err == nil || !strings.Contains(err.Error(), "terminal prompts disabled") {
					t.Errorf("%s, %s: got %v", name, kind, err)
				}
			default:
				if err != nil {
					t.Errorf("%s, %s: %v: %s", name, kind, err, out)
				}
			}
		}
	}
	if caught < 6 {
		t.Errorf("only %d commands run something in a git that is not hardened: the test can't fail", caught)
	}
}

// TestSSH checks that an allowed transport over ssh uses only our command.
func TestSSH(t *testing.T) {
	h := newTrap(t)
	bin := t.TempDir()
	write(t, filepath.Join(bin, "ssh"), "#!/bin/sh\necho \"$@\" >&2\nexit 1\n")
	g := Git{Dir: h.dir, Protocols: "ssh", Guarded: true, Environ: []string{"PATH=" + bin + ":" + os.Getenv("PATH")}}
	_, err := g.Output(t.Context(), nil, "ls-remote", "ssh://nobody@example.invalid/x")
	var failed *Error
	if !asError(err, &failed) || !strings.Contains(failed.Stderr, "BatchMode=yes") {
		t.Errorf("got %v", err)
	}
	if did := h.did(); did != "" {
		t.Errorf("has run %s", did)
	}
}

// TestUser checks that the user's own settings count only on request.
func TestUser(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	write(t, filepath.Join(home, ".gitconfig"), "[user]\n\tname = Ada\n[core]\n\texcludesFile = "+home+"/ignored\n")
	for user, want := range map[bool]string{true: "Ada", false: ""} {
		g := Git{Dir: "/", User: user, Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}}
		if got, _ := g.Output(t.Context(), nil, "config", "user.name"); got != want {
			t.Errorf("user %v: got %q", user, got)
		}
		if got, _ := g.Output(t.Context(), nil, "config", "core.excludesFile"); (got == home+"/ignored") != user {
			t.Errorf("user %v: ignored files are named by %q", user, got)
		}
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
}

// plain runs git as a person would.
func plain(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@b",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@b"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(fmt.Errorf("git %v: %w: %s", args, err, out))
	}
}
