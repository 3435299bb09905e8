package activities

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func (b *bench) commit(session int, change func(*CommitInput)) Committed {
	b.t.Helper()
	in := CommitInput{Ref: b.ref, Session: session, Message: "feat: sums", Specs: "specs", BaseCommit: b.made.BaseCommit}
	if change != nil {
		change(&in)
	}
	var out Committed
	must(b.t, b.attempt().run(b.CommitWork, in, &out))
	return out
}

// checkpoint returns the commit of the task's checkpoint on the remote.
func (b *bench) checkpoint() string {
	return gittest.Ref(b.t, b.remote, "refs/longshift/"+b.ref.TaskID)
}

func TestCommitIsFoundAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	dir := b.work()
	gittest.Write(t, dir, map[string]string{"sum.go": "package calc\n\n// Sum\n", "specs/sum.md": "# Sum\n"})
	first := b.commit(3, nil)
	want := Committed{Commit: first.Commit, Created: true, Files: 1, Added: 3, ToRead: []task.ChangedFile{{Path: "sum.go", Added: 3}}}
	if diff := cmp.Diff(want, first); diff != "" || first.Commit == b.made.Head {
		t.Errorf("the commit (-want +got):\n%s", diff)
	}
	if got := b.checkpoint(); got != first.Commit {
		t.Errorf("the checkpoint is %s, want %s", got, first.Commit)
	}
	if files := gittest.Git(t, b.remote, "ls-tree", "-r", "--name-only", first.Commit); files != "README.md\ncalc.go\nsum.go" {
		t.Errorf("the commit has the files %q; the specs must stay out", files)
	}
	if _, err := os.Stat(filepath.Join(dir, "specs/sum.md")); err != nil {
		t.Errorf("the specs are gone from the workspace: %v", err)
	}
	gittest.Write(t, dir, map[string]string{"late.go": "package calc\n"}) // work of the next session
	again := b.commit(3, func(in *CommitInput) { in.Message = "feat: another text" })
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("the second call (-first +again):\n%s", diff)
	}
	next := b.commit(4, nil)
	if n := gittest.Git(t, b.remote, "rev-list", "--count", b.made.BaseCommit+".."+b.checkpoint()); n != "2" || next.Files != 2 {
		t.Errorf("%s commits with %d files after two sessions", n, next.Files)
	}
	empty := b.commit(5, nil)
	if empty.Created || empty.Commit != next.Commit || empty.Files != 2 || empty.Failed != "" {
		t.Errorf("with nothing to commit: %+v", empty)
	}
}

// Work in a git repository of its own is named as what no commit holds when there is no other, also by a call that is repeated.
func TestWorkInARepositoryOfItsOwn(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	gittest.Git(t, b.work(), "init", "-q", "app")
	gittest.Write(t, b.work(), map[string]string{"app/main.go": "package main\n"})
	const apart = "nothing is left to commit, and there is work where no commit takes it: app (a git repository of its own)"
	for range 2 {
		if c := b.commit(1, nil); c.Apart != apart || c.Created || c.Failed != "" {
			t.Errorf("alone: %+v", c)
		}
	}
	gittest.Write(t, b.work(), map[string]string{"sum.go": "package calc\n"})
	for range 2 {
		if c := b.commit(1, nil); c.Apart != "" || !c.Created {
			t.Errorf("beside a file: %+v", c)
		}
	}
}

// A commit whose call was cut off is named by the next one, with what that has committed itself and without.
func TestEarlierCommitIsNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	since := func(id string) func(*CommitInput) { return func(in *CommitInput) { in.Since = id } }
	gittest.Write(t, b.work(), map[string]string{"sum.go": "package calc\n"})
	lost := b.commit(3, since(b.made.BaseCommit))
	want := []signals.Commit{{ID: lost.Commit, Subject: "feat: sums"}}
	if again := b.commit(3, since(b.made.BaseCommit)); len(lost.Earlier)+len(again.Earlier) > 0 {
		t.Errorf("its own call names %v, and %v when it is repeated", lost.Earlier, again.Earlier)
	}
	if nothing := b.commit(4, since(b.made.BaseCommit)); nothing.Created || !cmp.Equal(nothing.Earlier, want) {
		t.Errorf("the next call, with nothing to commit: %+v", nothing)
	}
	gittest.Write(t, b.work(), map[string]string{"more.go": "package calc\n"})
	if more := b.commit(5, since(b.made.BaseCommit)); !more.Created || !cmp.Equal(more.Earlier, want) {
		t.Errorf("the next call, with more to commit: %+v", more)
	}
	for name, known := range map[string]string{"the newest is known": b.checkpoint(), "what is known is not there": strings.Repeat("1", 40), "nobody asks": ""} {
		if got := b.commit(6, since(known)); len(got.Earlier) > 0 {
			t.Errorf("%s: %+v", name, got.Earlier)
		}
	}
}

