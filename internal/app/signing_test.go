package app

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/redact"
)

// TestSigningKeyStaysOutside: a program of a task sees nothing of the key, though anybody may read the file and its folder is in no home.
func TestSigningKeyStaysOutside(t *testing.T) {
	_, cfg := workHome(t)
	dir := seenInBoxes(t)
	cfg.Author.SigningKey = filepath.Join(dir, "key")
	out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", cfg.Author.SigningKey).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	must(t, trySigning(t.Context(), cfg))
	must(t, os.Chmod(cfg.Author.SigningKey, 0o644))
	t.Setenv("LONGSHIFT_SIGNING_KEY", cfg.Author.SigningKey)
	got := inProject(t, cfg, "cat "+cfg.Author.SigningKey+".pub; cat "+cfg.Author.SigningKey+"; env; git config --list", nil)
	if !strings.Contains(got, "ssh-ed25519 ") {
		t.Fatalf("the folder is not to be seen at all, so this shows nothing: %s", got)
	}
	if strings.Contains(got, "PRIVATE KEY") || strings.Contains(strings.ReplaceAll(got, "cat: "+cfg.Author.SigningKey, ""), cfg.Author.SigningKey) {
		t.Errorf("a task sees the key:\n%s", got)
	}
}

// seenInBoxes makes a folder that tasks see: neither below a home folder of this test nor below a folder for temporary files, which are
// hidden anyhow.
func seenInBoxes(t *testing.T) string {
	t.Helper()
	here, err := os.Getwd()
	must(t, err)
	for _, parent := range []string{here, "/opt", "/srv"} {
		if strings.HasPrefix(parent, "/tmp/") || strings.HasPrefix(parent, "/var/tmp/") {
			continue
		}
		if dir, err := os.MkdirTemp(parent, "keys-"); err == nil {
			t.Cleanup(func() { os.RemoveAll(dir) })
			return dir
		}
	}
	t.Fatal("no folder outside of /tmp can be written: clone the repository to another place")
	return ""
}

// TestHostNeedsItsKey: a worker whose key can't sign takes no tasks.
func TestHostNeedsItsKey(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "none")
	cfg := load(t, "LONGSHIFT_DATA="+t.TempDir(), "LONGSHIFT_SIGNING_KEY="+key)
	_, _, err := newHostConfig(context.Background(), cfg, redact.New(), slog.New(slog.DiscardHandler))
	if fault.KindOf(err) != fault.Denied || !strings.Contains(err.Error(), "LONGSHIFT_SIGNING_KEY="+key) ||
		strings.Contains(err.Error(), "\n") || fault.HintOf(err) == "" {
		t.Errorf("got %v (%s)", err, fault.HintOf(err))
	}
}
