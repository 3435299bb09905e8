package slack

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/inbox"
)

// An acknowledged press is handled even if the process dies before Temporal has it, since Slack does not deliver it
// again.
func TestAcknowledgedPressOutlivesTheProcess(t *testing.T) {
	f, box := newFake(t), inbox.Box{Dir: t.TempDir(), Most: 1}
	away := &recorder{err: fault.New(fault.Infra, "Temporal is away")}
	dead := make(chan struct{})
	dying := f.open(func(c *Config) {
		c.Inbox = box
		c.Sleep = func(context.Context, time.Duration) error { <-dead; return errors.New("the process has ended") }
	})
	call := newCaller(t, dying.Handler(away.handle))
	t.Cleanup(func() { close(dead) }) // before the server closes, which waits for the handler
	if status, _ := call.call(callInteraction, pressed0); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	if left, err := box.Left(); err != nil || len(left) != 1 {
		t.Fatalf("on disk when it was answered: %d, %v", len(left), err)
	}
	another := pressCall(general, "1760000001.000001", "", "approve.1", "1.2.4", "1760000010.123456", ada)
	if status, _ := call.call(callInteraction, another); status != http.StatusInternalServerError {
		t.Errorf("one that can't be kept is answered with %d", status)
	}
	back := &recorder{}
	next := f.open(func(c *Config) {
		c.Inbox, c.Sleep = box, func(context.Context, time.Duration) error { return nil }
	})
	next.Resume(t.Context(), back.handle)
	if got := back.all(); len(got) != 1 || got[0].Kind != channel.Press || got[0].Token != "approve.1" || got[0].ID != away.all()[0].ID {
		t.Errorf("received after the restart: %+v", got)
	}
	if left, err := box.Left(); err != nil || len(left) != 0 {
		t.Errorf("left on disk: %d, %v", len(left), err)
	}
}

// Stored events that are too old are dropped.
func TestOldPressesAreNotResumed(t *testing.T) {
	f, box, e := newFake(t), inbox.Box{Dir: t.TempDir(), Most: 1}, &recorder{}
	s := f.open(func(c *Config) {
		c.Inbox = box
		c.Now = func() time.Time { return time.Now().Add(keptFor + time.Minute) }
	})
	if _, err := box.Put([]byte(`{"kind":"interactive","payload":"e30="}`), time.Now()); err != nil {
		t.Fatal(err)
	}
	s.Resume(t.Context(), e.handle)
	if left, err := box.Left(); err != nil || len(left) != 0 || len(e.all()) != 0 {
		t.Errorf("left %d, %v, received %+v", len(left), err, e.all())
	}
}
