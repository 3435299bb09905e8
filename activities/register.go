package activities

import (
	"go.temporal.io/sdk/worker"
)

// RegisterHosts registers the activities of the queue that every host polls.
func (h *Host) RegisterHosts(r worker.ActivityRegistry) { r.RegisterActivity(h.Assigner.AssignTask) }

// RegisterLong registers the activities that wait for a slot and run for long.
func (h *Host) RegisterLong(r worker.ActivityRegistry) {
	r.RegisterActivity(h.Sessions.RunAgent)
	r.RegisterActivity(h.Commands.RunSetup)
	r.RegisterActivity(h.Commands.RunChecks)
	r.RegisterActivity(h.Commands.RunProof)
}

// RegisterActs registers what sessions of Longshift's own agent do.
func (h *Host) RegisterActs(r worker.ActivityRegistry) {
	r.RegisterActivity(h.Acts.OpenSession)
	r.RegisterActivity(h.Acts.AskModel)
	r.RegisterActivity(h.Acts.RunTools)
	r.RegisterActivity(h.Acts.EndSession)
}

// RegisterControl registers the host's short activities.
func (h *Host) RegisterControl(r worker.ActivityRegistry) {
	r.RegisterActivity(h.Assigner.Probe)
	r.RegisterActivity(h.Examiner.Examine)
	r.RegisterActivity(h.Preparer.PrepareWorkspace)
	r.RegisterActivity(h.Git.CommitWork)
	r.RegisterActivity(h.Git.CheckOut)
	r.RegisterActivity(h.Git.RecordDeliverables)
	r.RegisterActivity(h.Git.PushBranch)
	r.RegisterActivity(h.Git.MergeBase)
	r.RegisterActivity(h.Git.AbortMerge)
	r.RegisterActivity(h.Cleaner.CleanUp)
	r.RegisterActivity(h.Cleaner.DeleteRefs)
}

// Register registers the activities that need the tokens of forges, channels and sources: all exported methods of a family are activities.
func (c *Control) Register(r worker.ActivityRegistry) {
	limiters := &Limiters{host: c.Host, limits: c.Limits, forge: c.Forge}
	r.RegisterActivity(limiters)
	r.RegisterActivity(&PullRequests{forge: c.Forge, host: c.Host, redact: c.Redact, web: c.WebURL})
	r.RegisterActivity(&Messages{channels: c.Channels, forge: c.Forge, redact: c.Redact, web: c.WebURL})
	r.RegisterActivity(&Events{forge: c.Forge, watching: c.Watching, take: c.Take, onForge: c.OnForge})
	r.RegisterActivity(&Sources{sources: c.Sources, limiters: limiters, redact: c.Redact, web: c.WebURL})
	r.RegisterActivity(c.CheckForge)
	r.RegisterActivity(CoolAccount)
	r.RegisterActivity(CoolingAccounts)
}
