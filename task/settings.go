package task

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Values of configuration keys. They are part of the file format, so their meaning never changes.
const (
	AgentClaude   = "claude"
	AgentCodex    = "codex"
	AgentOpenCode = "opencode"
	AgentNative   = "native"
	AgentScript   = "script"

	ApprovalAuto     = "auto"
	ApprovalRequired = "required"
	ApprovalNone     = "none"

	QuotaWait = "wait"
	QuotaEnd  = "end"
	QuotaNext = "next"

	ReviewAny   = "any"
	ReviewOther = "other"

	CommitsIncremental = "incremental"
	CommitsSingle      = "single"

	KnownRedDraft = "draft"
	KnownRedReady = "ready"

	APIAnthropic = "anthropic"
	APIOpenAI    = "openai"

	QuestionsPerson = "person"
	QuestionsDeny   = "deny"
)

// DefaultBudget is the default cost limit of a task in US dollars.
const DefaultBudget = 20.0

// Settings is the resolved configuration of one task: every value is set. The keys are those of Config.
type Settings struct {
	Agent       string              `json:"agent"`
	Agents      AgentSettings       `json:"agents,omitzero"`
	Fallback    []string            `json:"fallback,omitempty"`
	Review      string              `json:"review,omitempty"`
	Model       string              `json:"model"`
	PlanModel   string              `json:"planModel"`
	Thinking    int                 `json:"thinking"`   // tokens
	Iterations  int                 `json:"iterations"` //
	Errors      int                 `json:"errors"`     // consecutive
	Approval    ApprovalSettings    `json:"approval"`
	Budget      BudgetSettings      `json:"budget"`
	Quota       string              `json:"quota"`
	Setup       string              `json:"setup,omitempty"`
	Check       string              `json:"check,omitempty"`
	Env         map[string]string   `json:"env,omitempty"`
	NeedsEnv    []string            `json:"needsEnv,omitempty"`
	FixAttempts int                 `json:"fixAttempts"`
	KnownRed    string              `json:"knownRed,omitempty"`
	Specs       string              `json:"specs,omitempty"`
	Commits     string              `json:"commits"`
	Branch      string              `json:"branch"`
	PullRequest PullRequestSettings `json:"pullRequest"`
	Notify      NotifySettings      `json:"notify"`
	Commands    CommandSettings     `json:"commands,omitzero"`
	Paths       PathSettings        `json:"paths,omitzero"`
	Tools       ToolSettings        `json:"tools,omitzero"`
	Native      NativeSettings      `json:"native,omitzero"`
	OpenCode    OpenCodeSettings    `json:"opencode,omitzero"`
	Scenario    string              `json:"scenario,omitempty"`
}

// AgentSettings are the agents of roles that have one of their own.
type AgentSettings struct {
	Planner     string `json:"planner,omitempty"`
	Implementer string `json:"implementer,omitempty"`
	Reviewer    string `json:"reviewer,omitempty"`
}

type ApprovalSettings struct {
	Mode  string   `json:"mode"`
	After Duration `json:"after"`
	Again bool     `json:"again"`
}

type BudgetSettings struct {
	Cost     float64  `json:"cost"` // US dollars
	Time     Duration `json:"time"`
	PlanCost float64  `json:"planCost"` // US dollars
}

// PullRequestSettings says what the pull request looks like, and how it is followed.
type PullRequestSettings struct {
	Draft     bool     `json:"draft"`
	Labels    []string `json:"labels,omitempty"`
	Reviewers []string `json:"reviewers,omitempty"`
	Follow    bool     `json:"follow,omitempty"`
	MaxLines  int      `json:"maxLines,omitempty"`
	Rounds    int      `json:"rounds,omitempty"`
	Batch     Duration `json:"batch,omitempty"`
	Poll      Duration `json:"poll,omitempty"`
}

// CommandSettings says what agents may run within the operator's policy.
type CommandSettings struct {
	Profiles         []string `json:"profiles,omitempty"`
	Allow            []string `json:"allow,omitempty"`
	AllowPlanner     []string `json:"allowPlanner,omitempty"`
	AllowImplementer []string `json:"allowImplementer,omitempty"`
	AllowReviewer    []string `json:"allowReviewer,omitempty"`
	Ask              []string `json:"ask,omitempty"`
	Deny             []string `json:"deny,omitempty"`
	Pkill            []string `json:"pkill,omitempty"`
	Destructive      bool     `json:"destructive,omitempty"`
	Questions        string   `json:"questions,omitempty"`
	Wait             Duration `json:"wait,omitempty"`
	Expires          Duration `json:"expires,omitempty"`
}

// PathSettings says what agents may touch in the workspace.
type PathSettings struct {
	Write        []string `json:"write,omitempty"`
	ReadOnly     []string `json:"readOnly,omitempty"`
	TaskWritable []string `json:"taskWritable,omitempty"`
	Ignore       []string `json:"ignore,omitempty"`

	HideFromPlanner     []string `json:"hideFromPlanner,omitempty"`
	HideFromImplementer []string `json:"hideFromImplementer,omitempty"`
	HideFromReviewer    []string `json:"hideFromReviewer,omitempty"`
}

// ToolSettings says which tools agents may use besides those for files and commands.
type ToolSettings struct {
	Allow []string `json:"allow,omitzero"`
}

