package app

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/longshift/longshift/internal/inbound"
)

// refusalRecorder writes webhook calls with a rejected signature or age to the audit log, at most once a minute per channel, so that a
// flood can't fill the disk. The channels decide on the rejection.
type refusalRecorder struct {
	record recordFunc
	caller func(*http.Request) string
	log    *slog.Logger
	now    func() time.Time
	tally  inbound.Counter // by channel
}

func newRefusalRecorder(record recordFunc, caller func(*http.Request) string, log *slog.Logger) *refusalRecorder {
	return &refusalRecorder{record: record, caller: caller, log: log, now: time.Now}
}

// on wraps the handler of a channel's webhook.
func (r *refusalRecorder) on(channel string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		s := &statusWriter{ResponseWriter: w}
		h.ServeHTTP(s, req)
		if s.status == http.StatusUnauthorized {
			r.note(req, channel)
		}
	})
}

func (r *refusalRecorder) note(req *http.Request, channel string) {
	now := r.now()
	before, due := r.tally.Next(channel, now)
	if !due {
		return
	}
	reason := "signature or age refused"
	if before > 0 {
		reason += fmt.Sprintf("; %d more since the last on record", before)
	}
	act := inbound.Act{Time: now, Channel: channel, User: r.caller(req), Verb: "webhook", Reason: reason}
	if err := r.record(context.WithoutCancel(req.Context()), act); err != nil {
		r.log.ErrorContext(req.Context(), "A refused call could not be put on record", "channel", channel, "error", err)
	}
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = cmp.Or(w.status, status)
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the wrapped writer.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
