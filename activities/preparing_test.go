package activities

import (
	"context"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// Many tasks on a repository whose first fetch takes hours keep no other repository from its workspaces, and are not all made at once.
func TestALargeRepositoryKeepsNoOtherWaiting(t *testing.T) {
	t.Parallel()
	p := newPreparing()
	var leave func()
	for range mostPreparedTogether {
		var err error
		leave, err = p.enter(t.Context(), "large")
		must(t, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.enter(gone, "large"); err == nil {
		t.Fatal("one more was let in")
	}
	entered := make(chan error, 1)
	go func() { _, err := p.enter(t.Context(), "large"); entered <- err }()
	free, err := p.enter(t.Context(), "small")
	must(t, err)
	free()
	leave()
	must(t, await(t, entered, "the next one enters"))
	if p.host.used != mostPreparedTogether {
		t.Errorf("%d workspaces are made", p.host.used)
	}
}

// A workspace that may not be made yet waits, and says so when its worker stops meanwhile.
func TestPrepareWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	for range mostPreparedTogether {
		_, err := b.Preparer.preparing.enter(t.Context(), b.remote)
		must(t, err)
	}
	a := b.attempt()
	close(a.stop)
	in := PrepareInput{Ref: b.ref, Title: "Fix the sum", Repository: task.Repository{Text: b.remote, Path: b.remote}}
	if err := a.run(b.PrepareWorkspace, in, nil); applicationError(t, err).Type() != string(fault.Stopping) {
		t.Errorf("got %v", err)
	}
}
