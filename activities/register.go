package activities

import (
	"go.temporal.io/sdk/worker"
)

// RegisterHosts registers what runs on the queue that every host polls.
func (h *Host) RegisterHosts(r worker.ActivityRegistry) { r.RegisterActivity(h.AssignTask) }

// RegisterLong registers the host's long work.
func (h *Host) RegisterLong(r worker.ActivityRegistry) {
	r.RegisterActivity(h.RunAgent)
	r.RegisterActivity(h.RunSetup)
	r.RegisterActivity(h.RunChecks)
}

// RegisterControl registers the host's short work.
func (h *Host) RegisterControl(r worker.ActivityRegistry) {
	r.RegisterActivity(h.Probe)
	r.RegisterActivity(h.PrepareWorkspace)
	r.RegisterActivity(h.CommitWork)
	r.RegisterActivity(h.PushBranch)
	r.RegisterActivity(h.MergeBase)
	r.RegisterActivity(h.AbortMerge)
	r.RegisterActivity(h.CleanUp)
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
