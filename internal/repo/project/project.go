// Package project parses a repository's configuration, .longshift.yaml, and resolves it with the task's own within the operator's limits.
// Its input is untrusted: the package does no I/O, runs nothing, and lets no source widen what the operator allows.
package project

import (
	"fmt"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// FileName is the name of the configuration file at the root of a repository.
const FileName = ".longshift.yaml"

// MaxSize is the maximum size of a configuration in bytes.
const MaxSize = 64 << 10

// Settings are the resolved settings of one task: every value is set.
type Settings = task.Settings

// Parse parses a .longshift.yaml strictly. Unknown and duplicate keys, wrong types and wrong values are errors that name the line, the
// key, the value and what to write instead. All of them are reported together.
func Parse(data []byte) (task.Config, error) {
	if err := checkSize(len(data), FileName); err != nil {
		return task.Config{}, err
	}
	l, err := readYAML(data)
	if err != nil {
		return task.Config{}, fault.New(fault.Input, "%s: %w", FileName, err).WithHint("correct it on the branch that the task starts from")
	}
	return task.DecodeConfig(l, FileName)
}

// ParseJSON parses a task's config object just as strictly.
func ParseJSON(data []byte) (task.Config, error) {
	if err := checkSize(len(data), "config"); err != nil {
		return task.Config{}, err
	}
	l, err := task.ReadJSON(data)
	if err != nil {
		return task.Config{}, fault.New(fault.Input, "config: %w", err).WithHint(`give a JSON object such as {"budget": {"cost": 5}}`)
	}
	return task.DecodeConfig(l, "config")
}

func checkSize(n int, what string) error {
	if n <= MaxSize {
		return nil
	}
	return fault.New(fault.Input, "%s has %d bytes", what, n).WithHint("give at most %s", fmt.Sprint(MaxSize))
}

func Defaults() Settings { return defaults().Settings() }

// DefaultConfig returns the defaults with every key set.
func DefaultConfig() task.Config { return defaults() }

func defaults() task.Config {
	return task.Config{
		Agent:       new(task.AgentClaude),
		Model:       new(task.DefaultModel),
		PlanModel:   new(task.DefaultPlanModel),
		Thinking:    new(8192),
		Iterations:  new(10),
		Errors:      new(3),
		Approval:    &task.ApprovalConfig{Mode: new(task.ApprovalAuto), After: new("20m"), Again: new(false)},
		Budget:      &task.BudgetConfig{Cost: new(task.DefaultBudget), Time: new("2h"), PlanCost: new(1.0)},
		Agents:      &task.AgentsConfig{Planner: new(""), Implementer: new(""), Reviewer: new("")},
		Fallback:    []string{},
		Review:      new(task.ReviewAny),
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
			MaxLines: new(800), Follow: new(true), Rounds: new(5), Batch: new("2m"), Poll: new("5m")},
		Notify: &task.NotifyConfig{PlanReady: new(true), Progress: new(true), Complete: new(true), Error: new(true)},
		Commands: &task.CommandsConfig{Profiles: []string{}, Allow: []string{}, AllowPlanner: []string{}, AllowImplementer: []string{},
			AllowReviewer: []string{}, Ask: []string{}, Deny: []string{}, Pkill: []string{}, Destructive: new(false),
			Questions: new(task.QuestionsPerson), Wait: new("2m"), Expires: new("12h")},
		Paths: &task.PathsConfig{Write: []string{}, ReadOnly: []string{}, TaskWritable: []string{}, Ignore: []string{},
			HideFromPlanner: []string{}, HideFromImplementer: []string{}, HideFromReviewer: []string{}},
		Tools: &task.ToolsConfig{Allow: task.DefaultTools()},
		Native: &task.NativeConfig{Steps: new(150), ReadBytes: new(512 << 10), Timeout: new("30s"), MaxTimeout: new("5m"),
			Context: new(200_000), API: new(task.APIAnthropic)},
		OpenCode: &task.OpenCodeConfig{API: new(task.APIAnthropic)},
		Scenario: new(""),
	}
}
