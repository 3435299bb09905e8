package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/app"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/test/lab"
)

// Budgets of an installation with many tasks.
const (
	mostStart  = 10.0 // seconds until a worker serves
	mostAnswer = 1.0  // seconds until a command has its answer
	mostAtOnce = 100  // requests of a token that GitHub takes at the same time
	mostWrites = 80   // requests in a minute that make content, as GitHub's secondary limit has it
)

// scale are the sizes of an installation with many tasks.
type scale struct {
	parked, followed, approved, hosts int

	memory   int // MB of the worker that has the parked and the followed ones
	rounds   int // of each command
	postgres bool
	pause    time.Duration
	latency  time.Duration
	minute   int
}

// flags declares them.
func (o *scale) flags() {
	flag.IntVar(&o.parked, "parked", 1000, "with -scale: tasks that wait for their approval")
	flag.IntVar(&o.followed, "followed", 100, "with -scale: pull requests that are looked after")
	flag.IntVar(&o.approved, "approved", 30, "with -scale: tasks that are approved at the same moment; 0 leaves that out")
	flag.IntVar(&o.hosts, "hosts", 3, "with -scale: hosts that carry these on")
	flag.IntVar(&o.memory, "memory", 512, "with -scale: MB of memory of the worker that has the waiting ones")
	flag.DurationVar(&o.pause, "pause", 20*time.Second, "with -scale: the pause that the forge asks for meanwhile; 0 for none")
	flag.DurationVar(&o.latency, "latency", 100*time.Millisecond, "with -scale: what an answer of the forge takes at least")
	flag.IntVar(&o.minute, "minute", 0, "with -scale: requests that the forge takes in a minute; GitHub says 900; 0 for any number")
	flag.BoolVar(&o.postgres, "postgres", false, "with -scale: the server stores in PostgreSQL, not in SQLite")
}

// runScale measures a worker with many tasks that wait, what people ask meanwhile, and many that go on at once.
func runScale(o scale) error {
	return play(func(s *scene) error {
		server := lab.StartServer
		if o.postgres {
			server = func(t testing.TB, _ bool) *lab.Server { return lab.StartOnPostgres(t) }
		}
		stage := lab.SetStage(s, agenttest.Script{}, lab.QuickSettings)
		stage.Server = server(s, false)
		forge, err := newMeter(s, stage.Front, o.latency, o.minute)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Hour)
		defer cancel()
		// A namespace that was just made is not known to each part of the server yet.
		lab.Eventually(s, time.Minute, "the namespace has the search attributes", func() bool {
			return app.RegisterAttributes(ctx, stage.Client, client.DefaultNamespace) == nil
		})
		m := &many{scale: o, Stage: stage, forge: forge, scene: s}
		if err := m.measure(ctx); err != nil {
			return err
		}
		return m.print()
	})
}

// many is the scene of an installation with many tasks.
type many struct {
	scale
	*lab.Stage
	forge *meter
	scene *scene
	group string
	rows  []row
}

func (m *many) measure(ctx context.Context) error {
	m.group = group(m.scene, m.memory<<20)
	for _, step := range []func(context.Context) error{m.empty, m.fill, m.follow, m.rest, m.ask, m.goOn} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// worker starts a worker with everything that it does by default.
func (m *many) worker(data string) (*limited, error) {
	return startLimited(m.scene, m.group, lab.Program(m.scene, "longshift-worker"), []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + m.scene.dir, "TEMPORAL_ADDRESS=" + m.Address, "LONGSHIFT_DATA=" + data,
		"LONGSHIFT_CLAUDE=" + lab.Claude(m.scene), "LONGSHIFT_ANTHROPIC_URL=" + m.Model.URL, "LONGSHIFT_ANTHROPIC_KEY=" + lab.Key,
		"LONGSHIFT_GITHUB_URL=" + m.forge.URL, "LONGSHIFT_GITHUB_TOKEN=" + forgetest.Token,
	})
}

func (m *many) add(what, format string, budget float64, values ...float64) {
	m.rows = append(m.rows, row{what: what, format: format, budget: budget, now: values})
}

func (m *many) print() error {
	on, limit := "SQLite", "measured only: no control group could be made"
	if m.postgres {
		on = "PostgreSQL"
	}
	if m.group != "" {
		limit = "limited by the control group " + filepath.Base(m.group)
	}
	fmt.Printf("%d parked tasks and %d followed pull requests on one worker, Temporal on %s; the worker's memory of %d MB is %s;\n"+
		"then %d tasks approved at once on %d hosts:\n", m.parked, m.followed, on, m.memory, limit, m.approved, m.hosts)
	return printTable(os.Stdout, m.rows)
}

// note says on the way how far it is.
func note(format string, args ...any) {
	fmt.Fprintln(os.Stderr, time.Now().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}

// fill parks the tasks.
func (m *many) fill(ctx context.Context) error {
	begun := time.Now()
	if err := park(ctx, m.Client, m.parked); err != nil {
		return err
	}
	m.add("tasks brought to their approval, in a second", "%.0f", 0, float64(m.parked)/time.Since(begun).Seconds())
	note("%d tasks are parked after %s", m.parked, time.Since(begun).Round(time.Second))
	return nil
}
