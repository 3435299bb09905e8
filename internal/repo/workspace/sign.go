package workspace

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
)

// Commits that are pushed are signed with the operator's key, if there is one. Our own git signs them on the host; no program of a task
// is involved. Only ssh-keygen or gpg reads the key. Signatures differ each time, so a commit that is made again after a crash may get
// another id. It is therefore found by its trailer, or by an id that was recorded before.

// signWithin limits the time of one signature: a program that asks for a passphrase would wait forever.
const signWithin = time.Minute

// signing returns the git settings for signing.
func signing(key string) [][2]string {
	switch {
	case key == "":
		return nil
	case filepath.IsAbs(key):
		return [][2]string{{"gpg.format", "ssh"}, {"user.signingKey", key}}
	}
	return [][2]string{{"gpg.format", "openpgp"}, {"user.signingKey", key}}
}

// signEnv keeps the variables with which ssh-keygen and gpg find agents that hold the key. Nobody can enter a passphrase.
func signEnv(c Config) []string {
	rings := cmp.Or(git.Lookup(c.Environ, "GNUPGHOME"), filepath.Join(git.Lookup(c.Environ, "HOME"), ".gnupg"))
	env := []string{"GNUPGHOME=" + rings, "SSH_ASKPASS=/bin/false", "SSH_ASKPASS_REQUIRE=force"}
	if socket := git.Lookup(c.Environ, "SSH_AUTH_SOCK"); socket != "" {
		env = append(env, "SSH_AUTH_SOCK="+socket)
	}
	return env
}

// commitSigner makes commits, signed if there is a key.
type commitSigner struct {
	key    string
	env    []string
	within time.Duration
	runner *runner
}

// run runs a git command that makes a commit. With a key, the commit is signed or the command fails: a failed signature is a
// fault.Denied.
func (s *commitSigner) run(ctx context.Context, r repo, message string, out io.Writer, command string, args ...string) error {
	if s.key == "" {
		return r.pipe(ctx, []byte(message), out, slices.Concat([]string{command}, args)...)
	}
	err := s.sign(ctx, r, message, out, command, args)
	if err == nil || ctx.Err() != nil || git.Killed(err) || fault.KindOf(err) == fault.Denied {
		return err
	}
	if why := s.try(ctx); why != nil { // git's errors do not reliably show whether signing has failed
		return why
	}
	return err
}

func (s *commitSigner) sign(ctx context.Context, r repo, message string, out io.Writer, command string, args []string) error {
	short, cancel := context.WithTimeout(ctx, s.within)
	defer cancel()
	err := r.with(s.env...).pipe(short, []byte(message), out, slices.Concat([]string{command, "-S"}, args)...)
	if short.Err() != nil && ctx.Err() == nil {
		return s.unsigned(fmt.Errorf("no signature within %s", s.within))
	}
	return err
}

func (s *commitSigner) unsigned(why error) error {
	return fault.New(fault.Denied, "sign commits with LONGSHIFT_SIGNING_KEY=%s: %w", s.key, why).
		WithHint("nothing is committed without a signature: see that the key is there, and without a passphrase or in an agent that the " +
			"worker can reach; `longshift doctor` tries it")
}

// TrySigning makes a test signature in a temporary repository. Without a key it does nothing.
func (m *Manager) TrySigning(ctx context.Context) error { return m.signer.try(ctx) }

func (s *commitSigner) try(ctx context.Context) error {
	if s.key == "" {
		return nil
	}
	dir, err := os.MkdirTemp("", "longshift-signing-")
	if err != nil {
		return fault.New(fault.Infra, "try the signing key: %w", err)
	}
	defer os.RemoveAll(dir)
	if _, err := (shape{branch: "main"}).enforce(dir); err != nil {
		return err
	}
	args := []string{"-F", "-", emptyTree("")}
	err = s.sign(ctx, repo{runner: s.runner, dir: dir}, "Try the signing key\n", &bytes.Buffer{}, "commit-tree", args)
	if err == nil || ctx.Err() != nil || fault.KindOf(err) == fault.Denied {
		return err
	}
	return s.unsigned(err)
}
