package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/app"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/signals"
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

// follow opens the pull requests and starts what looks after them while no worker runs. The worker that comes then has all of them to look
// at for the first time, as after an outage. It is ended when it has.
func (m *many) follow(ctx context.Context) error {
	failed, work := make([]error, 16), make(chan signals.PullRequestInput)
	var wg sync.WaitGroup
	for k := range failed {
		wg.Go(func() {
			for in := range work {
				if failed[k] == nil {
					failed[k] = startFollowing(ctx, m.Client, in)
				}
			}
		})
	}
	for _, in := range m.pulls() {
		work <- in
	}
	close(work)
	wg.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	m.forge.clear()
	l, err := m.worker(m.data())
	if err != nil {
		return err
	}
	defer l.kill()
	for i, said := 0, time.Now(); i < m.followed; i++ {
		if err := m.atRest(ctx, pullID(i)); err != nil {
			return err
		}
		if time.Since(said) > 20*time.Second {
			note("%d pull requests were looked at", i)
			said = time.Now()
		}
	}
	if _, most, err := l.resident(); err == nil {
		m.add("first look at all pull requests: memory at most", "%.0f MB", float64(m.memory), mb(most))
	}
	m.add("first look at all pull requests: time", "%.1f s", 0, time.Since(l.began).Seconds())
	api, _, refused := m.forge.clear()
	m.rows = append(m.rows, traffics("first look", api)...)
	if m.minute > 0 {
		m.add("first look: requests that the forge refused", "%.0f", 0, float64(refused))
	}
	note("%d pull requests are followed after %s", m.followed, time.Since(l.began).Round(time.Second))
	return nil
}

func (m *many) data() string { return filepath.Join(m.scene.dir, "host") }

func pullID(n int) string { return fmt.Sprintf("followed-%05d-acme-calc", n) }

// followedIn is the repository of the pull requests that are followed. It has no git behind it, which would be the slowest part of all.
const followedIn = "acme/followed"

// pulls puts the pull requests on the forge.
func (m *many) pulls() (all []signals.PullRequestInput) {
	head, can := strings.Repeat("a", 40), true
	branches := map[string]string{"main": strings.Repeat("b", 40)}
	for n := range m.followed {
		in := opened(pullID(n), 0, head, project.Defaults())
		in.Input.Repository, branches[in.Branch] = followedIn, head
		all = append(all, in)
	}
	m.GitHub.AddRepository(forgetest.Repository{Name: followedIn, Branches: branches})
	for n := range all {
		in := &all[n]
		in.Number = m.GitHub.OpenPull(followedIn, forgetest.Pull{Title: "Write three files", Head: in.Branch, Base: "main", Mergeable: &can})
		in.URL = strings.Join([]string{m.forge.URL, followedIn, "pull", fmt.Sprint(in.Number)}, "/")
	}
	return all
}

// atRest waits until a pull request was looked at and nothing is to be done.
func (m *many) atRest(ctx context.Context, id string) error {
	for {
		d, err := m.Client.DescribeWorkflowExecution(ctx, id, "")
		if err != nil {
			return err
		}
		if len(d.PendingActivities) == 0 && d.PendingWorkflowTask == nil && d.WorkflowExecutionInfo.HistoryLength > 10 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s has not come to rest: %w", id, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}
