package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"golang.org/x/term"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/github"
	"github.com/longshift/longshift/internal/httpguard"
	"github.com/longshift/longshift/internal/inbound"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/checkouts"
	"github.com/longshift/longshift/internal/schedule/jobs"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// recordFunc writes an act to the audit log.
type recordFunc = func(context.Context, inbound.Act) error

// newHandler builds the event handler. It writes each act to the audit log before it takes effect.
func newHandler(
	cfg config.Config, c client.Client, namespace string, hub *github.Forge, record recordFunc, secrets *redact.Redactor, log *slog.Logger,
) (*inbound.Handler, error) {
	folders, err := newProjects(cfg)
	if err != nil {
		return nil, err
	}
	return inbound.New(inbound.Config{
		Projects: folders, Issues: hub, Intakes: looker{c}, Host: cfg.GitHub.Host(),
		Client: c, Namespace: namespace, People: people(cfg), Repository: cfg.Channels.Repository,
		WebURL:    strings.TrimRight(cfg.WebURL, "/"),
		Schedules: jobs.Book{Client: c},
		Redact:    secrets.String, Log: log, Now: time.Now, Record: record,
	})
}

// newProjects opens the folder of projects of this process. It returns nil if the operator names none.
func newProjects(cfg config.Config) (inbound.Projects, error) {
	if cfg.Channels.Projects == "" {
		return nil, nil
	}
	folder, err := checkouts.Open(cfg.Channels.Projects, "")
	if err != nil {
		return nil, err // not a nil *Folder in an interface
	}
	return folder, nil
}

func recorder(acts *audit.Log, secrets *redact.Redactor) func(context.Context, inbound.Act) error {
	return func(ctx context.Context, a inbound.Act) error {
		verdict := audit.ActRefused
		switch {
		case a.Done:
			verdict = audit.ActDone
		case a.Reason == inbound.Asked:
			verdict = audit.ActAsked
		}
		return acts.AppendAct(ctx, audit.Act{Time: a.Time, Channel: a.Channel, User: a.User, Name: a.Name, Verb: a.Verb,
			Task: a.Task, Delivery: a.Delivery, Verdict: verdict, Reason: secrets.String(a.Reason)})
	}
}

// newListeners builds this process's listeners and what they need. The returned function closes the audit log.
func newListeners(
	ctx context.Context, cfg config.Config, c client.Client, namespace string, out io.Writer, secrets *redact.Redactor, log *slog.Logger,
) (*listeners, func(), error) {
	hub, err := newHub(cfg, log)
	if err != nil {
		return nil, nil, err
	}
	hub.SharedBy(workersOf(c))
	typed := io.Reader(strings.NewReader(""))
	if cfg.Channels.Terminal && term.IsTerminal(int(os.Stdin.Fd())) {
		typed = os.Stdin
	}
	chats, err := newChannels(cfg, console{typed, out}, log)
	if err != nil {
		return nil, nil, err
	}
	acts, err := openAudit(ctx, cfg, log)
	if err != nil {
		return nil, nil, err
	}
	record := recorder(acts, secrets)
	handler, err := newHandler(cfg, c, namespace, hub, record, secrets, log)
	if err != nil {
		_ = acts.Close()
		return nil, nil, err
	}
	sources, err := newSources(cfg, hub, log)
	if err != nil {
		_ = acts.Close()
		return nil, nil, err
	}
	return &listeners{cfg: cfg, client: c, handler: handler, record: record, channels: chats, sources: sources, hub: hub,
		news: newNews(cfg, handler.OnForge, log), log: log}, func() { _ = acts.Close() }, nil
}

// control builds the activities on forges and channels.
func (e *listeners) control(secrets *redact.Redactor) *activities.Control {
	control := newControl(e.cfg, e.hub, secrets)
	control.Channels, control.Rooms, control.OnForge = e.channels.all, e.rooms, e.handler.OnForge
	control.Sources = e.sources
	control.Take = func(ctx context.Context, ev forge.Event) (string, error) {
		return e.handler.HandleRequest(ctx, ev, e.hub, e.cfg.GitHub.Label)
	}
	return control
}

// rooms returns the rooms that show every task: those that the operator names, and the chats that people have bound.
func (e *listeners) rooms(ctx context.Context) ([]task.Room, error) {
	rooms := slices.Clone(e.channels.rooms)
	bound, err := e.handler.BoundChats(ctx)
	if err != nil {
		return nil, err
	}
	for _, b := range bound {
		if _, there := e.channels.all[b.Channel]; there {
			rooms = append(rooms, b.Room)
		}
	}
	return rooms, nil
}

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
		d.Handle("/webhooks/github", refused.on("github", e.hub.Webhook(github.WebhookConfig{Secret: reader(e.cfg.GitHub.Webhook),
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

// watch makes sure that each repository has one Watch workflow, whichever process starts it.
func (e *listeners) watch(ctx context.Context) {
	if e.cfg.GitHub.Poll <= 0 || !e.cfg.GitHub.Authorized() {
		return
	}
	again := time.NewTicker(watchAgain)
	defer again.Stop()
	for {
		e.watchAll(ctx)
		select {
		case <-ctx.Done():
			return
		case <-again.C: // a worker with other settings may have ended one
		}
	}
}

// watchAgain is how often a listener starts what watches its repositories, where it does not run.
const watchAgain = time.Hour

func (e *listeners) watchAll(ctx context.Context) {
	for _, name := range e.cfg.GitHub.Repositories {
		r, err := task.ParseRepository(name)
		if err != nil { // owner/*: for webhooks only
			continue
		}
		in := signals.WatchInput{Repository: name}
		e.insist(ctx, "watch "+name, func(ctx context.Context) error {
			_, err := e.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
				ID: signals.WatchID(e.cfg.GitHub.Host(), r), TaskQueue: signals.Queue, WorkflowTaskTimeout: signals.WorkflowTaskTimeout,
				WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
				StaticSummary:            "watches " + task.Literally(name),
			}, signals.Watch, in)
			return err
		})
	}
}

// invite creates a one-time code if Telegram is configured without any authorized user, and writes it to the worker's log.
func (e *listeners) invite(ctx context.Context) {
	set := e.cfg.Channels.Telegram
	if e.channels.all[channel.Telegram] == nil || len(set.Start)+len(set.Approve)+len(set.Commands) > 0 {
		return
	}
	const life = 30 * time.Minute
	code := ""
	made := e.insist(ctx, "make a code for Telegram", func(ctx context.Context) error {
		bound, err := e.handler.BoundChats(ctx)
		if err != nil || slices.ContainsFunc(bound, func(b signals.Binding) bool { return b.Channel == channel.Telegram }) {
			return err
		}
		code, err = inbound.Invite(ctx, e.client, channel.Telegram, life, time.Now())
		return err
	})
	if made && code != "" {
		e.log.WarnContext(ctx, "Nobody may use Telegram yet: write \"start "+code+"\" to the bot, in a private chat, within "+life.String())
	}
}

// insist repeats do until it succeeds or ctx ends, and reports whether it has succeeded.
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
