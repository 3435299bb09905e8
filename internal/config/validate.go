package config

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// validate checks what types can't express. It looks only at the configuration itself.
func (c *Config) validate() []error {
	var mistakes []error
	wrong := func(ok bool, name string, value any, what string) {
		if !ok && !c.failed(name) { // a value that can't be read is a mistake already
			mistakes = append(mistakes, mistake(name, fmt.Sprint(value), what))
		}
	}
	host, limits, keep := c.Host, c.Limits, c.Keep
	wrong(filepath.IsAbs(c.Data) || c.Data == "" || c.Data == ".", "LONGSHIFT_DATA", c.Data,
		"not an absolute path; give one that starts with /")
	wrong(filepath.IsAbs(c.Model.Prices) || c.Model.Prices == "", "LONGSHIFT_PRICES", c.Model.Prices,
		"not an absolute path; give one that starts with /")
	wrong(filepath.IsAbs(c.Channels.Projects) || c.Channels.Projects == "", "LONGSHIFT_PROJECTS", c.Channels.Projects,
		"not an absolute path; give one that starts with /")
	wrong(slices.Contains([]Role{RoleAll, RoleControl, RoleHost, RoleListen}, c.Role), "LONGSHIFT_ROLE", c.Role,
		"unknown role; give all, control, host or listen")
	wrong(host.Slots >= 1, "LONGSHIFT_SLOTS", host.Slots, "too small; give 1 or more")
	wrong(host.Heartbeat >= time.Second, "LONGSHIFT_HEARTBEAT", host.Heartbeat,
		"too short; give 1s or more, such as 30s")
	wrong(host.Probe >= time.Second, "LONGSHIFT_PROBE", host.Probe, "too short; give 1s or more, such as 60s")
	wrong(host.Alone >= 0, "LONGSHIFT_ALONE", host.Alone,
		"negative; give a duration such as 15m, or 0s to end sessions with the first heartbeat that the server misses")
	wrong(host.Snapshots >= 0, "LONGSHIFT_SNAPSHOTS", host.Snapshots, "negative; give a duration such as 30s, or 0s for every step that wrote")
	wrong(limits.MaxCost >= 0, "LONGSHIFT_MAX_COST", limits.MaxCost, "negative; give US dollars, or 0 for no limit")
	wrong(limits.MaxTime >= 0, "LONGSHIFT_MAX_TIME", limits.MaxTime, "negative; give a duration such as 2h, or 0 for no limit")
	wrong(limits.DailyCost >= 0, "LONGSHIFT_DAILY_COST", limits.DailyCost, "negative; give US dollars, or 0 for no limit")
	wrong(limits.RepoDailyCost >= 0, "LONGSHIFT_REPOSITORY_DAILY_COST", limits.RepoDailyCost, "negative; give US dollars, or 0 for no limit")
	wrong(limits.RepoSessions >= 0, "LONGSHIFT_REPOSITORY_SESSIONS", limits.RepoSessions, "negative; give a count, or 0 for no limit")
	wrong(limits.Quiet >= 0, "LONGSHIFT_BACKLOG_QUIET", limits.Quiet, "negative; give a duration such as 30s, or 0s to take files at once")
	wrong(c.Sandbox.Upload >= 0, "LONGSHIFT_EGRESS_UPLOAD", c.Sandbox.Upload, "negative; give MiB, or 0 for no limit")
	wrong(c.Sandbox.Memory >= 512, "LONGSHIFT_SANDBOX_MEMORY", c.Sandbox.Memory, "too little; give MiB, 512 or more")
	wrong(limits.Lease >= time.Second, "LONGSHIFT_GATE_LEASE", limits.Lease,
		"too short; give 1s or more, such as 2m")
	wrong(limits.MaxIterations >= 0, "LONGSHIFT_MAX_ITERATIONS", limits.MaxIterations, "negative; give a count, or 0 for no limit")
	wrong(limits.Approval == "" || limits.Approval == ApprovalRequired, "LONGSHIFT_APPROVAL", limits.Approval,
		"unknown; give required, or leave it empty")
	wrong(keep.Tasks >= 0, "LONGSHIFT_KEEP", keep.Tasks, "negative; give a duration such as 168h, or 0s to keep all of it")
	wrong(keep.Size >= 0, "LONGSHIFT_KEEP_SIZE", keep.Size, "negative; give a number of GiB, or 0 for no limit")
	wrong(keep.Audit >= 0, "LONGSHIFT_AUDIT_KEEP", keep.Audit, "negative; give a duration such as 2160h, or 0s to keep all of it")
	wrong(c.Role != RoleListen || c.Listen.Listeners, "LONGSHIFT_LISTENERS", c.Listen.Listeners,
		"with LONGSHIFT_ROLE=listen nothing is left to do; leave it out")
	mistakes = append(mistakes, c.validateSandbox()...)
	mistakes = append(mistakes, c.Tasks.validate()...)
	mistakes = append(mistakes, c.Model.validate()...)
	mistakes = append(mistakes, c.validateChannels()...)
	mistakes = append(mistakes, c.Listen.validate()...)
	mistakes = append(mistakes, c.validateGitHub()...)
	mistakes = append(mistakes, c.checkProxy()...)
	mistakes = append(mistakes, c.checkObjects()...)
	c.Limits.Agents = tidy(c.Limits.Agents)
	for _, agent := range c.Limits.Agents {
		hint := "unknown agent; give claude, codex, opencode or native"
		if agent == "script" {
			hint = "the scripted agent is allowed by naming its scenario; set LONGSHIFT_SCENARIO and give claude, codex, opencode or native here"
		}
		wrong(slices.Contains([]string{"claude", "codex", "opencode", "native"}, agent), "LONGSHIFT_AGENTS", agent, hint)
	}
	for _, u := range []struct {
		name string
		at   *string
	}{{c.named("LONGSHIFT_ANTHROPIC_URL"), &c.Model.URL}, {c.named("LONGSHIFT_OPENAI_URL"), &c.Model.OpenAIURL}, {"LONGSHIFT_GITHUB_URL", &c.GitHub.URL}, {"LONGSHIFT_WEB_URL", &c.WebURL},
		{"LONGSHIFT_LINEAR_URL", &c.Linear.URL}, {"LONGSHIFT_SLACK_URL", &c.Channels.Slack.URL},
		{"LONGSHIFT_TELEGRAM_URL", &c.Channels.Telegram.URL}, {"LONGSHIFT_WHATSAPP_URL", &c.Channels.WhatsApp.URL}} {
		if err := checkURL(u.name, *u.at); err != nil {
			mistakes = append(mistakes, err)
		}
		*u.at = strings.TrimRight(*u.at, "/")
	}
	return append(mistakes, c.Author.validate()...)
}

