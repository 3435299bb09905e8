package tasks

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
)

// slowHistory has some events, each a page of its own that takes its time.
type slowHistory struct {
	ctx    context.Context
	events int64
	page   time.Duration
	given  int64
}

func (h slowHistory) GetWorkflowHistory(ctx context.Context, _, _ string, _ bool, _ enumspb.HistoryEventFilterType) client.HistoryEventIterator {
	h.ctx = ctx
	return &h
}

func (h *slowHistory) HasNext() bool { return h.given < h.events }

func (h *slowHistory) Next() (*historypb.HistoryEvent, error) {
	select {
	case <-h.ctx.Done():
		return nil, h.ctx.Err()
	case <-time.After(h.page):
		h.given++
		return &historypb.HistoryEvent{EventId: h.given}, h.ctx.Err()
	}
}

// pager is somebody who reads each line for a while.
type pager struct {
	clitest.Buffer
	reads time.Duration
}

func (p *pager) Write(b []byte) (int, error) {
	<-time.After(p.reads)
	return p.Buffer.Write(b)
}

// The events of a long history are all printed, however slowly they are read; only a server that does not answer ends it.
func TestEventsTakeTheirTime(t *testing.T) {
	for name, c := range map[string]struct {
		page, reads time.Duration
		printed     int
	}{
		"read slowly":         {time.Second, 2 * server.AnswerWithin, 3},
		"a slow server":       {server.AnswerWithin - time.Second, 0, 3},
		"a server that hangs": {server.AnswerWithin + time.Second, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v, screen := fakeViewer(clitest.NewTerminal(t)), &pager{reads: c.reads}
				v.printer = term.NewPrinter(term.Streams{Err: screen})
				err := v.Events(t.Context(), slowHistory{events: 3, page: c.page}, Found{ID: "web-1"})
				if n := strings.Count(screen.String(), "debug: "); n != c.printed || (err == nil) != (n == 3) {
					t.Errorf("%d events and %v", n, err)
				}
				if err != nil && (fault.KindOf(err) != fault.Infra || !strings.Contains(err.Error(), "does not answer")) {
					t.Errorf("says %v", err)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := fakeViewer(clitest.NewTerminal(t)).Events(ctx, slowHistory{events: 1, page: time.Second}, Found{}); err != context.Canceled {
			t.Errorf("interrupted it says %v", err)
		}
	})
}
