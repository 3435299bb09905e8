package app

import (
	"context"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/client"
	"golang.org/x/term"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/github"
	"github.com/longshift/longshift/internal/inbound"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/checkouts"
	"github.com/longshift/longshift/internal/schedule/jobs"
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