// NativeSettings bounds the sessions of Longshift's own agent.
type NativeSettings struct {
	Steps      int      `json:"steps,omitempty"`      // calls of tools in one session, before it is suspended
	ReadBytes  int      `json:"readBytes,omitempty"`  // largest file that read_file shows
	Timeout    Duration `json:"timeout,omitempty"`    // of a command that names none
	MaxTimeout Duration `json:"maxTimeout,omitempty"` // the longest that a command may ask for
	Context    int      `json:"context,omitempty"`    // tokens that the model takes
	API        string   `json:"api,omitempty"`        // by which the model is asked: Anthropic's when empty
}

// OpenCodeSettings is how sessions of OpenCode ask their model.
type OpenCodeSettings struct {
	API string `json:"api,omitempty"` // by which it is asked: Anthropic's when empty
}

// AsksOpenAI tells whether an agent asks its model by an API of OpenAI, and not by Anthropic's.
func (s Settings) AsksOpenAI(agent string) bool {
	switch agent {
	case AgentCodex:
		return true
	case AgentNative:
		return s.Native.API == APIOpenAI
	case AgentOpenCode:
		return s.OpenCode.API == APIOpenAI
	}
	return false
}

// HiddenFrom lists what a session in the role may not even read. "" stands for setup and check.
func (p PathSettings) HiddenFrom(role Role) []string {
	switch role {
	case Planner:
		return slices.Concat(p.Ignore, p.HideFromPlanner)
	case Implementer:
		return slices.Concat(p.Ignore, p.HideFromImplementer)
	case Reviewer:
		return slices.Concat(p.Ignore, p.HideFromReviewer)
	}
	return p.Ignore
}

// NotifySettings says which notices are sent.
type NotifySettings struct {
	PlanReady bool `json:"planReady"`
	Progress  bool `json:"progress"`
	Complete  bool `json:"complete"`
	Error     bool `json:"error"`
}

// Duration is encoded as people write it ("20m", "1h30m") in JSON, and therefore in Temporal Web.
type Duration time.Duration

func (d Duration) Std() time.Duration { return time.Duration(d) }

// String omits zero units: "2h" instead of "2h0m0s".
func (d Duration) String() string {
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText accepts what time.ParseDuration accepts.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	if err != nil {
		return fmt.Errorf("read duration: %w", err)
	}
	*d = Duration(v)
	return nil
}

// Settings returns the values of a configuration; values that are not set are zero. Durations must have passed Validate.
func (c Config) Settings() Settings {
	approval, budget, pull, notify := or(c.Approval), or(c.Budget), or(c.PullRequest), or(c.Notify)
	commands, paths, native, agents := or(c.Commands), or(c.Paths), or(c.Native), or(c.Agents)
	return Settings{
		Agents:   AgentSettings{Planner: or(agents.Planner), Implementer: or(agents.Implementer), Reviewer: or(agents.Reviewer)},
		Fallback: c.Fallback, Review: or(c.Review),
		Agent: or(c.Agent), Model: or(c.Model), PlanModel: or(c.PlanModel), Thinking: or(c.Thinking),
		Iterations: or(c.Iterations), Errors: or(c.Errors),
		Approval: ApprovalSettings{Mode: or(approval.Mode), After: parsed(approval.After), Again: or(approval.Again)},
		Budget:   BudgetSettings{Cost: or(budget.Cost), Time: parsed(budget.Time), PlanCost: or(budget.PlanCost)},
		Quota:    or(c.Quota), Setup: or(c.Setup), Check: or(c.Check), Env: c.Env, NeedsEnv: c.NeedsEnv,
		FixAttempts: or(c.FixAttempts), KnownRed: or(c.KnownRed), Specs: or(c.Specs), Commits: or(c.Commits), Branch: or(c.Branch),
		PullRequest: PullRequestSettings{Draft: or(pull.Draft), Labels: pull.Labels, Reviewers: pull.Reviewers,
			MaxLines: or(pull.MaxLines),
			Follow:   or(pull.Follow), Rounds: or(pull.Rounds), Batch: parsed(pull.Batch), Poll: parsed(pull.Poll)},
		Notify: NotifySettings{PlanReady: or(notify.PlanReady), Progress: or(notify.Progress), Complete: or(notify.Complete),
			Error: or(notify.Error)},
		Commands: CommandSettings{Profiles: commands.Profiles, Allow: commands.Allow, Pkill: commands.Pkill,
			AllowPlanner: commands.AllowPlanner, AllowImplementer: commands.AllowImplementer, AllowReviewer: commands.AllowReviewer,
			Ask: commands.Ask, Deny: commands.Deny, Destructive: or(commands.Destructive),
			Questions: or(commands.Questions), Wait: parsed(commands.Wait), Expires: parsed(commands.Expires)},
		Paths: PathSettings(paths),
		Tools: ToolSettings(or(c.Tools)),
		Native: NativeSettings{Steps: or(native.Steps), ReadBytes: or(native.ReadBytes), Timeout: parsed(native.Timeout),
			MaxTimeout: parsed(native.MaxTimeout), Context: or(native.Context), API: or(native.API)},
		OpenCode: OpenCodeSettings{API: or(or(c.OpenCode).API)},
		Scenario: or(c.Scenario),
	}
}

// or returns what p points to, or the zero value for nil.
func or[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func parsed(s *string) Duration {
	d, err := time.ParseDuration(or(s))
	if err != nil {
		return 0
	}
	return Duration(d)
}
