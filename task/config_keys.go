package task

import (
	"strings"
	"time"
)

type KeyType string

const (
	TextKey     KeyType = "text"
	ChoiceKey   KeyType = "choice"
	WholeKey    KeyType = "whole number"
	NumberKey   KeyType = "number"
	FlagKey     KeyType = "true or false"
	DurationKey KeyType = "duration"
	ListKey     KeyType = "list"
	MapKey      KeyType = "map" // of strings, by name
)

// ConfigKey describes one key of the configuration. The validation, the published JSON Schema and the table in docs/configuration.md are
// all derived from the keys.
type ConfigKey struct {
	Path    string // "budget.cost"
	Type    KeyType
	Doc     string   // one line for people
	Choices []string // values of a choice
	Least   float64  // minimum of numbers; of durations in seconds
	Most    float64
	Above   bool // the value must be greater than Least
	Length  int  // maximum bytes of a string, and of each item of a list or map
	Items   int  // maximum items of a list or map
	Way     string
	wrong   func(string) string // what is wrong with a string or item, "" for nothing
}

// Agents lists the names of all agents. The script agent plays a scenario and must be enabled by the operator.
func Agents() []string {
	return []string{AgentClaude, AgentCodex, AgentOpenCode, AgentNative, AgentScript}
}

// Profiles lists the names of the tool chains that have command tables, and ProfileNone.
func Profiles() []string {
	return append(DefaultProfiles(), "jvm", "dotnet", "cpp", ProfileNone)
}

// DefaultProfiles lists the tool chains that agents may use by default.
func DefaultProfiles() []string {
	return []string{"node", "bun", "python", "ruby", "go", "rust", "php"}
}

// ProfileNone means no tool chain at all.
const ProfileNone = "none"

const (
	month   = 30 * 24 * time.Hour
	command = 8 << 10

	mostDollars = 100_000
)

