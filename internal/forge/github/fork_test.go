package github

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/task"
)

func (b *bench) fork() task.Repository {
	b.t.Helper()
	r, err := b.forge.Fork(b.t.Context(), shop())
	if err != nil {
		b.t.Fatalf("Fork: %v", err)
	}
	return r
}

func (b *bench) findFork() task.Repository {
	b.t.Helper()
	r, err := b.forge.FindFork(b.t.Context(), shop())
	if err != nil {
		b.t.Fatalf("FindFork: %v", err)
	}
	return r
}

// forks returns how often a fork was asked for.
func (b *bench) forks() int { return b.server.Count(http.MethodPost, "/forks") }

func TestFork(t *testing.T) {
	b := newBench(t)
	if owner, name, err := b.forge.ForkOf(t.Context(), shop()); owner != "longshift-bot" || name != "" || err != nil {
		t.Errorf("before: %q %q %v", owner, name, err)
	}
	if r := b.findFork(); r != (task.Repository{}) || b.forks() != 0 {
		t.Errorf("before: found %+v, asked for %d times", r, b.forks())
	}
	b.server.SetForkDelay(2)
	first := b.fork()
	if first.Text != "longshift-bot/shop" || first.Owner != "longshift-bot" || first.Name != "shop" {
		t.Errorf("got %+v", first)
	}
	if n := b.server.Count(http.MethodGet, "/branches/main"); n != 3 {
		t.Errorf("asked %d times whether git has something there, want until it has", n)
	}
	if again := b.fork(); again != first || b.forks() != 1 {
		t.Errorf("the second time %+v, asked for %d times", again, b.forks())
	}
	if found := b.findFork(); found != first || b.forks() != 1 {
		t.Errorf("found %+v, asked for %d times", found, b.forks())
	}
	if owner, name, err := b.forge.ForkOf(t.Context(), shop()); owner != "longshift-bot" || name != "longshift-bot/shop" || err != nil {
		t.Errorf("after: %q %q %v", owner, name, err)
	}
}

// TestForkOnce has the creation fail in every way, before and after it has taken effect.
func TestForkOnce(t *testing.T) {
	for name, f := range map[string]forgetest.Fault{
		"500": forgetest.ServerError(500), "502 after the effect": forgetest.ServerError(502).Late(), "dropped after the effect": forgetest.Dropped().Late(),
		"time limit after the effect": forgetest.Hung().Late(),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.server.Inject(f.On(http.MethodPost, "/forks"))
			if r := b.fork(); r.Text != "longshift-bot/shop" {
				t.Errorf("got %+v", r)
			}
		})
	}
	t.Run("death after the effect", func(t *testing.T) {
		b := newBench(t)
		ctx, die := context.WithCancel(t.Context())
		b.server.Inject(forgetest.Death(die).On(http.MethodPost, "/forks"))
		if _, err := b.forge.Fork(ctx, shop()); err == nil {
			t.Fatal("it lives")
		}
		if r := b.fork(); r.Text != "longshift-bot/shop" || b.forks() != 1 {
			t.Errorf("got %+v, asked for %d times", r, b.forks())
		}
	})
}

// TestForkElsewhere: the account has another repository of that name, or its fork has another name.
func TestForkElsewhere(t *testing.T) {
	b := newBench(t)
	b.server.AddRepository(forgetest.Repository{Name: "longshift-bot/shop", Branches: map[string]string{"main": commit("other")}})
	for range 2 {
		if r := b.fork(); r.Text != "longshift-bot/shop-1" {
			t.Errorf("got %+v", r)
		}
	}
	if r := b.findFork(); r.Text != "longshift-bot/shop-1" || b.forks() != 2 {
		t.Errorf("found %+v, asked for %d times", r, b.forks())
	}
	b.server.Remove("longshift-bot/shop-1")
	if r := b.findFork(); r != (task.Repository{}) || b.forks() != 2 {
		t.Errorf("it was deleted, and found %+v, asked for %d times", r, b.forks())
	}
}

