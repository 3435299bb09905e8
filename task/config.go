package task

// Config is the configuration of one task. Every field is optional in each source: .longshift.yaml of the base commit, and then the
// task's own; nil means "not set here". Durations are Go durations as text ("20m", "2h"). It is wide because it has a field for each
// top-level key of that file.
type Config struct {
	Agent       *string            `json:"agent,omitempty" yaml:"agent"`             // claude, native, codex, opencode or script
	Model       *string            `json:"model,omitempty" yaml:"model"`             // for implementing and reviewing
	PlanModel   *string            `json:"planModel,omitempty" yaml:"planModel"`     // for planning
	Agents      *AgentsConfig      `json:"agents,omitempty" yaml:"agents"`           // of roles that have one of their own
	Review      *string            `json:"review,omitempty" yaml:"review"`           // any or other
	Fallback    []string           `json:"fallback,omitzero" yaml:"fallback"`        // agents that follow when an account is used up
	Thinking    *int               `json:"thinking,omitempty" yaml:"thinking"`       // budget in tokens, at least 1024
	Iterations  *int               `json:"iterations,omitempty" yaml:"iterations"`   // maximum number of plan, implement and review rounds
	Errors      *int               `json:"errors,omitempty" yaml:"errors"`           // consecutive errors before the task is suspended
	Approval    *ApprovalConfig    `json:"approval,omitempty" yaml:"approval"`       //
	Budget      *BudgetConfig      `json:"budget,omitempty" yaml:"budget"`           //
	Quota       *string            `json:"quota,omitempty" yaml:"quota"`             // wait, end or next
	Setup       *string            `json:"setup,omitempty" yaml:"setup"`             // command, run by bash in the workspace
	Check       *string            `json:"check,omitempty" yaml:"check"`             // command, run by bash in the workspace
	Env         map[string]string  `json:"env,omitempty" yaml:"env"`                 // variables for setup, check and commands of agents
	NeedsEnv    []string           `json:"needsEnv,omitzero" yaml:"needsEnv"`        // variables that the operator must provide
	FixAttempts *int               `json:"fixAttempts,omitempty" yaml:"fixAttempts"` // sessions per deliverable that fix a failing check
	KnownRed    *string            `json:"knownRed,omitempty" yaml:"knownRed"`       // draft or ready
	Specs       *string            `json:"specs,omitempty" yaml:"specs"`             // folder that is never committed
	Commits     *string            `json:"commits,omitempty" yaml:"commits"`         // incremental or single
	Branch      *string            `json:"branch,omitempty" yaml:"branch"`           // prefix of the task's branch
	PullRequest *PullRequestConfig `json:"pullRequest,omitempty" yaml:"pullRequest"` //
	Notify      *NotifyConfig      `json:"notify,omitempty" yaml:"notify"`           //
	Commands    *CommandsConfig    `json:"commands,omitempty" yaml:"commands"`       //
	Paths       *PathsConfig       `json:"paths,omitempty" yaml:"paths"`             //
	Tools       *ToolsConfig       `json:"tools,omitempty" yaml:"tools"`             //
	Native      *NativeConfig      `json:"native,omitempty" yaml:"native"`           // for the native agent
	OpenCode    *OpenCodeConfig    `json:"opencode,omitempty" yaml:"opencode"`       // for OpenCode
	Scenario    *string            `json:"scenario,omitempty" yaml:"scenario"`       // for the script agent: its scenario file
}

// ApprovalConfig says who approves a plan.
type ApprovalConfig struct {
	Mode  *string `json:"mode,omitempty" yaml:"mode"`   // auto, required, none
	After *string `json:"after,omitempty" yaml:"after"` // auto: time for people to object
	Again *bool   `json:"again,omitempty" yaml:"again"` // also ask about the plan after a review
}

// BudgetConfig limits what a task may use.
type BudgetConfig struct {
	Cost     *float64 `json:"cost,omitempty" yaml:"cost"`         // US dollars for the whole task
	Time     *string  `json:"time,omitempty" yaml:"time"`         // running time of agents, setup and checks
	PlanCost *float64 `json:"planCost,omitempty" yaml:"planCost"` // US dollars for one planning session
}

