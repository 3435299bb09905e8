package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/interceptor"
	tlog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/checkup"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/processenv"
	"github.com/longshift/longshift/internal/reach"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/signals"
)

// cachedWorkflows is how many workflows stay in memory, at about 140 KB each. Any other is replayed from its history when it continues.
const cachedWorkflows = 1000

// stopTimeout is how long a stopping worker waits for its activities.
const stopTimeout = 30 * time.Second

// WorkerMain is the worker's main function. It returns the exit code.
func WorkerMain(args []string, lookup config.Lookup, stderr io.Writer) int {
	if len(args) > 0 {
		fmt.Fprintf(stderr, "longshift-worker: unexpected argument %q: it takes none, "+
			"its configuration is the environment (see docs/configuration.md)\n", args[0])
		return fault.ExitUsage
	}
	ctx, stop := EndedBySignal()
	defer stop()
	err := useSettingsFile(lookup)
	if err == nil {
		err = runWorker(ctx, lookup, stderr)
	}
	if err != nil {
		text := err.Error()
		if hint := fault.HintOf(err); hint != "" {
			text += "; " + hint
		}
		fmt.Fprintf(stderr, "longshift-worker: %s\n", text)
		return fault.KindOf(err).ExitCode()
	}
	return fault.ExitOK
}

// useSettingsFile adds what the settings file sets to the environment of this process, for all that reads variables there. Who has set an
// empty profile of Temporal's means a server that needs none of what is set for another one.
func useSettingsFile(lookup config.Lookup) error {
	settings, err := config.FromFile(lookup)
	profile, _ := lookup("TEMPORAL_CONFIG_FILE")
	if profile == os.DevNull {
		settings = slices.DeleteFunc(settings, func(s string) bool { return strings.HasPrefix(s, "TEMPORAL_") })
	}
	return errors.Join(err, processenv.Set(settings))
}

func runWorker(ctx context.Context, lookup config.Lookup, stderr io.Writer) error {
	cfg, err := config.Load(lookup)
	if err != nil {
		return err
	}
	if cfg.Role.Host() {
		unlock, err := lockData(cfg.Data)
		if err != nil {
			return err
		}
		defer unlock()
	}
	secrets := redactor(cfg)
	cfg.ReportSecrets(secrets.Add) // redact a secret that is renewed on disk from its first use
	lines := redact.Writer(stderr, secrets)
	defer lines.Close()
	log := slog.New(slog.NewTextHandler(lines, &slog.HandlerOptions{Level: cfg.Log}))
	options, err := envconfig.LoadDefaultClientOptions()
	if err != nil {
		return fault.New(fault.Input, "read Temporal's environment: %w", err)
	}
	if err := config.CheckServer(options.HostPort); err != nil {
		return err
	}
	options.Logger = tlog.NewStructuredLogger(slog.New(sdkLog{log.Handler()}))
	endHealth, err := serveHealth(ctx, cfg, log) // a worker that waits for its server is alive
	if err != nil {
		return err
	}
	defer endHealth()
	at := server{options, log, time.Now, time.After}
	c, err := at.connect(ctx)
	if err != nil && ctx.Err() != nil {
		log.Info("Worker stopping")
		return nil
	} else if err != nil {
		return err
	}
	defer c.Close()
	worker.SetStickyWorkflowCacheSize(cachedWorkflows)
	// Without a name, the SDK reads the whole program for its checksum: a quarter of the processor time of a start.
	worker.SetBinaryChecksum(checkup.ReadBuild("").String())
	fatal := make(chan error, 1)
	refused := func(ctx context.Context) error { return at.untilRefused(ctx, at.access(c)) }
	w := &workers{client: c, log: log, fatal: fatal, refused: refused, options: worker.Options{
		WorkerStopTimeout: stopTimeout, OnFatalError: func(err error) {
			select {
			case fatal <- err:
			default: // another one has failed before
			}
		},
		// Builds of tasks may keep every processor busy for longer than the second that the SDK waits.
		DeadlockDetectionTimeout: signals.WorkflowTaskTimeout - time.Second,
		Interceptors:             []interceptor.WorkerInterceptor{&activities.Interceptor{Redact: secrets, Alone: cfg.Host.Alone}},
	}}
	if cfg.Role.Host() {
		sweeper, err := newSweeper(cfg, c, log)
		if err != nil {
			return err
		}
		host, closeHost, err := hostWithRoom(ctx, cfg, secrets, log, func() { sweepOnce(ctx, sweeper, newCaches(cfg, log).Sweep) })
		if err != nil {
			return err
		}
		defer closeHost()
		w.host(activities.NewHost(host))
		tick := time.NewTicker(sweepEvery)
		defer tick.Stop()
		var sweeping sync.WaitGroup
		defer sweeping.Wait()
		until, stop := context.WithCancel(ctx)
		defer stop()
		sweeping.Go(func() { keepSweeping(until, sweeper, host.Caches.Sweep, tick.C) })
		log.Info("Host ready", "host", host.ID, "slots", cfg.Host.Slots, "agents", cfg.AllowedAgents())
	}
	if !cfg.Role.Listen() {
		return w.run(ctx)
	}
	e, closeListeners, err := newListeners(ctx, cfg, c, reach.Namespace(options), lines, secrets, log)
	if err != nil {
		return err
	}
	defer closeListeners()
	if cfg.Role.Control() {
		w.control(e.control(secrets))
	}
	if !cfg.Listen.Listeners {
		return w.run(ctx)
	}
	return w.runWith(ctx, e.run)
}

// hostID reads this host's id from the data directory or creates it.
func hostID(data string) (string, error) {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return "", fault.New(fault.Input, "LONGSHIFT_DATA %q: %w", data, err).WithHint("give a folder that can be written")
	}
	return readOrMake(data)
}
