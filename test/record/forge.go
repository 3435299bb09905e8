package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// forgeSteps are those of forges and channels.
type forgeSteps struct{ *plays }

// Every pull request is the seventh one of the same repository.
const (
	pullNumber = 7
	pullURL    = "https://github.com/acme/calc/pull/7"
)

var pullID = signals.PullRequestID("github.com", "acme", "calc", pullNumber)

// CheckForge finds a forge for every repository.
func (s *forgeSteps) CheckForge(ctx context.Context, _ task.Repository) (activities.Checked, error) {
	return activities.Checked{Rooms: s.of(ctx).rooms, Shared: s.of(ctx).shared}, nil
}

// ForkRepository has a fork of every repository, unless the branch says that it was deleted.
func (s *forgeSteps) ForkRepository(ctx context.Context, in activities.ForkInput) (task.Repository, error) {
	if in.Existing && s.of(ctx).noFork {
		return task.Repository{}, nil
	}
	return task.Repository{Text: "longshift-bot/" + in.Name, Owner: "longshift-bot", Name: in.Name}, nil
}

func (s *forgeSteps) OpenPullRequest(ctx context.Context, in activities.PullRequestInput) (forge.PullRequest, error) {
	p := s.of(ctx)
	p.count("OpenPullRequest")
	if p.opens != nil {
		if err := p.opens(ctx); err != nil {
			return forge.PullRequest{}, err
		}
	}
	pr := forge.PullRequest{Number: pullNumber, URL: pullURL, Head: in.Head, Base: in.Base, State: forge.Open, CheckRuns: p.checkRun}
	if p.followed {
		pr.Host, pr.Owner, pr.Name = "github.com", "acme", "calc"
	}
	return pr, nil
}

// ClosePullRequest finds it open.
func (s *forgeSteps) ClosePullRequest(context.Context, activities.CloseInput) (bool, error) {
	return true, nil
}

// PollPullRequest shows the pull request as the branch has it. As on a real forge, a stamp tells whether anything has changed.
func (s *forgeSteps) PollPullRequest(ctx context.Context, in activities.PollInput) (forge.Snapshot, error) {
	p := s.of(ctx)
	p.count("PollPullRequest")
	if err := p.unreadable(); err != nil {
		return forge.Snapshot{}, err
	}
	yes := true
	l := forge.Snapshot{State: forge.Open, Head: p.head(), Base: "main", BaseHead: commitID("main"), Mergeable: &yes}
	if p.snapshot != nil {
		p.snapshot(p, &l)
	}
	switch {
	case p.counted("merged") > 0:
		l.State, l.MergedBy, l.Items = forge.Merged, "maria", nil
	case p.counted("closed") > 0:
		l.State, l.Items = forge.Closed, nil
	}
	seen, err := json.Marshal(l)
	if err != nil {
		return forge.Snapshot{}, err
	}
	if l.Stamp = commitID(string(seen))[:12]; l.Stamp == in.Stamp {
		return forge.Snapshot{Unchanged: true}, nil
	}
	return l, nil
}

// head is the commit at which the branch stands on the forge.
func (p *play) head() string { return commitID(fmt.Sprint(p.counted("head"))) }

func (s *forgeSteps) AnswerPullRequest(ctx context.Context, _ activities.AnswerInput) error {
	s.of(ctx).count("AnswerPullRequest")
	return nil
}

// WriteCheckRun takes them all, unless the branch says otherwise.
func (s *forgeSteps) WriteCheckRun(ctx context.Context, _ activities.CheckRunInput) error {
	p := s.of(ctx)
	if n := p.count("WriteCheckRun"); p.writeRun != nil {
		return p.writeRun(n)
	}
	return nil
}

// Show writes, or edits, a message. What is shown is counted under its name.
func (s *forgeSteps) Show(ctx context.Context, in activities.ShowInput) (task.MessageRef, error) {
	p := s.of(ctx)
	if p.show != nil {
		if err := p.show(p, in); err != nil {
			return task.MessageRef{}, err
		}
	}
	name := string(in.Notice.Subject)
	if name == "" {
		name = "card"
	}
	p.count("shown " + name)
	if in.At != nil {
		return *in.At, nil
	}
	return task.MessageRef{Room: in.Room, Message: fmt.Sprintf("m%d", p.count("message"))}, nil
}

// Arrive has to be called twice, and starts a task then.
func (s *forgeSteps) Arrive(ctx context.Context, e forge.Event) (string, error) {
	if s.of(ctx).count("Arrive") == 1 {
		return "", fault.New(fault.Infra, "the forge does not answer")
	}
	return "started " + signals.IssueTaskID(e.Host, e.Owner, e.Name, e.Number), nil
}

// PollForge has news twice. Then nobody wants them any more.
func (s *forgeSteps) PollForge(ctx context.Context, _ signals.WatchInput) (activities.ForgePoll, error) {
	n := s.of(ctx).count("PollForge")
	if n > 2 {
		return activities.ForgePoll{Stop: true}, nil
	}
	return activities.ForgePoll{Cursor: fmt.Sprintf("2026-01-0%dT00:00:00Z", n), Events: n, Every: 200 * time.Millisecond}, nil
}

// unreadable says that a pull request can't be read, as long as it can't.
func (p *play) unreadable() error {
	if p.counted("unreadable") == 0 {
		return nil
	}
	return fault.New(fault.Denied, "read the pull request: the login is refused")
}