// CommandsConfig says what agents may run. It can't allow what the operator does not.
type CommandsConfig struct {
	Profiles         []string `json:"profiles,omitempty" yaml:"profiles"`        // tool chains that may be used
	Allow            []string `json:"allow,omitzero" yaml:"allow"`               // programs without a table that run unasked, in the sandbox
	AllowPlanner     []string `json:"allowPlanner,omitzero" yaml:"allowPlanner"` // as Allow, for one role
	AllowImplementer []string `json:"allowImplementer,omitzero" yaml:"allowImplementer"`
	AllowReviewer    []string `json:"allowReviewer,omitzero" yaml:"allowReviewer"`
	Ask              []string `json:"ask,omitempty" yaml:"ask"`                 // commands that a person decides on
	Deny             []string `json:"deny,omitempty" yaml:"deny"`               // commands that never run
	Pkill            []string `json:"pkill,omitzero" yaml:"pkill"`              // names of processes that pkill may end
	Destructive      *bool    `json:"destructive,omitempty" yaml:"destructive"` // agents may remove and move files
	Questions        *string  `json:"questions,omitempty" yaml:"questions"`     // person or deny
	Wait             *string  `json:"wait,omitempty" yaml:"wait"`               // how long a session waits for the answer
	Expires          *string  `json:"expires,omitempty" yaml:"expires"`         // no answer by then means no; an approval is valid as long
}

// AgentsConfig names the agents of roles that have one of their own, as AGENT or AGENT/MODEL.
type AgentsConfig struct {
	Planner     *string `json:"planner,omitempty" yaml:"planner"`
	Implementer *string `json:"implementer,omitempty" yaml:"implementer"`
	Reviewer    *string `json:"reviewer,omitempty" yaml:"reviewer"`
}

// ToolsConfig says which tools agents may use besides those for files and commands, within what the operator grants.
type ToolsConfig struct {
	Allow []string `json:"allow,omitzero" yaml:"allow"` // an empty list clears, so it must not be omitted
}

// NativeConfig bounds the sessions of Longshift's own agent.
type NativeConfig struct {
	Steps      *int    `json:"steps,omitempty" yaml:"steps"`           // calls of tools that one session makes before it is suspended
	ReadBytes  *int    `json:"readBytes,omitempty" yaml:"readBytes"`   // largest file that read_file shows
	Timeout    *string `json:"timeout,omitempty" yaml:"timeout"`       // of a command that names none
	MaxTimeout *string `json:"maxTimeout,omitempty" yaml:"maxTimeout"` // the longest that a command may ask for
	Context    *int    `json:"context,omitempty" yaml:"context"`       // tokens that the model takes
	API        *string `json:"api,omitempty" yaml:"api"`               // by which the model is asked
}

// OpenCodeConfig is how sessions of OpenCode ask their model.
type OpenCodeConfig struct {
	API *string `json:"api,omitempty" yaml:"api"` // by which it is asked
}

// PathsConfig restricts what agents may touch. Patterns are relative to the workspace; "**" matches any number of folders.
type PathsConfig struct {
	Write        []string `json:"write,omitempty" yaml:"write"`               // the only paths that may be written; empty for all
	ReadOnly     []string `json:"readOnly,omitempty" yaml:"readOnly"`         // paths that may not be written
	TaskWritable []string `json:"taskWritable,omitempty" yaml:"taskWritable"` // paths that may be written where the plan names the file
	Ignore       []string `json:"ignore,omitempty" yaml:"ignore"`             // paths that may not even be read

	HideFromPlanner     []string `json:"hideFromPlanner,omitempty" yaml:"hideFromPlanner"` // as Ignore, for one role
	HideFromImplementer []string `json:"hideFromImplementer,omitempty" yaml:"hideFromImplementer"`
	HideFromReviewer    []string `json:"hideFromReviewer,omitempty" yaml:"hideFromReviewer"`
}

// PullRequestConfig says what the pull request looks like, and how it is followed.
type PullRequestConfig struct {
	Draft     *bool    `json:"draft,omitempty" yaml:"draft"`
	Labels    []string `json:"labels,omitzero" yaml:"labels"` // an empty list clears, so it must not be omitted
	Reviewers []string `json:"reviewers,omitzero" yaml:"reviewers"`
	MaxLines  *int     `json:"maxLines,omitempty" yaml:"maxLines"` // what it should keep to; 0 for no limit
	Follow    *bool    `json:"follow,omitempty" yaml:"follow"`     // follow it until it is merged or closed
	Rounds    *int     `json:"rounds,omitempty" yaml:"rounds"`     // maximum number of follow-up rounds
	Batch     *string  `json:"batch,omitempty" yaml:"batch"`       // how long events are collected before a round begins
	Poll      *string  `json:"poll,omitempty" yaml:"poll"`         // how often to poll the forge without webhooks
}

// NotifyConfig disables kinds of notices.
type NotifyConfig struct {
	PlanReady *bool `json:"planReady,omitempty" yaml:"planReady"`
	Progress  *bool `json:"progress,omitempty" yaml:"progress"`
	Complete  *bool `json:"complete,omitempty" yaml:"complete"`
	Error     *bool `json:"error,omitempty" yaml:"error"`
}
