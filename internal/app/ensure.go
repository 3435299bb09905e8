package app

import (
	"context"
	"slices"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/inbound"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

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

// watchAgain is how often a listener starts what watches its repositories, where it does not run. A start that finds it running is one call, and no
// billable action of Temporal Cloud. Commands that are written while nothing watches a repository are lost, unless a webhook brings them.
const watchAgain = 5 * time.Minute

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