// ConfigKeys returns all keys, in the order of the documentation.
func ConfigKeys() []ConfigKey {
	return []ConfigKey{
		choice("agent", "the agent that does the work", Agents()...),
		text("model", "model for implementing and reviewing, a short or a full name", 100, wrongModel, `give a model name such as "sonnet"`),
		text("planModel", "model for planning", 100, wrongModel, `give a model name such as "opus"`),
		worker("agents.planner", "the agent that plans, and its model, as AGENT or AGENT/MODEL; empty for agent"),
		worker("agents.implementer", "the same for implementing"),
		worker("agents.reviewer", "the same for reviewing"),
		choice("review", "any: agents.reviewer reviews; other: another agent than the one that wrote reviews, if the settings name one",
			ReviewAny, ReviewOther),
		list("fallback", "agents, as AGENT or AGENT/MODEL, that take over with quota: next, in this order", 10, 120, wrongWorker, wayOfWorker),
		whole("thinking", "thinking budget of the model in tokens, for models that take one", 1024, 1_000_000),
		whole("iterations", "maximum number of rounds of plan, implement and review", 1, 1000),
		whole("errors", "consecutive errors after which a new session is started; one more suspends the task", 0, 100),
		choice("approval.mode", "auto: the first plan is approved after approval.after; required: a person decides; none: it is approved at once",
			ApprovalAuto, ApprovalRequired, ApprovalNone),
		duration("approval.after", "for auto: how long people have to decide before the plan is approved", time.Second, 12*month),
		flag("approval.again", "ask again for the plan that follows a review; otherwise that one is worked on at once, and opens no further "+
			"paths.taskWritable"),
		dollars("budget.cost", "US dollars for the whole task"),
		duration("budget.time", "running time of agents, setup and checks for the whole task", time.Second, month),
		dollars("budget.planCost", "US dollars for one planning session; never more than budget.cost"),
		choice("quota", "when the account's quota is used up: wait until it comes back, end the task, or go on with the next agent of fallback "+
			"that has quota", QuotaWait, QuotaEnd, QuotaNext),
		bash("setup", "command that bash runs before the first check, and before work on a tree that it has not passed on; its failure does not stop the task"),
		bash("check", "command that bash runs on the base and after each deliverable; agents see its output"),
		{Path: "env", Type: MapKey, Items: mostVariables, Length: 1 << 10, Way: wayOfEnv,
			Doc: "variables of setup, check and the commands of agents, as NAME: value; the operator's values win"},
		list("needsEnv", "names of variables and secrets that the operator must provide; a task is refused if one is missing",
			mostVariables, 100, wrongNeed, "give names of variables such as NPM_TOKEN"),
		whole("fixAttempts", "how often an agent gets a deliverable back whose check fails, with the output", 0, 20),
		choice("knownRed", "ready: the pull request is no draft if the check's failing tests are known by name and all failed on the base "+
			"too; draft: it is", KnownRedDraft, KnownRedReady),
		text("specs", "folder with the specifications; it is never committed; empty for none", 200, wrongFolder,
			`give a folder inside the repository such as "specs", or ""`),
		choice("commits", "incremental: one commit for each deliverable; single: one for the task", CommitsIncremental, CommitsSingle),
		text("branch", "what the names of the task's branches start with", 60, wrongBranchPrefix,
			`give the start of a branch name such as "longshift/"`),
		flag("pullRequest.draft", "open the pull request as a draft"),
		list("pullRequest.labels", "labels of the pull request", 20, 50, wrongLabel, "give labels of up to 50 characters"),
		list("pullRequest.reviewers", "people or teams who are asked for a review", 15, 100, wrongReviewer,
			"give user names, or teams as org/team"),
		whole("pullRequest.maxLines", "lines that a pull request should keep to, without lock files and generated code; a plan for more "+
			"proposes how to split it, and a larger pull request says so; 0 for no limit", 0, maxLines),
		flag("pullRequest.follow", "follow the pull request until it is merged or closed: failed checks, review comments, conflicts"),
		whole("pullRequest.rounds", "maximum number of rounds of such work; then a person is asked", 0, 100),
		duration("pullRequest.batch", "how long events are collected before a round starts", time.Second, 24*time.Hour),
		duration("pullRequest.poll", "how often the forge is polled without webhooks", time.Second, 7*24*time.Hour),
		flag("notify.planReady", "notice when a plan waits for a decision"),
		flag("notify.progress", "notices of progress: checks, commits, pushes, news at the open pull request"),
		flag("notify.complete", "notice when the task has ended"),
		flag("notify.error", "notice when the task is suspended or fails"),
		list("commands.profiles", "tool chains that agents may use: "+strings.Join(Profiles(), ", ")+"; never more than the operator "+
			"allows; in the sandbox the default list means all", 10, 20, wrongProfile, "use "+oneOf(Profiles())),
		patterns("commands.allow", "programs without rules of their own that agents may run in the sandbox, as words; needs the operator's "+
			"permission", "shellcheck *"),
		patterns("commands.allowPlanner", "the same for planners alone", "tokei *"),
		patterns("commands.allowImplementer", "the same for implementers alone", "buf generate"),
		patterns("commands.allowReviewer", "the same for reviewers alone", "shellcheck *"),
		patterns("commands.ask", `commands that need a person's approval, as words: "terraform *"; denied to all but implementers`, "docker build *"),
		patterns("commands.deny", "commands that agents never run, as words", "npm publish"),
		list("commands.pkill", "names of processes that agents may end with pkill, besides the usual servers; in the task's own sandbox only",
			50, 40, wrongProcess, "give names such as my-server"),
		flag("commands.destructive", "agents may remove and move files of the workspace; needs the operator's permission"),
		choice("commands.questions", "for a command that the policy neither allows nor denies, or a push that needs approval: "+
			"person: a person is asked, for implementers; deny: it is denied", QuestionsPerson, QuestionsDeny),
		duration("commands.wait", "how long a session waits for the answer; then the task is suspended", 0, time.Hour),
		duration("commands.expires", "how long a question can be answered and an approval is valid; after that the command is denied",
			time.Minute, 12*month),
		globs("paths.write", "the only paths that agents may write; empty for the whole workspace", "src/**"),
		globs("paths.readOnly", "paths that agents may not write", "migrations/**"),
		globs("paths.taskWritable", "paths that agents may write only where the plan names the very file", "CHANGELOG.md"),
		globs("paths.ignore", "paths that agents may not even read", "fixtures/private/**"),
		globs("paths.hideFromPlanner", "paths that planners may not read, in addition to paths.ignore", "internal/legacy/**"),
		globs("paths.hideFromImplementer", "the same for implementers; setup and check see these paths", "tests/acceptance/**"),
		globs("paths.hideFromReviewer", "the same for reviewers", "docs/drafts/**"),
		list("tools.allow", "tools that agents may use besides those for files and commands: Task (sub-agents), WebSearch, "+
			"WebFetch(https://host/*); the web needs the operator's grant", 20, 200, wrongTool,
			"use Task, WebSearch or WebFetch(https://host/*)"),
		whole("native.steps", "for the native agent: calls of tools that one session makes; then it is suspended, and resume gives it as many again; "+
			"1 switches its loop off", 1, 1000),
		whole("native.readBytes", "the largest file that its read_file shows, in bytes; longer ones are read by lines", 1024, 8<<20),
		duration("native.timeout", "how long a command of it may run that names no time", time.Second, 30*time.Minute),
		duration("native.maxTimeout", "the longest time that a command of it may name", time.Second, 30*time.Minute),
		whole("native.context", "tokens that its model takes; what is older is summarised before they are used up", 8000, 2_000_000),
		choice("native.api", "the API by which it asks its model: Anthropic's Messages, or OpenAI's Chat Completions, which many servers speak",
			APIAnthropic, APIOpenAI),
		choice("opencode.api", "for OpenCode: the API by which it asks its model: Anthropic's Messages, or OpenAI's", APIAnthropic, APIOpenAI),
		text("scenario", `for the script agent: "demo", or a scenario file; needs the operator's permission`, 64<<10, wrongScenario,
			`give "demo" or the path of a scenario file`),
	}
}

