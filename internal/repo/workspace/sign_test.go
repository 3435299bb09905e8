package workspace

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// signer is a key with what verifies its signatures.
type signer struct {
	key     string
	environ []string
	verify  func(dir, commit string) (string, error)
}

func tool(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(gittest.Env(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// sshSigner makes a key. Signatures by ECDSA are never the same twice.
func sshSigner(t *testing.T, kind, passphrase string) signer {
	t.Helper()
	key := filepath.Join(t.TempDir(), "key")
	tool(t, nil, "ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-C", "", "-f", key)
	allowed := filepath.Join(t.TempDir(), "allowed")
	must(t, os.WriteFile(allowed, []byte(author.Email+" "+readFile(t, key+".pub")), 0o600))
	return signer{key: key, verify: func(dir, commit string) (string, error) {
		return gittest.Try(dir, "-c", "gpg.ssh.allowedSignersFile="+allowed, "verify-commit", commit)
	}}
}

// gpgSigner makes a key in a key ring of its own. The folder's name is short, for it holds sockets.
func gpgSigner(t *testing.T) signer {
	t.Helper()
	home, err := os.MkdirTemp("/tmp", "ring")
	must(t, err)
	env := []string{"GNUPGHOME=" + home}
	t.Cleanup(func() {
		tool(t, env, "gpgconf", "--kill", "all")
		os.RemoveAll(home)
	})
	tool(t, env, "gpg", "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", "", "--quick-gen-key",
		author.Name+" <"+author.Email+">", "ed25519", "sign")
	id := regexp.MustCompile(`(?m)^fpr:+([0-9A-F]{40}):`).FindStringSubmatch(tool(t, env, "gpg", "--batch", "--with-colons", "--list-secret-keys"))[1]
	return signer{key: id, environ: append(os.Environ(), env...), verify: func(dir, commit string) (string, error) {
		cmd := exec.Command("git", "verify-commit", commit)
		cmd.Dir, cmd.Env = dir, append(gittest.Env(), env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}}
}

func newSigningBench(t *testing.T, remote string, s signer) *bench {
	t.Helper()
	b := &bench{t: t, remote: remote, key: s.key, environ: s.environ}
	b.m = b.manager(t.TempDir())
	return b
}

// wantSigned fails unless every commit of the task on the remote is signed.
func wantSigned(t *testing.T, s signer, bare, branch string, least int) {
	t.Helper()
	ids := lines(gittest.Git(t, bare, "rev-list", "main.."+branch))
	if len(ids) < least {
		t.Fatalf("%d commits, want %d", len(ids), least)
	}
	for _, id := range ids {
		if out, err := s.verify(bare, id); err != nil {
			t.Errorf("%s is not signed: %v\n%s", gittest.Git(t, bare, "log", "-1", "--format=%s", id), err, out)
		}
	}
}

// TestEveryCommitIsSigned: those of ours, those that an agent has made, and merges; by git itself, with real keys.
func TestEveryCommitIsSigned(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(t *testing.T) signer{
		"ssh": func(t *testing.T) signer { return sshSigner(t, "ed25519", "") },
		"gpg": gpgSigner,
		"ssh agent": func(t *testing.T) signer {
			s := sshSigner(t, "ecdsa", "open sesame")
			return withAgent(t, s, "open sesame")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, bare := make(t), gittest.NewBare(t, start)
			b := newSigningBench(t, bare, s)
			must(t, b.m.TrySigning(t.Context()))
			_, tree := b.prepare("t-1", 1)
			b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
			asAgent(t, tree, author.Email, "feat: two", map[string]string{"two.txt": "2\n"})
			asAgent(t, tree, author.Email, "feat: three", map[string]string{"three.txt": "3\n"})
			b.commit(tree, "2", map[string]string{"rest.txt": "rest\n"})
			asAgent(t, tree, author.Email, "feat: four", map[string]string{"four.txt": "4\n"})
			_, err := tree.Commit(t.Context(), CommitSpec{Key: "3", Message: "ours"})
			must(t, err)
			gittest.Commit(t, bare, "main", "Meanwhile", map[string]string{"main.txt": "m\n"})
			if m := b.merge(tree, "m"); m.Commit == "" {
				t.Fatalf("got %+v", m)
			}
			head, err := tree.Push(t.Context())
			must(t, err)
			wantSigned(t, s, bare, head, 6)

			_, tree = b.prepare("t-2", 1)
			b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
			b.commit(tree, "2", map[string]string{"b.txt": "b\n"})
			_, err = tree.Squash(t.Context(), "", "Everything")
			must(t, err)
			head, err = tree.Push(t.Context())
			must(t, err)
			wantSigned(t, s, bare, head, 1)

			where := filepath.Join(b.m.config.Dir, "tasks")
			if found, _ := exec.Command("grep", "-rlE", "PRIVATE KEY|signingKey|"+regexp.QuoteMeta(s.key), where).Output(); len(found) > 0 {
				t.Errorf("the key is named in %s", found)
			}
		})
	}
}

// withAgent starts an ssh agent that holds the key.
func withAgent(t *testing.T, s signer, passphrase string) signer {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "agent")
	must(t, err)
	socket := filepath.Join(dir, "s")
	cmd := exec.Command("ssh-agent", "-D", "-a", socket)
	says, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		os.RemoveAll(dir)
	})
	_, err = bufio.NewReader(says).ReadString('\n') // it listens
	must(t, err)
	ask := filepath.Join(dir, "ask")
	gittest.Program(t, ask, "#!/bin/sh\necho '"+passphrase+"'\n")
	tool(t, []string{"SSH_AUTH_SOCK=" + socket, "SSH_ASKPASS=" + ask, "SSH_ASKPASS_REQUIRE=force"}, "ssh-add", "-q", s.key)
	s.environ = append(os.Environ(), "SSH_AUTH_SOCK="+socket)
	return s
}

