package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/httpguard"
)

// serveHealth answers liveness probes if an address is configured. It uses a separate listener, so that other traffic can't block it. The
// returned function stops it.
func serveHealth(ctx context.Context, cfg config.Config, log *slog.Logger) (end func(), err error) {
	if cfg.Listen.Health == "" {
		return func() {}, nil
	}
	d := httpguard.New(cfg.Listen.Hosts, nil, log)
	d.Handle("GET /healthz", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	server, address, err := serveGuarded(ctx, "LONGSHIFT_HEALTH", cfg.Listen.Health, d)
	if err != nil {
		return nil, err
	}
	log.InfoContext(ctx, "Telling of health", "address", address.String())
	return func() { _ = server.Close() }, nil
}

// serveGuarded listens on an address from a setting and serves what the guard lets in.
func serveGuarded(ctx context.Context, setting, address string, d *httpguard.Guard) (*http.Server, net.Addr, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, nil, fault.New(fault.Input, "%s=%q: %w", setting, address, err).WithHint("give a free address of this machine")
	}
	server := d.Server(context.WithoutCancel(ctx))
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			d.Log.ErrorContext(ctx, "Calls are not taken any more", "setting", setting, "error", err)
		}
	}()
	return server, listener.Addr(), nil
}

// endServer shuts the server down after the running requests.
func endServer(ctx context.Context, server *http.Server) {
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := server.Shutdown(end); err != nil {
		_ = server.Close()
	}
}
