package activities

import (
	"context"
	"errors"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
)

func TestClaimStopsTheEarlierAttemptAndWaits(t *testing.T) {
	t.Parallel()
	h := &Host{}
	first, release, err := h.claim(t.Context(), "s1")
	must(t, err)
	if _, other, err := h.claim(t.Context(), "s2"); err != nil || first.Err() != nil {
		t.Fatalf("another session stops this one: %v, %v", err, first.Err())
	} else {
		other()
	}
	second := make(chan context.Context, 1)
	go func() {
		ctx, release, err := h.claim(context.Background(), "s1")
		if err != nil {
			t.Error(err)
			return
		}
		second <- ctx
		release()
	}()
	await(t, first.Done(), "the first attempt is stopped")
	if !errors.Is(context.Cause(first), errStopping) {
		t.Errorf("stopped by %v", context.Cause(first))
	}
	select {
	case <-second:
		t.Fatal("the second attempt has the session while the first still runs")
	default:
	}
	release()
	ctx := await(t, second, "the second attempt has the session")
	await(t, ctx.Done(), "the second attempt let go")
	if len(h.claims.running) != 0 {
		t.Errorf("%d claims are left", len(h.claims.running))
	}
}

func TestClaimGivesUpWaitingWithItsContext(t *testing.T) {
	t.Parallel()
	h := &Host{}
	first, release, err := h.claim(t.Context(), "s1")
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	gaveUp := make(chan error, 1)
	go func() {
		_, _, err := h.claim(ctx, "s1")
		gaveUp <- err
	}()
	await(t, first.Done(), "the first attempt is stopped")
	cancel()
	if err := await(t, gaveUp, "the second attempt gives up"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if len(h.claims.running) != 1 {
		t.Error("the session is not the first attempt's any more, which still runs")
	}
	release()
	if _, release, err = h.claim(t.Context(), "s1"); err != nil {
		t.Fatal(err)
	}
	release()
}

// Two attempts of one session in one process: the server has given the first up, and it did not notice.
func TestSecondAttemptOfASession(t *testing.T) {
	t.Parallel()
	p := &player{}
	b := newBench(t, map[string]agent.Agent{"script": p})
	b.prepare()
	for _, c := range []struct {
		name   string
		end    agent.OutcomeKind // of the attempt that is stopped
		runs   int
		report string
	}{
		{"an incomplete result is not kept", agent.Interrupted, 2, "second"},
		{"a complete one is given to the second", agent.Completed, 1, "first"},
	} {
		in := b.session(task.Implementer, "script")
		runs, started := 0, make(chan struct{})
		p.play = func(ctx context.Context, _ agent.Session, emit func(agent.Event)) (agent.Outcome, error) {
			if runs++; runs == 2 {
				emit(agent.Event{Kind: agent.Text, Text: "<DONE>second</DONE>"})
				return agent.Outcome{Kind: agent.Completed}, nil
			}
			emit(agent.Event{Kind: agent.Text, Text: "<DONE>first</DONE>"})
			close(started)
			<-ctx.Done()
			return agent.Outcome{Kind: c.end}, nil
		}
		firstErr, first := make(chan error, 1), b.attempt()
		go func() {
			_, err := first.session(b.Host, in)
			firstErr <- err
		}()
		await(t, started, "the first attempt runs")
		res, err := b.attempt().session(b.Host, in)
		must(t, err)
		if res.Report.Text != c.report || runs != c.runs {
			t.Errorf("%s: %q after %d runs", c.name, res.Report.Text, runs)
		}
		switch err := await(t, firstErr, "the first attempt ends"); {
		case c.end == agent.Completed:
			must(t, err)
		case applicationError(t, err).Type() != string(fault.Stopping):
			t.Errorf("%s: the first attempt ended with %v", c.name, err)
		}
		if len(b.claims.running) != 0 {
			t.Errorf("%s: a claim is left", c.name)
		}
	}
}
