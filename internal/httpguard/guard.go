package httpguard

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Limits per listener. A caller is unknown until its whole request is read, since the signature covers the body.
const (
	mostWaiting = 256 // connections that have not sent a header
	mostBodies  = 32  // requests whose body is being read, or that wait for a handler
	mostCalls   = 16  // concurrent requests per handler

	maxHeader = 32 << 10
	maxBody   = 1 << 20
	idleTime  = time.Minute
	writeTime = time.Minute
)

// limits are the timeouts of a request.
type limits struct {
	header, whole time.Duration // for the header, and for the whole request
	turn          time.Duration // to wait for a free handler
}

// Slack expects an answer within three seconds, GitHub and WhatsApp within ten.
var usual = limits{header: 3 * time.Second, whole: 8 * time.Second, turn: 2 * time.Second}

// Guard protects a listener for requests from the internet. Handlers only see complete requests, with bodies of 1 MiB at
// most, and a limited number at a time. Handlers must be added before Server is called.
type Guard struct {
	Hosts   Hosts
	Proxies Proxies
	Log     *slog.Logger

	limits  limits
	waiting *places
	bodies  *places
	open    sync.Map // *place in waiting, by net.Conn
	mux     http.ServeMux
	told    atomic.Int64 // minute of the last logged refusal, so that strangers can't fill the log
}

// New returns a guard without handlers.
func New(hosts Hosts, proxies Proxies, log *slog.Logger) *Guard {
	return &Guard{Hosts: hosts, Proxies: proxies, Log: log, limits: usual, waiting: newPlaces(mostWaiting), bodies: newPlaces(mostBodies)}
}

type connKey struct{}

// Server returns a server for the handlers. Contexts of requests derive from ctx.
func (d *Guard) Server(ctx context.Context) *http.Server {
	return &http.Server{
		Handler: d, ReadHeaderTimeout: d.limits.header, ReadTimeout: d.limits.whole, WriteTimeout: writeTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(d.Log.Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		ConnState:   d.state,
	}
}

// state assigns a place to each connection until its header is read. A connection that loses its place is closed.
func (d *Guard) state(c net.Conn, s http.ConnState) {
	switch s {
	case http.StateNew, http.StateIdle:
		caller := neighbours(address(c.RemoteAddr().String()).String())
		d.open.Store(c, d.waiting.take(caller, func() { _ = c.Close() }))
	case http.StateClosed, http.StateHijacked:
		d.arrived(c)
	}
}

// arrived releases the place of a connection whose header has been read.
func (d *Guard) arrived(c any) {
	if one, ok := d.open.LoadAndDelete(c); ok {
		one.(*place).leave()
	}
}

// ServeHTTP checks a request after its header.
func (d *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.arrived(r.Context().Value(connKey{}))
	if err := d.Hosts.Check(r); err != nil {
		if minute := time.Now().Unix() / 60; d.told.Swap(minute) != minute {
			d.Log.WarnContext(r.Context(), "Calls are refused", "error", err, "from", d.Proxies.Caller(r))
		}
		Refuse(w, err)
		return
	}
	d.mux.ServeHTTP(w, r)
}

// Handle adds a handler with a concurrency limit of its own.
func (d *Guard) Handle(pattern string, h http.Handler) {
	turns := make(chan struct{}, mostCalls)
	d.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		if d.admit(w, r, turns) {
			defer func() { <-turns }()
			h.ServeHTTP(w, r)
		}
	})
}

// admit reads the body and waits for the handler, or answers with an error.
func (d *Guard) admit(w http.ResponseWriter, r *http.Request, turns chan struct{}) bool {
	place := d.bodies.take(neighbours(d.Proxies.Caller(r)), func() { // aborts reading, or cancels the context of a complete request
		_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0))
	})
	defer place.leave()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		refuse(w, http.StatusRequestEntityTooLarge, "the body is larger than 1 MiB")
		return false
	case err != nil:
		refuse(w, http.StatusRequestTimeout, "the body did not come in")
		return false
	}
	if !d.turn(r.Context(), turns) {
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, "busy")
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return true
}

// turn waits for a free handler, for a short time and no longer than ctx.
func (d *Guard) turn(ctx context.Context, turns chan struct{}) bool {
	timer := time.NewTimer(d.limits.turn)
	defer timer.Stop()
	select {
	case turns <- struct{}{}:
		return true
	case <-ctx.Done():
	case <-timer.C:
	}
	return false
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Connection", "close")
	http.Error(w, text, status)
}
