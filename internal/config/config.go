// Package config is the configuration of a Longshift process: LONGSHIFT_* environment variables and the operator's
// limits. It reads the environment it is handed and nothing else; secrets kept in files are read when they are used.
// It may not know repositories, tasks or Temporal.
package config

import (
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// Config is one process's configuration. The tags hold what Describe and the documentation show: the variable's name,
// its default and what it is for. A zero limit is no limit.
type Config struct {
	Data  string `envconfig:"LONGSHIFT_DATA" shown:"$XDG_DATA_HOME/longshift or ~/.local/share/longshift" help:"folder for workspaces, logs and the host's identity"`
	Role  Role   `envconfig:"LONGSHIFT_ROLE" default:"all" help:"what a worker does: all, control (workflows, forges, chats), host (agents) or listen (chats and webhooks only)"`
	Slots int    `envconfig:"LONGSHIFT_SLOTS" default:"2" help:"agent sessions, setups and checks that run at the same time on this host"`

	Heartbeat time.Duration `envconfig:"LONGSHIFT_HEARTBEAT" default:"30s" help:"silence after which a session's worker counts as gone (duration)"`
	Probe     time.Duration `envconfig:"LONGSHIFT_PROBE" default:"60s" help:"how long a silent host has to answer before another takes over (duration)"`
	Alone     time.Duration `envconfig:"LONGSHIFT_ALONE" default:"15m" help:"how long sessions go on while the Temporal server is out of reach (duration, 0s = they end with the first heartbeat that it misses)"`

	MaxCost       float64       `envconfig:"LONGSHIFT_MAX_COST" default:"0" help:"most a task's budget may be (US dollars, 0 = no limit)"`
	MaxTime       time.Duration `envconfig:"LONGSHIFT_MAX_TIME" default:"0s" help:"most a task's time budget may be (duration, 0 = no limit)"`
	MaxIterations int           `envconfig:"LONGSHIFT_MAX_ITERATIONS" default:"0" help:"most iterations a task may ask for (0 = no limit)"`
	DailyCost     float64       `envconfig:"LONGSHIFT_DAILY_COST" default:"0" help:"most that all tasks may cost in a day, UTC (US dollars, 0 = no limit); a task that would pass it waits for tomorrow"`
	RepoDailyCost float64       `envconfig:"LONGSHIFT_REPOSITORY_DAILY_COST" default:"0" help:"the same for the tasks of one repository"`
	RepoSessions  int           `envconfig:"LONGSHIFT_REPOSITORY_SESSIONS" default:"0" help:"tasks of one repository that work at the same time, whoever started them (0 = no limit)"`
	Quiet         time.Duration `envconfig:"LONGSHIFT_BACKLOG_QUIET" default:"30s" help:"files of a backlog, and a heartbeat file, are taken when nobody has written to them for so long (duration)"`
	Lease         time.Duration `envconfig:"LONGSHIFT_GATE_LEASE" default:"2m" help:"while tasks wait for their turn: how often it is seen whether those at work still live (duration)"`
	Agents        []string      `envconfig:"LONGSHIFT_AGENTS" default:"claude" help:"agents that tasks may choose (comma list: claude)"`
	Approval      Approval      `envconfig:"LONGSHIFT_APPROVAL" help:"required: a person approves every plan, whatever a task asks for"`

	Policy      string        `envconfig:"LONGSHIFT_POLICY" help:"file with the operator's rules for commands (YAML: allow, ask, deny)"`
	Profiles    []string      `envconfig:"LONGSHIFT_PROFILES" default:"node,bun,python,ruby,go,rust,php" help:"tool chains that agents may use (comma list; also: jvm, dotnet, cpp)"`
	WriteOff    bool          `envconfig:"LONGSHIFT_WRITE_OFF" default:"false" help:"true: no agent and no command of a project may write to a workspace (a switch for when something is wrong)"`
	Destructive bool          `envconfig:"LONGSHIFT_DESTRUCTIVE" default:"false" help:"true: a repository or a task may let agents remove and move files"`
	Readable    []string      `envconfig:"LONGSHIFT_READABLE" help:"folders that agents see although they lie in a hidden one (comma list), such as a tool chain in the home folder"`
	Sensitive   string        `envconfig:"LONGSHIFT_SENSITIVE" shown:"ci=ask, all else name" help:"what is done about changes that deserve a second look (comma list of kind=allow, name, ask or refuse; kinds: all, ci, hooks, agents, install, registries, locks, submodules, links, executables, binaries, names, settings, owners, tests)"`
	TaskEnv     string        `envconfig:"LONGSHIFT_TASK_ENV" help:"variables of every program of every task, no secrets: NAME=value, or NAME for the worker's own value, with spaces between them, such as GOPRIVATE=github.com/acme/*"`
	TaskSecrets string        `envconfig:"LONGSHIFT_TASK_SECRETS" help:"secrets of the worker's environment that tasks get, with spaces between them: NAME@owner/name for setup and check, NAME:setup@owner/* for setup alone, NAME:setup,check,agent@/path for agents too; the value is in NAME or in the file that NAME_FILE names"`
	Cache       string        `envconfig:"LONGSHIFT_CACHE" help:"folder of caches of tool chains (go-build, npm and so on) that you have filled: tasks begin with a copy of its packages until their repository has left its own; none: tasks share nothing"`
	Registries  []string      `envconfig:"LONGSHIFT_REGISTRIES" default:"default" help:"package registries that agents reach (comma list: default, none, hosts such as *.example.com:8443, \"host internal\" for one in the own network)"`
	EgressProxy Secret        `envconfig:"LONGSHIFT_EGRESS_PROXY" fallback:"HTTPS_PROXY" help:"proxy through which the registries are reached"`
	EgressSent  int           `envconfig:"LONGSHIFT_EGRESS_UPLOAD" default:"10" help:"most that one agent session, or all runs of setup or of check of one task, may send to the registries (MiB, 0 = no limit)"`
	Bubblewrap  string        `envconfig:"LONGSHIFT_BUBBLEWRAP" default:"bwrap" help:"the bubblewrap binary of the sandbox (path, or a name on PATH)"`
	Without     []string      `envconfig:"LONGSHIFT_SANDBOX_WITHOUT" help:"layers that the sandbox runs without, each one a risk (comma list: namespaces, network, landlock, seccomp, limits)"`
	Keep        time.Duration `envconfig:"LONGSHIFT_KEEP" default:"168h" help:"how long workspaces, logs and checkpoints of ended tasks are kept (duration, 0s = for ever); see docs/operations.md"`
	KeepSize    int           `envconfig:"LONGSHIFT_KEEP_SIZE" default:"0" help:"most that ended tasks may take in the data folder (GiB, 0 = no limit); above it the oldest go first"`
	AuditKeep   time.Duration `envconfig:"LONGSHIFT_AUDIT_KEEP" default:"2160h" help:"how long the command log is kept (duration, 0s = for ever)"`

	AnthropicKey   Secret   `envconfig:"LONGSHIFT_ANTHROPIC_KEY" fallback:"ANTHROPIC_API_KEY" help:"key for the Anthropic API"`
	AnthropicToken Secret   `envconfig:"LONGSHIFT_ANTHROPIC_TOKEN" fallback:"ANTHROPIC_AUTH_TOKEN" help:"bearer token for a gateway in front of the Anthropic API, in place of a key"`
	ClaudeToken    Secret   `envconfig:"LONGSHIFT_CLAUDE_TOKEN" fallback:"CLAUDE_CODE_OAUTH_TOKEN" help:"login token of a Claude subscription"`
	AnthropicURL   string   `envconfig:"LONGSHIFT_ANTHROPIC_URL" fallback:"ANTHROPIC_BASE_URL" default:"https://api.anthropic.com" help:"where model calls go; when unset, what ANTHROPIC_BASE_URL says"`
	ServerTools    []string `envconfig:"LONGSHIFT_SERVER_TOOLS" help:"tools that the model's vendor may run for agents, off by default (comma list: web_search, web_search(docs.example go.dev), WebFetch(https://docs.example/*))"`
	GatewayPass    []string `envconfig:"LONGSHIFT_GATEWAY_PASS" help:"what agents may send the model's API beyond the list of what is known to be harmless (comma list of the names that refusals give, such as beta:context-hint-2026-04-09 or tool:memory_20260101)"`
	Claude         string   `envconfig:"LONGSHIFT_CLAUDE" default:"claude" help:"the Claude Code binary (path, or a name on PATH)"`

	GitHubToken        Secret        `envconfig:"LONGSHIFT_GITHUB_TOKEN" fallback:"GH_TOKEN,GITHUB_TOKEN" help:"token for cloning, pushing and pull requests"`
	GitHubURL          string        `envconfig:"LONGSHIFT_GITHUB_URL" help:"base URL of a GitHub Enterprise server; github.com when empty"`
	GitHubWebhook      Secret        `envconfig:"LONGSHIFT_GITHUB_WEBHOOK_SECRET" help:"secret of the webhooks that GitHub sends to /webhooks/github"`
	GitHubRepositories []string      `envconfig:"LONGSHIFT_GITHUB_REPOSITORIES" help:"repositories whose issues and comments start and steer tasks (comma list: owner/name; owner/* for webhooks only)"`
	GitHubLabel        string        `envconfig:"LONGSHIFT_GITHUB_LABEL" default:"longshift" help:"label that makes an issue a task"`
	GitHubPoll         time.Duration `envconfig:"LONGSHIFT_GITHUB_POLL" default:"1m" help:"how often GitHub is asked for what no webhook told (duration, 0s = never)"`

	Linear    Secret `envconfig:"LONGSHIFT_LINEAR_TOKEN" help:"API key or OAuth token of Linear, for intakes"`
	LinearURL string `envconfig:"LONGSHIFT_LINEAR_URL" default:"https://api.linear.app" help:"base URL of Linear's API"`

	Slack            Secret   `envconfig:"LONGSHIFT_SLACK_BOT_TOKEN" help:"token of the Slack app (xoxb-...)"`
	SlackApp         Secret   `envconfig:"LONGSHIFT_SLACK_APP_TOKEN" help:"token for Socket Mode (xapp-...), which needs no public address"`
	SlackSigning     Secret   `envconfig:"LONGSHIFT_SLACK_SIGNING_SECRET" help:"secret that signs what Slack sends to /webhooks/slack"`
	SlackURL         string   `envconfig:"LONGSHIFT_SLACK_URL" help:"base URL of Slack's Web API; slack.com when empty"`
	SlackChannels    []string `envconfig:"LONGSHIFT_SLACK_CHANNELS" help:"channels in which every task is shown (comma list of ids such as C0123456789)"`
	SlackStart       []string `envconfig:"LONGSHIFT_SLACK_START" help:"who may start tasks (comma list of user ids such as U0123456789)"`
	SlackApprove     []string `envconfig:"LONGSHIFT_SLACK_APPROVE" help:"who may decide about plans and steer tasks (comma list of user ids)"`
	SlackCommands    []string `envconfig:"LONGSHIFT_SLACK_COMMANDS" help:"who may allow commands (comma list of user ids)"`
	Telegram         Secret   `envconfig:"LONGSHIFT_TELEGRAM_TOKEN" help:"token of the Telegram bot"`
	TelegramURL      string   `envconfig:"LONGSHIFT_TELEGRAM_URL" default:"https://api.telegram.org" help:"base URL of the Bot API"`
	TelegramChats    []string `envconfig:"LONGSHIFT_TELEGRAM_CHATS" help:"chats in which every task is shown, beside those bound with a code (comma list of ids)"`
	TelegramStart    []string `envconfig:"LONGSHIFT_TELEGRAM_START" help:"who may start tasks (comma list of user ids)"`
	TelegramApprove  []string `envconfig:"LONGSHIFT_TELEGRAM_APPROVE" help:"who may decide about plans and steer tasks (comma list of user ids)"`
	TelegramCommands []string `envconfig:"LONGSHIFT_TELEGRAM_COMMANDS" help:"who may allow commands (comma list of user ids)"`
	WhatsApp         Secret   `envconfig:"LONGSHIFT_WHATSAPP_TOKEN" help:"access token of the WhatsApp Cloud API"`
	WhatsAppSecret   Secret   `envconfig:"LONGSHIFT_WHATSAPP_APP_SECRET" help:"app secret that signs what WhatsApp sends to /webhooks/whatsapp"`
	WhatsAppVerify   Secret   `envconfig:"LONGSHIFT_WHATSAPP_VERIFY_TOKEN" help:"token by which WhatsApp checks the webhook's address once"`
	WhatsAppPhone    string   `envconfig:"LONGSHIFT_WHATSAPP_PHONE_ID" help:"id of the phone number that messages come from"`
	WhatsAppURL      string   `envconfig:"LONGSHIFT_WHATSAPP_URL" default:"https://graph.facebook.com" help:"base URL of the Graph API"`
	WhatsAppNumbers  []string `envconfig:"LONGSHIFT_WHATSAPP_NUMBERS" help:"people to whom every task is shown (comma list of phone numbers, digits only)"`
	WhatsAppStart    []string `envconfig:"LONGSHIFT_WHATSAPP_START" help:"who may start tasks (comma list of phone numbers)"`
	WhatsAppApprove  []string `envconfig:"LONGSHIFT_WHATSAPP_APPROVE" help:"who may decide about plans and steer tasks (comma list of phone numbers)"`
	WhatsAppCommands []string `envconfig:"LONGSHIFT_WHATSAPP_COMMANDS" help:"who may allow commands (comma list of phone numbers)"`
	Terminal         bool     `envconfig:"LONGSHIFT_TERMINAL" default:"false" help:"true: show tasks on the worker's own terminal, and take what is typed there"`
	ChatRepository   string   `envconfig:"LONGSHIFT_CHAT_REPOSITORY" help:"repository of tasks that are started from a chat without naming one"`
	Projects         string   `envconfig:"LONGSHIFT_PROJECTS" help:"folder whose direct children are the workspaces that people list, switch to and run tasks in (absolute path)"`
	Listeners        bool     `envconfig:"LONGSHIFT_LISTENERS" default:"true" help:"false: this process hears nobody in chats and on forges, because another one does"`
	Listen           string   `envconfig:"LONGSHIFT_LISTEN" help:"address on which webhooks are taken, such as 127.0.0.1:8088; none when empty"`
	ListenHosts      []string `envconfig:"LONGSHIFT_LISTEN_HOSTS" help:"public names under which webhooks and health are called, such as hooks.example.com (comma list); localhost and the machine's own address need none"`
	ListenProxies    []string `envconfig:"LONGSHIFT_LISTEN_PROXIES" help:"proxies before LONGSHIFT_LISTEN on other machines (comma list of addresses and networks such as 172.18.0.0/16): whom they name in X-Forwarded-For is the caller"`
	Health           string   `envconfig:"LONGSHIFT_HEALTH" shown:"127.0.0.1 and the port after that of LONGSHIFT_LISTEN" help:"address on which GET /healthz answers; none when both are empty, or for the value none"`

	WebURL      string `envconfig:"LONGSHIFT_WEB_URL" default:"http://localhost:8233" help:"Temporal Web, for links"`
	AuthorName  string `envconfig:"LONGSHIFT_AUTHOR_NAME" default:"Longshift" help:"author of commits"`
	AuthorEmail string `envconfig:"LONGSHIFT_AUTHOR_EMAIL" default:"longshift@localhost" help:"author of commits"`
	SigningKey  string `envconfig:"LONGSHIFT_SIGNING_KEY" help:"key that commits are signed with: the absolute path of an SSH key, or the id of a GPG key; it stays with the worker"`

	Scenario  string     `envconfig:"LONGSHIFT_SCENARIO" help:"scenario file; allows the scripted agent, which calls no model"`
	Log       slog.Level `envconfig:"LONGSHIFT_LOG" default:"info" help:"log level: debug, info, warn or error"`
	DevServer string     `envconfig:"LONGSHIFT_DEVSERVER" help:"server binary for longshift dev; found beside longshift or on PATH when empty"`
	Worker    string     `envconfig:"LONGSHIFT_WORKER" help:"worker binary for longshift dev; found beside longshift or on PATH when empty"`

	variables []Variable
	grants    []Grant
}

// Role is the part a worker process plays.
type Role string

// The roles.
const (
	RoleAll     Role = "all"
	RoleControl Role = "control"
	RoleHost    Role = "host"
	RoleListen  Role = "listen"
)

// Control tells whether the process runs workflows and activities on forges and channels.
func (r Role) Control() bool { return r == RoleAll || r == RoleControl }

// Host tells whether the process runs agents.
func (r Role) Host() bool { return r == RoleAll || r == RoleHost }

// Listen tells whether the process hears what people do in chats and on forges.
func (r Role) Listen() bool { return r != RoleHost }

// Approval is the operator's floor for how plans are approved.
type Approval string

// ApprovalRequired makes a person approve every plan.
const ApprovalRequired Approval = "required"

// Lookup gives the value of an environment variable, and whether it is set. os.LookupEnv is one.
type Lookup func(name string) (string, bool)

// Load reads the configuration. The error, a fault.Input, has one line for every mistake.
func Load(lookup Lookup) (Config, error) {
	var c Config
	mistakes := c.decode(lookup)
	if c.Data == "" {
		c.Data, mistakes = defaultData(lookup, mistakes)
	}
	c.Data = filepath.Clean(c.Data)
	c.defaultHealth()
	mistakes = append(mistakes, c.validate()...)
	mistakes = append(mistakes, c.loadGrants(lookup)...)
	if len(mistakes) == 0 {
		c.setValue("LONGSHIFT_DATA", c.Data)
		c.setValue("LONGSHIFT_HEALTH", c.Health)
		return c, nil
	}
	err := errors.Join(mistakes...)
	if len(mistakes) == 1 {
		return Config{}, fault.New(fault.Input, "%w", err)
	}
	return Config{}, fault.New(fault.Input, "%d mistakes in the environment:\n%w", len(mistakes), err)
}

// AllowedAgents are the agents that tasks may choose: the operator's, and the scripted one when there is a scenario.
func (c Config) AllowedAgents() []string {
	agents := slices.Clone(c.Agents)
	if c.Scenario != "" && !slices.Contains(agents, "script") {
		agents = append(agents, "script")
	}
	return agents
}

func defaultData(lookup Lookup, mistakes []error) (string, []error) {
	if xdg, _ := lookup("XDG_DATA_HOME"); filepath.IsAbs(xdg) {
		return filepath.Join(xdg, "longshift"), mistakes
	}
	if home, _ := lookup("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "share", "longshift"), mistakes
	}
	return "", append(mistakes, mistake("LONGSHIFT_DATA", "", "not set, and there is no home folder; give an absolute path"))
}

// tidy drops spaces around the items of a list, and empty items.
func tidy(list []string) []string {
	var out []string
	for _, item := range list {
		if item = strings.TrimSpace(item); item != "" && !slices.Contains(out, item) {
			out = append(out, item)
		}
	}
	return out
}
