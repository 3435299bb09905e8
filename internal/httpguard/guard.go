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

// What callers may hold of one listener. Nothing is known of them before their call is whole: its signature is over its body.
const (
	mostWaiting = 256 // connections on which no header has come in yet
	mostBodies  = 32  // calls whose bodies come in, or wait to be handled
	mostCalls   = 16  // calls that one handler has at the same time

	maxHeader = 32 << 10
	maxBody   = 1 << 20
	idleTime  = time.Minute
	writeTime = time.Minute
)

// limits are the times that a caller has.
type limits struct {
	header, whole time.Duration // until the header is there, and the whole call
	turn          time.Duration // for a handler to be free
}

// Slack waits for three seconds altogether, GitHub and WhatsApp for ten.
var usual = limits{header: 3 * time.Second, whole: 8 * time.Second, turn: 2 * time.Second}

// Guard is a listener for calls of strangers. Each handler gets calls that are whole, with bodies of 1 MiB at most, and no more than it can
// do at a time. Handlers are added before Server.
type Guard struct {
	Hosts   Hosts
	Proxies Proxies
	Log     *slog.Logger

	limits  limits
	waiting *places
	bodies  *places
	open    sync.Map // *place in waiting, by net.Conn
	mux     http.ServeMux
	told    atomic.Int64 // the minute in which a refusal was last put down: strangers must not fill the log
}

// New makes a listener without handlers.
func New(hosts Hosts, proxies Proxies, log *slog.Logger) *Guard {
	return &Guard{Hosts: hosts, Proxies: proxies, Log: log, limits: usual, waiting: newPlaces(mostWaiting), bodies: newPlaces(mostBodies)}
}

type connKey struct{}

// Server serves what was added. ctx is where the calls' contexts come from.
func (d *Guard) Server(ctx context.Context) *http.Server {
	return &http.Server{
		Handler: d, ReadHeaderTimeout: d.limits.header, ReadTimeout: d.limits.whole, WriteTimeout: writeTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(d.Log.Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		ConnState:   d.state,
	}
}

// state gives each connection a place for as long as it waits for a header. Whoever loses it is cut off.
func (d *Guard) state(c net.Conn, s http.ConnState) {
	switch s {
	case http.StateNew, http.StateIdle:
		caller := neighbours(address(c.RemoteAddr().String()).String())
		d.open.Store(c, d.waiting.take(caller, func() { _ = c.Close() }))
	case http.StateClosed, http.StateHijacked:
		d.arrived(c)
	}
}

// arrived gives back the place of a connection on which a header has come in.
func (d *Guard) arrived(c any) {
	if one, ok := d.open.LoadAndDelete(c); ok {
		one.(*place).leave()
	}
}

// ServeHTTP takes a call whose header has come in.
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

// Handle adds a handler, which has turns of its own.
func (d *Guard) Handle(pattern string, h http.Handler) {
	turns := make(chan struct{}, mostCalls)
	d.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		if d.admit(w, r, turns) {
			defer func() { <-turns }()
			h.ServeHTTP(w, r)
		}
	})
}

// admit reads the body of a call and waits for its turn, or answers why it has none.
func (d *Guard) admit(w http.ResponseWriter, r *http.Request, turns chan struct{}) bool {
	place := d.bodies.take(neighbours(d.Proxies.Caller(r)), func() { // ends the reading, or the context of a call that is whole
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

// turn waits until a handler is free, but not for long, nor beyond ctx.
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
