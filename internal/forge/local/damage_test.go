package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

// TestHeadRefAfterDeath: when a call dies before it has set the head ref, the next one sets it.
func TestHeadRefAfterDeath(t *testing.T) {
	dir, f := forgetest.NewRepository(t), newForge()
	r := branchRequest(t, dir, dir)
	ctx, cancel := context.WithCancel(t.Context())
	f.written = cancel
	if _, err := f.EnsurePullRequest(ctx, r); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if refs := forgetest.Git(t, dir, "", "for-each-ref", refPrefix); strings.Contains(refs, "/head") {
		t.Fatalf("the head ref is there already: %s", refs)
	}
	ensure(t, newForge(), r)
	if got := forgetest.Git(t, dir, "", "rev-parse", "refs/longshift/pulls/1/head"); got != r.HeadCommit {
		t.Errorf("head ref is at %s", got)
	}
}

// lock leaves the lock of a ref behind, as a killed git does.
func lock(t *testing.T, dir, name string, age time.Duration) string {
	t.Helper()
	file := filepath.Join(dir, name+".lock")
	writeFile(t, file, "")
	if err := os.Chtimes(file, begin.Add(-age), begin.Add(-age)); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestLockOfTheDead(t *testing.T) {
	for _, part := range []string{"record", "head"} {
		dir := forgetest.NewRepository(t)
		file := lock(t, dir, ref(1, part), 2*time.Minute)
		if p := ensure(t, newForge(), branchRequest(t, dir, dir)); p.Number != 1 {
			t.Errorf("%s: got %+v", part, p)
		}
		if exists(file) {
			t.Errorf("%s: the lock is still there", part)
		}
	}
}

func TestLockOfTheLiving(t *testing.T) {
	dir, f := forgetest.NewRepository(t), newForge()
	f.attempts = 3
	file := lock(t, dir, ref(1, "record"), 10*time.Second)
	_, err := f.EnsurePullRequest(t.Context(), branchRequest(t, dir, dir))
	if fault.KindOf(err) != fault.Infra {
		t.Errorf("got %v (%s)", err, fault.KindOf(err))
	}
	if !exists(file) {
		t.Error("the lock of another process was removed")
	}
}

func TestDamagedRecord(t *testing.T) {
	dir, f := forgetest.NewRepository(t), newForge()
	r := branchRequest(t, dir, dir)
	ensure(t, f, r)
	for _, content := range []string{"nonsense", `{"number":7,"head":"x","task":"y"}`, "{}"} {
		blob := forgetest.Git(t, dir, content, "hash-object", "-w", "--stdin")
		forgetest.Git(t, dir, "", "update-ref", ref(1, "record"), blob)
		_, err := f.EnsurePullRequest(t.Context(), r)
		if fault.KindOf(err) != fault.Changed || !strings.Contains(err.Error(), ref(1, "record")) {
			t.Errorf("%s: got %v (%s)", content, err, fault.KindOf(err))
		}
	}
}

func TestNoGit(t *testing.T) {
	dir := forgetest.NewRepository(t)
	f := New(Config{Git: filepath.Join(t.TempDir(), "git")})
	if _, err := f.EnsurePullRequest(t.Context(), branchRequest(t, dir, dir)); fault.KindOf(err) != fault.Infra {
		t.Errorf("got %v (%s)", err, fault.KindOf(err))
	}
}
