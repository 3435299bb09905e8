package app

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/httpguard"
	"github.com/longshift/longshift/internal/inbound"
)

// Refused calls are on record, and a flood of them is one line a minute.
func TestRefusedCallsAreOnRecord(t *testing.T) {
	t.Parallel()
	var acts []inbound.Act
	r := newRefusalRecorder(func(_ context.Context, a inbound.Act) error { acts = append(acts, a); return nil }, httpguard.Proxies(nil).Caller,
		slog.New(slog.DiscardHandler))
	clock := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	r.now = func() time.Time { return clock }
	status := http.StatusUnauthorized
	h := r.on("slack", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	call := func() { h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/webhooks/slack", nil)) }
	for range 100 {
		call()
	}
	status = http.StatusOK
	call()
	status, clock = http.StatusUnauthorized, clock.Add(time.Minute)
	call()
	if len(acts) != 2 || acts[0].Channel != "slack" || acts[0].User != "192.0.2.1" || acts[0].Done || !strings.Contains(acts[1].Reason, "99 more") {
		t.Errorf("on record: %+v", acts)
	}
}