// TestForkOfFork: the account's fork of the root is used for a fork of another account.
func TestForkOfFork(t *testing.T) {
	b := newBench(t)
	b.server.AddRepository(forgetest.Repository{Name: "root/shop", GitDir: b.gitDir})
	b.server.AddRepository(forgetest.Repository{Name: repo, GitDir: b.gitDir, ForkedFrom: "root/shop"})
	b.server.AddRepository(forgetest.Repository{Name: "longshift-bot/shop", GitDir: b.gitDir, ForkedFrom: "root/shop"})
	if r := b.fork(); r.Text != "longshift-bot/shop" || b.forks() != 0 {
		t.Errorf("got %+v, asked for %d times", r, b.forks())
	}
}

func TestForkRefused(t *testing.T) {
	for _, c := range []struct {
		name          string
		change        func(b *bench)
		kind          fault.Kind
		message, hint string
	}{
		{"token of an app", func(b *bench) { b.server.SetApp() }, fault.Denied, "the token is an app's", "token of a user"},
		{"own repository", func(b *bench) { b.server.SetUser("Acme") }, fault.Input, "acme/shop is in the token's own account", "leave fork out"},
		{"archived fork", func(b *bench) { b.fork(); b.server.Archive("longshift-bot/shop", true) }, fault.Denied, "the fork longshift-bot/shop is archived", "unarchive"},
		{"not allowed", func(b *bench) {
			b.server.Inject(forgetest.Fault{Status: 403, Text: "The owner has disabled forking."}.On("POST", "/forks").Repeated(forgetest.Forever))
		}, fault.Denied, "make the fork: not allowed in acme/shop", "Administration: write"},
		{"no repository", func(b *bench) { b.server.Remove(repo) }, fault.NotFound, "acme/shop is not there", "check the name"},
		{"never done", func(b *bench) { b.server.SetForkDelay(1000) }, fault.Infra, "the fork is still being made", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			c.change(b)
			_, err := b.forge.Fork(t.Context(), shop())
			mustBe(t, err, c.kind, c.message, c.hint)
		})
	}
}

// TestLookAtForked: a token without write access can't ask what others may do, so members of the repository count. With write access,
// and for branches of the repository, GitHub is asked.
func TestLookAtForked(t *testing.T) {
	b := newBench(t)
	b.server.SetReadOnly(repo, true)
	b.server.SetPermission(repo, "bob", "read") // a collaborator who may not write
	f := b.fixture("")
	fork := b.fork()
	f.GitDir, _ = b.server.GitDir(fork.Text)
	r := b.request()
	r.HeadOwner, r.HeadCommit = fork.Owner, forgetest.AddBranch(t, f.GitDir, r.Head, "main")
	r.Labels, r.Reviewers = []string{"longshift"}, []string{"alice"}
	p := b.ensure(r)
	if len(p.Warnings) != 2 || p.Owner != "acme" {
		t.Errorf("labels and reviewers are for those who may write: %+v", p)
	}
	for _, who := range []string{"alice", "bob", "mallory"} {
		b.server.CommentOn(repo, p.Number, who, "/longshift make it longer")
	}
	l := b.look(p.Number, "")
	if l.Head != r.HeadCommit || len(l.Items) != 2 || l.Items[0].By != "alice" || l.Items[1].By != "bob" || l.Ignored != 1 {
		t.Errorf("got %+v", l)
	}
	b.look(p.Number, "")
	if n := b.server.Count(http.MethodGet, "/permission"); n != 1 {
		t.Errorf("asked %d times in vain", n)
	}
	b.server.SetReadOnly(repo, false)
	b.clock.sleep(t.Context(), 2*refusalHolds)
	if l := b.look(p.Number, ""); len(l.Items) != 1 || l.Items[0].By != "alice" || l.Ignored != 2 {
		t.Errorf("with write access: %+v", l)
	}
	b.server.SetReadOnly(repo, true)
	own := b.server.OpenPull(repo, forgetest.Pull{Head: "main", Base: "main", Body: forge.Tag("task-2", 1), Created: begin.Add(time.Hour)})
	b.server.CommentOn(repo, own, "alice", "/longshift go on")
	_, err := b.forge.Snapshot(t.Context(), shop(), own, "")
	mustBe(t, err, fault.Denied, "ask what a user may do", "")
}
