package activities

import (
	"go.temporal.io/sdk/worker"
)

// RegisterHosts registers what runs on the queue that every host polls.
func (h *Host) RegisterHosts(r worker.ActivityRegistry) { r.RegisterActivity(h.Assigner.AssignTask) }

// RegisterLong registers the host's long work.
func (h *Host) RegisterLong(r worker.ActivityRegistry) {
	r.RegisterActivity(h.Sessions.RunAgent)
	r.RegisterActivity(h.Commands.RunSetup)
	r.RegisterActivity(h.Commands.RunChecks)
}

// RegisterControl registers the host's short work.
func (h *Host) RegisterControl(r worker.ActivityRegistry) {
	r.RegisterActivity(h.Assigner.Probe)
	r.RegisterActivity(h.Preparer.PrepareWorkspace)
	r.RegisterActivity(h.Git.CommitWork)
	r.RegisterActivity(h.Git.PushBranch)
	r.RegisterActivity(h.Git.MergeBase)
	r.RegisterActivity(h.Git.AbortMerge)
	r.RegisterActivity(h.Cleaner.CleanUp)
}

// Register registers what runs where the tokens of forges are.
func (c *Control) Register(r worker.ActivityRegistry) {
	r.RegisterActivity(c.CheckForge)
	r.RegisterActivity(c.ForkRepository)
	r.RegisterActivity(c.OpenPullRequest)
	r.RegisterActivity(c.PollPullRequest)
	r.RegisterActivity(c.AnswerPullRequest)
	r.RegisterActivity(c.Show)
	r.RegisterActivity(c.Arrive)
	r.RegisterActivity(c.PollForge)
	r.RegisterActivity(c.AcquireAdmission)
	r.RegisterActivity(c.ReleaseAdmission)
	r.RegisterActivity(c.ReconcileLimiter)
	r.RegisterActivity(c.PollSource)
	r.RegisterActivity(c.ReportToSource)
}
