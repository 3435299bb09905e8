package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge/github"
	"github.com/longshift/longshift/internal/httpguard"
	"github.com/longshift/longshift/internal/inbound"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/task"
)

type listeners struct {
	cfg      config.Config
	client   client.Client
	handler  *inbound.Handler
	record   func(context.Context, inbound.Act) error
	channels channels
	sources  map[intake.Kind]activities.Source
	hub      *github.Forge
	news     *news
	log      *slog.Logger
}

// resumer handles events that were accepted before its process ended.
type resumer interface {
	Resume(ctx context.Context, hear channel.Handle)
}

// run runs all listeners until ctx ends, and returns when the last one has stopped. If a listener can't start, the others run on.
func (e *listeners) run(ctx context.Context) error {
	server, err := e.serve(ctx)
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	for name, l := range e.channels.listeners {
		wg.Go(func() { e.listen(ctx, name, l) })
	}
	for _, c := range e.channels.all {
		if r, ok := c.(resumer); ok {
			wg.Go(func() { r.Resume(ctx, e.handler.Handle) })
		}
	}
	wg.Go(func() { e.news.run(ctx) })
	wg.Go(func() { e.watch(ctx) })
	wg.Go(func() { e.invite(ctx) })
	<-ctx.Done()
	if server != nil {
		endServer(ctx, server)
	}
	wg.Wait()
	return nil
}

// listen runs one listener, which reconnects by itself. An error before ctx ends means that the operator must fix something.
func (e *listeners) listen(ctx context.Context, name string, l channel.Listener) {
	for {
		err := l.Listen(ctx, e.handler.Handle)
		if ctx.Err() != nil {
			return
		}
		e.log.ErrorContext(ctx, "Nobody is heard on this channel; trying again in a minute",
			"channel", name, "error", err, "hint", fault.HintOf(err))
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Minute):
		}
	}
}

// serve starts the server for webhooks, if it has an address.
func (e *listeners) serve(ctx context.Context) (*http.Server, error) {
	if e.cfg.Listen.Address == "" {
		return nil, nil
	}
	proxies, err := httpguard.ParseProxies(e.cfg.Listen.Proxies)
	if err != nil {
		return nil, fault.New(fault.Input, "LONGSHIFT_LISTEN_PROXIES: %w", err)
	}
	d := httpguard.New(e.cfg.Listen.Hosts, proxies, e.log)
	refused := newRefusalRecorder(e.record, proxies.Caller, e.log)
	for name, w := range e.channels.webhooks {
		d.Handle("/webhooks/"+name, refused.on(name, w.Handler(e.handler.Handle)))
	}
	if e.cfg.GitHub.Webhook.Present() {
		d.Handle("/webhooks/github", refused.on(task.GitHub, e.hub.Webhook(github.WebhookConfig{Secret: reader(e.cfg.GitHub.Webhook),
			Label: e.cfg.GitHub.Label, Repositories: e.cfg.GitHub.Repositories, Deliver: e.news.take, Log: e.log})))
	}
	server, address, err := serveGuarded(ctx, "LONGSHIFT_LISTEN", e.cfg.Listen.Address, d)
	if err != nil {
		return nil, err
	}
	e.log.InfoContext(ctx, "Taking webhooks", "address", address.String())
	if a, ok := address.(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		e.log.WarnContext(ctx, "Webhooks are taken in the clear on an address that others may reach: put a proxy that ends TLS before it",
			"address", a.String())
	}
	return server, nil
}
func (e *listeners) insist(ctx context.Context, what string, do func(context.Context) error) bool {
	for wait := time.Second; ; wait = min(2*wait, time.Minute) {
		call, cancel := context.WithTimeout(ctx, 30*time.Second)
		err := do(call)
		cancel()
		var refused *serviceerror.InvalidArgument
		switch {
		case err == nil:
			return true
		case ctx.Err() != nil:
			return false
		case errors.As(err, &refused):
			e.log.ErrorContext(ctx, "Can't "+what, "error", err)
			return false
		}
		e.log.WarnContext(ctx, "Can't "+what+" yet", "error", err)
		select {
		case <-ctx.Done():
			return false
		case <-time.After(wait):
		}
	}
}
