package project

import "github.com/longshift/longshift/task"

func Defaults() Settings { return defaults().Settings() }

// DefaultConfig returns the defaults with every key set.
func DefaultConfig() task.Config { return defaults() }

func defaults() task.Config {
	return task.Config{
		Agent:       new(task.AgentClaude),
		Model:       new("sonnet"),
		PlanModel:   new("opus"),
		Thinking:    new(8192),
		Iterations:  new(10),
		Errors:      new(3),
		Approval:    &task.ApprovalConfig{Mode: new(task.ApprovalAuto), After: new("20m"), Again: new(false)},
		Budget:      &task.BudgetConfig{Cost: new(task.DefaultBudget), Time: new("2h"), PlanCost: new(1.0)},
		Quota:       new(task.QuotaWait),
		Setup:       new(""),
		Check:       new(""),
		Env:         map[string]string{},
		NeedsEnv:    []string{},
		FixAttempts: new(3),
		KnownRed:    new(task.KnownRedDraft),
		Specs:       new("specs"),
		Commits:     new(task.CommitsIncremental),
		Branch:      new("longshift/"),
		PullRequest: &task.PullRequestConfig{Draft: new(false), Labels: []string{}, Reviewers: []string{},
			Follow: new(true), Rounds: new(5), Batch: new("2m"), Poll: new("5m")},
		Notify: &task.NotifyConfig{PlanReady: new(true), Progress: new(true), Complete: new(true), Error: new(true)},
		Commands: &task.CommandsConfig{Profiles: []string{}, Ask: []string{}, Deny: []string{}, Destructive: new(false),
			Questions: new(task.QuestionsPerson), Wait: new("2m"), Expires: new("12h")},
		Paths:    &task.PathsConfig{Write: []string{}, ReadOnly: []string{}, Ignore: []string{}},
		Scenario: new(""),
	}
}
