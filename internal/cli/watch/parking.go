package watch

import (
	"context"
	"time"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// parking watches tasks that wait for a person while others are followed.
type parking struct {
	client tasks.PollClient
	clock  environ.Clock
	jobs   map[string]parked // by id
	news   chan news
}

type parked struct {
	*job
	stop context.CancelFunc
}

// news is a change of a parked task.
type news struct {
	j *job
	tasks.Snapshot
}

func newParking(client tasks.PollClient, t environ.Clock) *parking {
	slow := environ.Clock{Now: t.Now, After: func(d time.Duration) <-chan time.Time { return t.After(max(d, seldom)) }}
	return &parking{client: client, clock: slow, jobs: map[string]parked{}, news: make(chan news)}
}

// park watches a task until it goes on or has ended.
func (p *parking) park(ctx context.Context, j *job) {
	ctx, stop := context.WithCancel(ctx)
	p.jobs[j.id] = parked{j, stop}
	poll := tasks.NewPoller(p.client, j.id, j.run, p.clock)
	go func() {
		for s := range poll.Watch(ctx) {
			parks := s.Status == nil ||
				s.Status.Phase == task.Suspended && !signals.KeepsAdmission(s.Status.Reason, string(intake.Backlog))
			if parks && !s.Closed {
				continue
			}
			select {
			case p.news <- news{j, s}:
			case <-ctx.Done():
				return
			}
		}
	}()
}

// leave stops watching the task of some news. It is false when that is watched no more.
func (p *parking) leave(n news) bool {
	j, ok := p.jobs[n.j.id]
	if !ok || j.job != n.j {
		return false
	}
	delete(p.jobs, n.j.id)
	j.stop()
	return true
}

// changes are the news of the parked tasks.
func (p *parking) changes() <-chan news { return p.news }

func (p *parking) count() int { return len(p.jobs) }

func (p *parking) has(id string) bool {
	_, ok := p.jobs[id]
	return ok
}

// hasFile tells whether a task of the file is parked.
func (p *parking) hasFile(name string) bool {
	for _, j := range p.jobs {
		if j.file == name {
			return true
		}
	}
	return false
}
