package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/longshift/longshift/signals"
)

// empty measures a worker whose server has no task yet, to compare with.
func (m *many) empty(context.Context) error {
	l, err := m.worker(filepath.Join(m.scene.dir, "before"))
	if err != nil {
		return err
	}
	defer l.kill()
	now, _, err := l.resident()
	if err != nil {
		return err
	}
	m.add("without a task: start", "%.1f s", 0, l.serving.Seconds())
	m.add("without a task: memory", "%.0f MB", 0, mb(now))
	g, _, err := l.quit()
	m.add("without a task: goroutines", "%.0f", 0, float64(g.others+g.workflows))
	return err
}

func mb(bytes int) float64 { return float64(bytes) / (1 << 20) }

// start starts a worker on the tasks, and measures when it has answered for one of them.
func (m *many) start(ctx context.Context, asked int) (l *limited, answered time.Duration, err error) {
	if l, err = m.worker(m.data()); err != nil {
		return nil, 0, err
	}
	_, err = m.Client.QueryWorkflow(ctx, parkedID(asked), "", signals.QueryStatus)
	return l, time.Since(l.began), err
}

// rest measures a worker that was started on the tasks and that nobody asks for anything.
func (m *many) rest(ctx context.Context) error {
	var ready, answered []float64
	for n := range m.rounds {
		l, took, err := m.start(ctx, n%m.parked)
		if err != nil {
			return err
		}
		ready, answered = append(ready, l.serving.Seconds()), append(answered, took.Seconds())
		if n < m.rounds-1 {
			l.kill()
			continue
		}
		now, _, err := l.resident()
		if err != nil {
			return err
		}
		g, live, err := l.quit()
		if err != nil {
			return err
		}
		m.add("start on them: ready", "%.1f s", mostStart, ready...)
		m.add("start on them: has answered for a task", "%.1f s", mostStart, answered...)
		m.add("after the start: memory", "%.0f MB", float64(m.memory), mb(now))
		m.add("after the start: live heap", "%.0f MB", 0, float64(live))
		m.add("after the start: goroutines of workflows in the cache", "%.0f", 0, float64(g.workflows))
		m.add("after the start: other goroutines", "%.0f", 0, float64(g.others))
	}
	return nil
}

// ask measures what people ask, and the worker when each task was told something.
func (m *many) ask(ctx context.Context) error {
	l, _, err := m.start(ctx, 0)
	if err != nil {
		return err
	}
	defer l.kill()
	rows, err := newAsking(m.scene, m.Address).rows(ctx, m.Client, m.rounds, m.parked)
	if err != nil {
		return err
	}
	m.rows = append(m.rows, rows...)
	note("people have asked")
	aSecond, err := tellAll(ctx, m.Client, m.parked, 16)
	if err != nil {
		_, _, died := l.resident()
		return fmt.Errorf("tell each task something: %w (%v)", err, died)
	}
	now, most, err := l.resident()
	if err != nil {
		return err
	}
	g, live, err := l.quit()
	m.add("each task told something: in a second", "%.0f", 0, aSecond)
	m.add("afterwards: memory", "%.0f MB", float64(m.memory), mb(now))
	m.add("afterwards: memory at most", "%.0f MB", float64(m.memory), mb(most))
	m.add("afterwards: live heap", "%.0f MB", 0, float64(live))
	m.add("afterwards: goroutines of workflows in the cache", "%.0f", 0, float64(g.workflows))
	m.add("afterwards: other goroutines", "%.0f", 0, float64(g.others))
	note("each task was told something")
	return err
}

// goOn has many tasks approved at once.
func (m *many) goOn(ctx context.Context) error {
	if m.approved == 0 {
		return nil
	}
	s := &storm{Stage: m.Stage, forge: m.forge, hosts: m.hosts, pause: m.pause}
	rows, err := s.rows(ctx, m.Client, m.approved, note)
	m.rows = append(m.rows, rows...)
	return err
}
