package project

import "github.com/longshift/longshift/internal/task"

// merge puts over on top of base, key by key: what over does not say stays as it is, inside groups too. Lists are replaced
// as a whole; an empty list clears.
func merge(base, over task.Config) task.Config {
	base.Agent = pick(base.Agent, over.Agent)
	base.Model = pick(base.Model, over.Model)
	base.PlanModel = pick(base.PlanModel, over.PlanModel)
	base.Thinking = pick(base.Thinking, over.Thinking)
	base.Iterations = pick(base.Iterations, over.Iterations)
	base.Errors = pick(base.Errors, over.Errors)
	base.Approval = group(base.Approval, over.Approval, func(b, o *task.ApprovalConfig) {
		b.Mode, b.After, b.Again = pick(b.Mode, o.Mode), pick(b.After, o.After), pick(b.Again, o.Again)
	})
	base.Budget = group(base.Budget, over.Budget, func(b, o *task.BudgetConfig) {
		b.Cost, b.Time, b.PlanCost = pick(b.Cost, o.Cost), pick(b.Time, o.Time), pick(b.PlanCost, o.PlanCost)
	})
	base.Quota = pick(base.Quota, over.Quota)
	base.Setup = pick(base.Setup, over.Setup)
	base.Check = pick(base.Check, over.Check)
	base.Specs = pick(base.Specs, over.Specs)
	base.Commits = pick(base.Commits, over.Commits)
	base.Branch = pick(base.Branch, over.Branch)
	base.PullRequest = group(base.PullRequest, over.PullRequest, func(b, o *task.PullRequestConfig) {
		b.Draft, b.Labels, b.Reviewers = pick(b.Draft, o.Draft), pickList(b.Labels, o.Labels), pickList(b.Reviewers, o.Reviewers)
	})
	base.Notify = group(base.Notify, over.Notify, func(b, o *task.NotifyConfig) {
		b.PlanReady, b.Progress = pick(b.PlanReady, o.PlanReady), pick(b.Progress, o.Progress)
		b.Complete, b.Error = pick(b.Complete, o.Complete), pick(b.Error, o.Error)
	})
	base.Scenario = pick(base.Scenario, over.Scenario)
	return base
}

func pick[T any](base, over *T) *T {
	if over != nil {
		return over
	}
	return base
}

func pickList(base, over []string) []string {
	if over != nil {
		return over
	}
	return base
}

// group merges a group into a fresh one, so that neither source is changed.
func group[T any](base, over *T, each func(base, over *T)) *T {
	if over == nil {
		return base
	}
	var merged T
	if base != nil {
		merged = *base
	}
	each(&merged, over)
	return &merged
}