// failed tells whether the variable was set but could not be decoded: that mistake has been reported.
func (c *Config) failed(name string) bool {
	for _, v := range c.variables {
		if v.Name == name {
			return v.unread
		}
	}
	return false
}

// named returns the variable that a value comes from: the given one, or the fallback that was used instead.
func (c *Config) named(name string) string {
	for _, v := range c.variables {
		if v.Name == name && v.Origin != OriginDefault && v.Origin != OriginEnvironment {
			return v.Origin
		}
	}
	return name
}

// checkURL accepts http and https with a host. It refuses a URL with a password, which links and logs would show, and repeats no value that
// may hold one, well-formed or not.
func checkURL(name, value string) error {
	if value == "" {
		return nil
	}
	u, err := url.Parse(value)
	if err == nil && u.User != nil {
		return mistake(name, "", "holds a user or password; give the URL without it")
	}
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return mistake(name, quotable(value), "not a web address; give one such as https://example.com")
	}
	return nil
}

// quotable returns an address as a mistake may repeat it: "" for one that may hold a password, which stands before an @.
func quotable(address string) string {
	if strings.Index(address, "@") > 0 {
		return ""
	}
	return address
}

// CheckServer refuses an address of the Temporal server with a login, which errors of the connection would repeat.
func CheckServer(address string) error {
	if !strings.Contains(address, "@") {
		return nil
	}
	return fault.New(fault.Input, "TEMPORAL_ADDRESS: holds a user or password").WithHint("give host:port, such as localhost:7233")
}

// checkProxy refuses a proxy that can't be parsed: net/http would connect without one, and say nothing.
func (c *Config) checkProxy() []error {
	address := strings.TrimSpace(c.Sandbox.Proxy.value)
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	if _, err := url.Parse(address); err == nil {
		return nil
	}
	return []error{mistake(c.Sandbox.Proxy.source, "",
		"not the address of a proxy; give one such as http://proxy.example.com:3128, with %XX for what a URL can't hold")}
}

// checkObjects refuses an object store with a login, which `config show` and errors would repeat. Who opens the store checks the rest.
func (c *Config) checkObjects() []error {
	if strings.HasPrefix(c.Host.Objects, "file:") || quotable(c.Host.Objects) == c.Host.Objects {
		return nil
	}
	return []error{mistake("LONGSHIFT_OBJECT_STORE", "", "holds a user or password; give them in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")}
}
