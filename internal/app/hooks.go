package app

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/longshift/longshift/internal/listen"
)

// doorman puts calls on record whose signature or age was refused, for each channel once a minute: whoever floods us must not fill the
// disk. It decides nothing: the channels do.
type doorman struct {
	record func(context.Context, listen.Act) error
	log    *slog.Logger
	now    func() time.Time
	tally  listen.Tally // by channel
}

func newDoorman(record func(context.Context, listen.Act) error, log *slog.Logger) *doorman {
	return &doorman{record: record, log: log, now: time.Now}
}

// on wraps the handler of a channel's webhook.
func (r *doorman) on(channel string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		s := &statusWriter{ResponseWriter: w}
		h.ServeHTTP(s, req)
		if s.status == http.StatusUnauthorized {
			r.note(req, channel)
		}
	})
}

func (r *doorman) note(req *http.Request, channel string) {
	now := r.now()
	before, due := r.tally.Next(channel, now)
	if !due {
		return
	}
	reason := "signature or age refused"
	if before > 0 {
		reason += fmt.Sprintf("; %d more since the last on record", before)
	}
	from, _, err := net.SplitHostPort(req.RemoteAddr)
	if err != nil {
		from = "unknown"
	}
	act := listen.Act{Time: now, Channel: channel, User: from, Verb: "webhook", Reason: reason}
	if err := r.record(context.WithoutCancel(req.Context()), act); err != nil {
		r.log.ErrorContext(req.Context(), "A refused call could not be put on record", "channel", channel, "error", err)
	}
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach what is below.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// What callers may hold at the same time. A body is read before its signature can be checked, so strangers must not get far.
const (
	mostCalls       = 16
	mostConnections = 200
)

// atMost serves n calls at the same time. Who comes on top of them is told to come back: every platform does, or the poll finds it.
func atMost(n int, h http.Handler) http.Handler {
	slots := make(chan struct{}, n)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
			h.ServeHTTP(w, r)
		default:
			w.Header().Set("Retry-After", "5")
			http.Error(w, "busy", http.StatusServiceUnavailable)
		}
	})
}
