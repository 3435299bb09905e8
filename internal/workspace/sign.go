package workspace

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// Commits that are pushed are signed with the operator's key, if there is one, by our own git on the host: no program of a task is
// involved. The key is read by ssh-keygen or gpg and by nothing of ours. Signatures differ from one to the next, so a commit that is made
// again after a crash may have another id: it is found by its mark, and by no id that was not written down before.

// signWithin bounds one signature: a program that asks somebody for a passphrase would wait for good.
const signWithin = time.Minute

// signing are the settings by which git signs where it is told to.
func signing(key string) [][2]string {
	switch {
	case key == "":
		return nil
	case filepath.IsAbs(key):
		return [][2]string{{"gpg.format", "ssh"}, {"user.signingKey", key}}
	}
	return [][2]string{{"gpg.format", "openpgp"}, {"user.signingKey", key}}
}

// signEnv lets ssh-keygen and gpg find agents that hold the key. Neither has anybody to ask for a passphrase.
func signEnv(c Config) []string {
	rings := lookEnv(c.Environ, "GNUPGHOME")
	if rings == "" {
		rings = filepath.Join(lookEnv(c.Environ, "HOME"), ".gnupg")
	}
	env := []string{"GNUPGHOME=" + rings, "SSH_ASKPASS=/bin/false", "SSH_ASKPASS_REQUIRE=force"}
	if socket := lookEnv(c.Environ, "SSH_AUTH_SOCK"); socket != "" {
		env = append(env, "SSH_AUTH_SOCK="+socket)
	}
	return env
}

// signed runs a git that makes a commit. Where there is a key, it makes one with a signature or none: what keeps it from signing is a
// fault.Denied.
func (r repo) signed(ctx context.Context, message string, out io.Writer, command string, args ...string) error {
	if r.m.config.SigningKey == "" {
		return r.pipe(ctx, []byte(message), out, slices.Concat([]string{command}, args)...)
	}
	err := r.sign(ctx, message, out, command, args)
	if err == nil || ctx.Err() != nil || killed(err) || fault.KindOf(err) == fault.Denied {
		return err
	}
	if why := r.m.TrySigning(ctx); why != nil { // git does not say in one way whether it was the signature
		return why
	}
	return err
}

func (r repo) sign(ctx context.Context, message string, out io.Writer, command string, args []string) error {
	short, cancel := context.WithTimeout(ctx, r.m.signWithin)
	defer cancel()
	err := r.with(signEnv(r.m.config)...).pipe(short, []byte(message), out, slices.Concat([]string{command, "-S"}, args)...)
	if short.Err() != nil && ctx.Err() == nil {
		return r.m.unsigned(fmt.Errorf("no signature within %s", r.m.signWithin))
	}
	return err
}

func (m *Manager) unsigned(why error) error {
	return fault.New(fault.Denied, "sign commits with LONGSHIFT_SIGNING_KEY=%s: %w", m.config.SigningKey, why).
		WithHint("nothing is committed without a signature: see that the key is there, and without a passphrase or in an agent that the worker can reach; `longshift doctor` tries it")
}

// TrySigning makes a signature as commits get it, in a repository that is gone afterwards. Without a key there is nothing to try.
func (m *Manager) TrySigning(ctx context.Context) error {
	if m.config.SigningKey == "" {
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
	err = repo{m: m, dir: dir}.sign(ctx, "Try the signing key\n", &bytes.Buffer{}, "commit-tree", []string{"-F", "-", emptyTree("")})
	if err == nil || ctx.Err() != nil || fault.KindOf(err) == fault.Denied {
		return err
	}
	return m.unsigned(err)
}
