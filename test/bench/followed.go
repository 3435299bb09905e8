package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/signals"
)

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