func choice(path, doc string, choices ...string) ConfigKey {
	return ConfigKey{Path: path, Type: ChoiceKey, Doc: doc, Choices: choices, Way: "use " + oneOf(choices)}
}

func text(path, doc string, length int, wrong func(string) string, way string) ConfigKey {
	return ConfigKey{Path: path, Type: TextKey, Doc: doc, Length: length, Way: way, wrong: wrong}
}

// wayOfWorker is what to write for an agent with its model.
const wayOfWorker = `give an agent such as "codex", or an agent and its model such as "codex/gpt-5.5"`

func worker(path, doc string) ConfigKey {
	return text(path, doc, 120, wrongWorker, wayOfWorker)
}

func list(path, doc string, items, length int, wrong func(string) string, way string) ConfigKey {
	return ConfigKey{Path: path, Type: ListKey, Doc: doc, Items: items, Length: length, Way: way, wrong: wrong}
}

func bash(path, doc string) ConfigKey {
	return text(path, doc, command, wrongCommand, "give one command line for bash")
}

func patterns(path, doc, example string) ConfigKey {
	return list(path, doc, 100, 200, wrongPattern, `give the first words of a command, such as "`+example+`"`)
}

func globs(path, doc, example string) ConfigKey {
	return list(path, doc, 100, 200, wrongGlob, `give paths inside the repository such as "`+example+`"`)
}

func flag(path, doc string) ConfigKey {
	return ConfigKey{Path: path, Type: FlagKey, Doc: doc, Way: "write true or false"}
}

func whole(path, doc string, least, most float64) ConfigKey {
	k := ConfigKey{Path: path, Type: WholeKey, Doc: doc, Least: least, Most: most}
	k.Way = "give a whole number from " + plain(least) + " to " + plain(most)
	return k
}

func dollars(path, doc string) ConfigKey {
	k := ConfigKey{Path: path, Type: NumberKey, Doc: doc, Most: mostDollars, Above: true}
	k.Way = "give a number above 0, at most " + plain(mostDollars)
	return k
}

func duration(path, doc string, least, most time.Duration) ConfigKey {
	k := ConfigKey{Path: path, Type: DurationKey, Doc: doc, Least: least.Seconds(), Most: most.Seconds()}
	k.Way = `give a duration such as "20m" or "2h", from ` + Duration(least).String() + " to " + Duration(most).String()
	return k
}