// When the checkpoint could not be pushed, the next attempt finds the commit and pushes it.
func TestCheckpointIsMadeUpFor(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	gittest.Write(t, b.work(), map[string]string{"sum.go": "package calc\n"})
	hook := filepath.Join(b.remote, "hooks", "pre-receive")
	gittest.Write(t, b.remote, map[string]string{"hooks/pre-receive": "#!/bin/sh\necho disk is full\nexit 1\n"})
	must(t, os.Chmod(hook, 0o755))
	err := b.attempt().run(b.CommitWork, CommitInput{Ref: b.ref, Session: 1, Message: "feat: sums"}, nil)
	if app := applicationError(t, err); !strings.Contains(app.Message(), "push the checkpoint: ") {
		t.Errorf("got %s: %s", app.Type(), app.Message())
	}
	b.leaks("the error", err)
	if b.checkpoint() != "" {
		t.Error("there is a checkpoint")
	}
	must(t, os.Remove(hook))
	if c := b.commit(1, nil); !c.Created || b.checkpoint() != c.Commit {
		t.Errorf("%+v, checkpoint %s", c, b.checkpoint())
	}
}

func TestCommitOfALateAttemptIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	other := NewHost(b.newConfig(t.TempDir(), nil)).Preparer // another host has been assigned the task meanwhile
	in := PrepareInput{Ref: Ref{TaskID: b.ref.TaskID, Fence: 2}, Branch: b.made.Branch, Base: b.made.Base,
		Repository: task.Repository{Text: b.remote, Path: b.remote}}
	_, err := other.PrepareWorkspace(t.Context(), in)
	must(t, err)
	gittest.Write(t, b.work(), map[string]string{"sum.go": "package calc\n"})
	err = b.attempt().run(b.CommitWork, CommitInput{Ref: b.ref, Session: 1, Message: "feat: sums"}, nil)
	if app := applicationError(t, err); app.Type() != string(fault.Fenced) || !app.NonRetryable() {
		t.Errorf("%s: %s", app.Type(), app.Message())
	}
	if b.checkpoint() != "" {
		t.Error("the late attempt has pushed a checkpoint")
	}
}

// A commit that can't be signed is an error that a person has to resolve, and not a result. Nothing is pushed meanwhile.
func TestCommitThatCanNotBeSigned(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	b.key = filepath.Join(t.TempDir(), "gone")
	b.startOn(b.Data, nil)
	gittest.Write(t, b.work(), map[string]string{"sum.go": "package calc\n"})
	err := b.attempt().run(b.CommitWork, CommitInput{Ref: b.ref, Session: 1, Message: "feat: sums"}, nil)
	if app := applicationError(t, err); app.Type() != string(fault.Denied) || !app.NonRetryable() ||
		!strings.Contains(app.Message(), "LONGSHIFT_SIGNING_KEY="+b.key) {
		t.Errorf("%s: %s", app.Type(), app.Message())
	}
	if b.checkpoint() != "" {
		t.Error("there is a checkpoint")
	}
	b.key = ""
	b.startOn(b.Data, nil)
	if c := b.commit(1, nil); !c.Created || b.checkpoint() != c.Commit {
		t.Errorf("%+v, checkpoint %s", c, b.checkpoint())
	}
}

// A blank that keeps a name in a message from notifying its bearer must not keep a secret from being found.
func TestSecretPartedByABlank(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	const password = "hunter2 @home#42-and-more"
	b.Redact = redact.New(password)
	b.start()
	gittest.Write(t, b.work(), map[string]string{"sum.go": "package calc\n"})
	c := b.commit(1, func(in *CommitInput) { in.Message = "feat: sums with " + password })
	if !c.Leak || strings.Contains(c.Failed, "42-and-more") || b.checkpoint() != "" {
		t.Errorf("%+v, checkpoint %s", c, b.checkpoint())
	}
}
