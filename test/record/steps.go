package main

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// The scripted steps are the methods of a type for each queue, under the names of the real ones: its worker registers them all.

// assignSteps are those of the queue that all hosts poll.
type assignSteps struct{ *plays }

// AssignTask answers for the host whose turn it is. Only hosts that go away are given little time to answer.
func (s *assignSteps) AssignTask(ctx context.Context) (activities.Assignment, error) {
	p := s.of(ctx)
	taken := activities.Assignment{Host: steady, Heartbeat: 10 * time.Second, Probe: 10 * time.Second}
	if n := p.count("AssignTask"); n <= len(p.hosts) {
		taken.Host = p.hosts[n-1]
	}
	if taken.Host == doomed || taken.Host == vanishing {
		taken.Heartbeat, taken.Probe = time.Second, time.Second
	}
	return taken, nil
}

// workspaceSteps are those of a host that wait for no slot.
type workspaceSteps struct{ *plays }

// Probe answers when the host polls.
func (s *workspaceSteps) Probe(ctx context.Context) (activities.Alive, error) {
	return activities.Alive{OutOfTouch: s.of(ctx).away}, nil
}

// Examine finds a host that has what tasks need, but for a key.
func (s *workspaceSteps) Examine(context.Context) ([]signals.HostFinding, error) {
	return []signals.HostFinding{{Check: "version", State: signals.HostOK, Detail: "v1.0.0"},
		{Check: "model key", State: signals.HostWarn, Detail: "none is set", Hint: "set ANTHROPIC_API_KEY"}}, nil
}

// PrepareWorkspace resolves the settings as the real step does, from a repository that lets every plan pass.
func (s *workspaceSteps) PrepareWorkspace(ctx context.Context, in activities.PrepareInput) (activities.Prepared, error) {
	p := s.of(ctx)
	n := p.count("PrepareWorkspace")
	if p.prepare != nil {
		if err := p.prepare(n); err != nil {
			return activities.Prepared{}, err
		}
	}
	job := task.Config{}
	if in.Config != nil {
		job = *in.Config
	}
	r, err := resolved(job)
	if err != nil {
		return activities.Prepared{}, err
	}
	out := activities.Prepared{Branch: in.Branch, Base: "main", BaseCommit: commitID("base"), Head: commitID("base"),
		Settings: r.Settings, Warnings: r.Warnings, MaxCost: p.most}
	if in.Branch == "" {
		out.Branch = "longshift/" + in.TaskID
	}
	if n := p.counted("commit"); n > 0 {
		out.Head = commitID(fmt.Sprint(n))
	}
	out.Restored, out.Known = in.Branch != "", p.known
	if in.Continue { // a round begins where the branch stands
		out.BaseCommit, out.Head, out.Restored = p.head(), p.head(), false
	}
	if p.left && n == 2 {
		out.Head = commitID("1")
	}
	if p.bare && n == 2 {
		out.Head, out.Restored, out.Behind = out.BaseCommit, false, true
	}
	return out, nil
}

// resolved gives the settings of a task.
func resolved(job task.Config) (project.Resolved, error) {
	repo, err := project.Parse([]byte("approval: {mode: none}\n"))
	if err != nil {
		return project.Resolved{}, err
	}
	return project.Resolve(project.Limits{Agents: []string{task.AgentClaude, task.AgentNative, task.AgentCodex, task.AgentOpenCode}}, repo, job)
}

// CommitWork commits.
func (s *workspaceSteps) CommitWork(ctx context.Context, _ activities.CommitInput) (activities.Committed, error) {
	p := s.of(ctx)
	var c activities.Committed
	if n := p.count("CommitWork"); p.commit != nil {
		var err error
		if c, err = p.commit(n); err != nil || c.Commit != "" || c.Failed != "" {
			return c, err
		}
	}
	n := p.count("commit")
	return activities.Committed{Commit: commitID(fmt.Sprint(n)), Created: true, Files: n, Added: 12 * n, Deleted: n,
		Sensitive: c.Sensitive}, nil
}

// CheckOut does nothing.
func (s *workspaceSteps) CheckOut(ctx context.Context, _ activities.Ref) error {
	if p := s.of(ctx); p.checkout != nil {
		return p.checkout(p.count("CheckOut"))
	}
	return nil
}

// RecordDeliverables commits.
func (s *workspaceSteps) RecordDeliverables(ctx context.Context, _ activities.RecordInput) (activities.Committed, error) {
	n := s.of(ctx).count("commit")
	return activities.Committed{Commit: commitID(fmt.Sprint(n)), Created: true}, nil
}

// PushBranch gives the head.
func (s *workspaceSteps) PushBranch(ctx context.Context, _ activities.PushInput) (string, error) {
	p := s.of(ctx)
	if n := p.count("PushBranch"); p.push != nil {
		if err := p.push(p, n); err != nil {
			return "", err
		}
	}
	p.set("head", p.counted("commit"))
	p.count("pushed")
	return p.head(), nil
}

// MergeBase finds that both sides have changed the same file.
func (s *workspaceSteps) MergeBase(ctx context.Context, _ activities.MergeInput) (activities.Merged, error) {
	s.of(ctx).count("MergeBase")
	return activities.Merged{Base: commitID("main"), Conflicts: []string{"calc.go"}}, nil
}

// AbortMerge puts the workspace back.
func (s *workspaceSteps) AbortMerge(ctx context.Context, _ activities.MergeInput) error {
	s.of(ctx).count("AbortMerge")
	return nil
}

// CleanUp has nothing to remove.
func (s *workspaceSteps) CleanUp(ctx context.Context, _ activities.CleanInput) error {
	p := s.of(ctx)
	if n := p.count("CleanUp"); p.clean != nil {
		return p.clean(ctx, p.stage, n)
	}
	return nil
}

// DeleteRefs finds the checkpoint and the branch.
func (s *workspaceSteps) DeleteRefs(_ context.Context, in activities.DeleteRefsInput) (activities.DeletedRefs, error) {
	return activities.DeletedRefs{Refs: []string{task.CheckpointRef(in.TaskID), "refs/heads/" + in.Branch}}, nil
}

// commitID looks like the id of a commit and is the same in every recording.
func commitID(of string) string {
	sum := sha1.Sum([]byte(of))
	return hex.EncodeToString(sum[:])
}