// TestNothingIsCommittedUnsigned: a key that can't sign stops the commit with a one-line error, and no work is lost.
func TestNothingIsCommittedUnsigned(t *testing.T) {
	t.Parallel()
	good := sshSigner(t, "ed25519", "")
	noKey := filepath.Join(gittest.NewCheckout(t, start), "README.md")
	pipe := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(pipe, 0o600))
	for name, c := range map[string]struct{ key, says string }{
		"gone":          {filepath.Join(t.TempDir(), "none"), "No such file"},
		"passphrase":    {sshSigner(t, "ed25519", "open sesame").key, "incorrect passphrase"},
		"no key":        {noKey, "README.md"},
		"unknown":       {"0123456789ABCDEF", "gpg failed to sign"},
		"never answers": {pipe, "no signature within"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bare := gittest.NewBare(t, start)
			b := newSigningBench(t, bare, signer{key: c.key})
			if name == "never answers" {
				b.m.signer.within = 300 * time.Millisecond
			}
			wantFault(t, b.m.TrySigning(t.Context()), fault.Denied, "LONGSHIFT_SIGNING_KEY="+c.key, c.says)
			ws, tree := b.prepare("t-1", 1)
			for _, adopted := range []bool{false, true} {
				if adopted {
					asAgent(t, tree, author.Email, "feat: two", map[string]string{"two.txt": "2\n"})
				} else {
					gittest.Write(t, tree.Dir(), map[string]string{"one.txt": "1\n"})
				}
				_, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "ours"})
				wantFault(t, err, fault.Denied, c.says)
				if err != nil && strings.Contains(err.Error(), "\n") {
					t.Errorf("more than one line: %v", err)
				}
				if head := gittest.Ref(t, b.m.place("t-1").git(), "refs/heads/longshift/t-1"); head != ws.BaseCommit {
					t.Errorf("the branch has moved to %s", head)
				}
			}
			mended := b.manager(b.m.config.Dir)
			mended.signer.key, mended.runner.signing = good.key, signing(good.key)
			tree, err := mended.Open(t.Context(), "t-1", 1)
			must(t, err)
			defer tree.Close()
			commit, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "ours"})
			must(t, err)
			_, err = tree.Push(t.Context())
			must(t, err)
			wantSigned(t, good, bare, commit.ID, 1)
			if got := gittest.Git(t, bare, "ls-tree", "--name-only", commit.ID, "one.txt", "two.txt"); got != "one.txt\ntwo.txt" {
				t.Errorf("the commit holds %q", got)
			}
		})
	}
}
