package project

import (
	"maps"
	"slices"

	"github.com/longshift/longshift/task"
)

// merge overlays over on base, key by key, inside groups too. Keys that over does not set keep their value. Lists are replaced as a
// whole; an empty list clears.
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
	base.Quota, base.Review, base.Fallback = pick(base.Quota, over.Quota), pick(base.Review, over.Review), pickList(base.Fallback, over.Fallback)
	base.Agents = group(base.Agents, over.Agents, func(b, o *task.AgentsConfig) {
		b.Planner, b.Implementer, b.Reviewer = pick(b.Planner, o.Planner), pick(b.Implementer, o.Implementer), pick(b.Reviewer, o.Reviewer)
	})
	base.Setup = pick(base.Setup, over.Setup)
	base.Check = pick(base.Check, over.Check)
	base.Env, base.NeedsEnv = texts(base.Env, over.Env), pickList(base.NeedsEnv, over.NeedsEnv)
	base.FixAttempts, base.KnownRed = pick(base.FixAttempts, over.FixAttempts), pick(base.KnownRed, over.KnownRed)
	base.Specs = pick(base.Specs, over.Specs)
	base.Commits = pick(base.Commits, over.Commits)
	base.Branch = pick(base.Branch, over.Branch)
	base.PullRequest = group(base.PullRequest, over.PullRequest, func(b, o *task.PullRequestConfig) {
		b.Draft, b.Labels, b.Reviewers = pick(b.Draft, o.Draft), pickList(b.Labels, o.Labels), pickList(b.Reviewers, o.Reviewers)
		b.MaxLines = pick(b.MaxLines, o.MaxLines)
		b.Follow, b.Rounds, b.Batch, b.Poll = pick(b.Follow, o.Follow), pick(b.Rounds, o.Rounds), pick(b.Batch, o.Batch), pick(b.Poll, o.Poll)
	})
	base.Notify = group(base.Notify, over.Notify, func(b, o *task.NotifyConfig) {
		b.PlanReady, b.Progress = pick(b.PlanReady, o.PlanReady), pick(b.Progress, o.Progress)
		b.Complete, b.Error = pick(b.Complete, o.Complete), pick(b.Error, o.Error)
	})
	base.Commands = group(base.Commands, over.Commands, func(b, o *task.CommandsConfig) {
		b.Profiles, b.Ask, b.Deny = narrower(b.Profiles, o.Profiles), both(b.Ask, o.Ask), both(b.Deny, o.Deny)
		b.Allow, b.AllowPlanner = pickList(b.Allow, o.Allow), pickList(b.AllowPlanner, o.AllowPlanner)
		b.AllowImplementer, b.AllowReviewer = pickList(b.AllowImplementer, o.AllowImplementer), pickList(b.AllowReviewer, o.AllowReviewer)
		b.Pkill = pickList(b.Pkill, o.Pkill)
		b.Destructive, b.Questions = pick(b.Destructive, o.Destructive), pick(b.Questions, o.Questions)
		b.Wait, b.Expires = pick(b.Wait, o.Wait), pick(b.Expires, o.Expires)
	})
	base.Paths = group(base.Paths, over.Paths, func(b, o *task.PathsConfig) {
		b.Write, b.ReadOnly, b.Ignore = firstOf(b.Write, o.Write), both(b.ReadOnly, o.ReadOnly), both(b.Ignore, o.Ignore)
		b.TaskWritable, b.HideFromPlanner = both(b.TaskWritable, o.TaskWritable), both(b.HideFromPlanner, o.HideFromPlanner)
		b.HideFromImplementer = both(b.HideFromImplementer, o.HideFromImplementer)
		b.HideFromReviewer = both(b.HideFromReviewer, o.HideFromReviewer)
	})
	base.Tools = group(base.Tools, over.Tools, func(b, o *task.ToolsConfig) { b.Allow = pickList(b.Allow, o.Allow) })
	base.Native = group(base.Native, over.Native, func(b, o *task.NativeConfig) {
		b.Steps, b.ReadBytes, b.Context = pick(b.Steps, o.Steps), pick(b.ReadBytes, o.ReadBytes), pick(b.Context, o.Context)
		b.Timeout, b.MaxTimeout, b.API = pick(b.Timeout, o.Timeout), pick(b.MaxTimeout, o.MaxTimeout), pick(b.API, o.API)
	})
	base.OpenCode = group(base.OpenCode, over.OpenCode, func(b, o *task.OpenCodeConfig) { b.API = pick(b.API, o.API) })
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

// texts merges two maps into a new one.
func texts(base, over map[string]string) map[string]string {
	if over == nil {
		return base
	}
	merged := map[string]string{}
	maps.Copy(merged, base)
	maps.Copy(merged, over)
	return merged
}

// both, narrower and firstOf merge lists that restrict agents: a later source can add restrictions but remove none.
func both(base, over []string) []string {
	out := slices.Clone(base)
	for _, item := range over {
		if !slices.Contains(out, item) {
			out = append(out, item)
		}
	}
	return out
}

// narrower returns the intersection of both lists. An empty list allows everything, so an empty intersection must not be returned as one.
func narrower(base, over []string) []string {
	if len(base) == 0 || len(over) == 0 {
		return firstOf(base, over)
	}
	common := slices.DeleteFunc(slices.Clone(base), func(item string) bool { return !slices.Contains(over, item) })
	if len(common) == 0 {
		return []string{task.ProfileNone}
	}
	return common
}

func firstOf(base, over []string) []string {
	if len(base) > 0 {
		return base
	}
	return over
}

// group merges two groups into a new one, so that neither source is changed.
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
