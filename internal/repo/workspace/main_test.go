package workspace

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

func TestMain(m *testing.M) {
	if os.Getenv("WORKSPACE_TEST_WORKER") != "" {
		workerMain()
	}
	os.Exit(m.Run())
}

var author = Person{Name: "Longshift Bot", Email: "bot@example.com"}

// bench is a data directory with its manager, and a remote.
type bench struct {
	t       testing.TB
	m       *Manager
	remote  string // URL or path
	fork    string // path of the repository of ann/repo
	auth    Auth
	log     strings.Builder
	environ []string // nil for the tests' own
	key     string   // that signs
}

func newBench(t testing.TB, remote string) *bench {
	t.Helper()
	b := &bench{t: t, remote: remote}
	b.m = b.manager(t.TempDir())
	return b
}

// manager returns a manager on a data directory, as another host or a restarted process would have it.
func (b *bench) manager(dir string) *Manager {
	b.t.Helper()
	m, err := New(Config{
		Dir: dir, Author: author, SigningKey: b.key, Silence: 30 * time.Second, Environ: b.environ,
		Auth: func(context.Context, task.Repository) (Auth, error) { return b.auth, nil },
		RemoteURL: func(r task.Repository) (string, error) {
			if r.Owner == "ann" {
				return b.fork, nil
			}
			return b.remote, nil
		},
		Log: slog.New(slog.NewTextHandler(&b.log, nil)),
		Now: func() time.Time { return time.Unix(1_700_000_000, 0) },
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return m
}

func (b *bench) repository() task.Repository {
	return task.Repository{Text: "owner/repo", Owner: "owner", Name: "repo"}
}

func (b *bench) spec(id string, fence int) Spec {
	return Spec{TaskID: id, Repository: b.repository(), Branch: "longshift/" + id, Fence: fence}
}

func (b *bench) prepare(id string, fence int) (Workspace, *Tree) {
	b.t.Helper()
	return b.prepareOn(b.m, b.spec(id, fence))
}

func (b *bench) prepareOn(m *Manager, s Spec) (Workspace, *Tree) {
	b.t.Helper()
	ws, err := m.Prepare(b.t.Context(), s)
	if err != nil {
		b.t.Fatal(err)
	}
	tree, err := m.Open(b.t.Context(), s.TaskID, s.Fence)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { tree.Close() })
	return ws, tree
}

func (b *bench) commit(tree *Tree, key string, files map[string]string) Commit {
	b.t.Helper()
	gittest.Write(b.t, tree.Dir(), files)
	c, err := tree.Commit(b.t.Context(), CommitSpec{Key: key, Message: "Work " + key})
	if err != nil {
		b.t.Fatal(err)
	}
	if !c.Created {
		b.t.Fatalf("commit %s was not created", key)
	}
	return c
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantFault fails unless the error has the kind and says every one of the words.
func wantFault(t *testing.T, err error, kind fault.Kind, words ...string) {
	t.Helper()
	if err == nil || fault.KindOf(err) != kind {
		t.Errorf("got kind %q, want %q: %v", fault.KindOf(err), kind, err)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error does not say %q: %v", w, err)
		}
	}
}

func readFile(t *testing.T, parts ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// agent runs git in the work tree as the agent does.
func agent(t *testing.T, tree *Tree, args ...string) string {
	t.Helper()
	return gittest.Git(t, tree.Dir(), args...)
}
