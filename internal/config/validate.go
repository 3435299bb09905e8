package config

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// validate checks what types can't say. It looks at nothing outside the struct.
func (c *Config) validate() []error {
	var mistakes []error
	wrong := func(ok bool, name string, value any, what string) {
		if !ok {
			mistakes = append(mistakes, mistake(name, fmt.Sprint(value), what))
		}
	}
	wrong(filepath.IsAbs(c.Data) || c.Data == "" || c.Data == ".", "LONGSHIFT_DATA", c.Data, "not an absolute path; give one that starts with /")
	wrong(filepath.IsAbs(c.Projects) || c.Projects == "", "LONGSHIFT_PROJECTS", c.Projects, "not an absolute path; give one that starts with /")
	wrong(slices.Contains([]Role{RoleAll, RoleControl, RoleHost, RoleListen}, c.Role), "LONGSHIFT_ROLE", c.Role, "unknown role; give all, control, host or listen")
	wrong(c.Slots >= 1 || c.failed("LONGSHIFT_SLOTS"), "LONGSHIFT_SLOTS", c.Slots, "too small; give 1 or more")
	wrong(c.Heartbeat >= time.Second || c.failed("LONGSHIFT_HEARTBEAT"), "LONGSHIFT_HEARTBEAT", c.Heartbeat, "too short; give 1s or more, such as 30s")
	wrong(c.Probe >= time.Second || c.failed("LONGSHIFT_PROBE"), "LONGSHIFT_PROBE", c.Probe, "too short; give 1s or more, such as 60s")
	wrong(c.Alone >= 0, "LONGSHIFT_ALONE", c.Alone, "negative; give a duration such as 15m, or 0s to end sessions with the first heartbeat that the server misses")
	wrong(c.MaxCost >= 0, "LONGSHIFT_MAX_COST", c.MaxCost, "negative; give US dollars, or 0 for no limit")
	wrong(c.MaxTime >= 0, "LONGSHIFT_MAX_TIME", c.MaxTime, "negative; give a duration such as 2h, or 0 for no limit")
	wrong(c.DailyCost >= 0, "LONGSHIFT_DAILY_COST", c.DailyCost, "negative; give US dollars, or 0 for no limit")
	wrong(c.RepoDailyCost >= 0, "LONGSHIFT_REPOSITORY_DAILY_COST", c.RepoDailyCost, "negative; give US dollars, or 0 for no limit")
	wrong(c.RepoSessions >= 0, "LONGSHIFT_REPOSITORY_SESSIONS", c.RepoSessions, "negative; give a count, or 0 for no limit")
	wrong(c.Quiet >= 0, "LONGSHIFT_BACKLOG_QUIET", c.Quiet, "negative; give a duration such as 30s, or 0s to take files at once")
	wrong(c.EgressSent >= 0, "LONGSHIFT_EGRESS_UPLOAD", c.EgressSent, "negative; give MiB, or 0 for no limit")
	wrong(c.Lease >= time.Second || c.failed("LONGSHIFT_GATE_LEASE"), "LONGSHIFT_GATE_LEASE", c.Lease, "too short; give 1s or more, such as 2m")
	wrong(c.MaxIterations >= 0, "LONGSHIFT_MAX_ITERATIONS", c.MaxIterations, "negative; give a count, or 0 for no limit")
	wrong(c.Approval == "" || c.Approval == ApprovalRequired, "LONGSHIFT_APPROVAL", c.Approval, "unknown; give required, or leave it empty")
	wrong(c.Keep >= 0, "LONGSHIFT_KEEP", c.Keep, "negative; give a duration such as 168h, or 0s to keep all of it")
	wrong(c.KeepSize >= 0, "LONGSHIFT_KEEP_SIZE", c.KeepSize, "negative; give a number of GiB, or 0 for no limit")
	wrong(c.AuditKeep >= 0, "LONGSHIFT_AUDIT_KEEP", c.AuditKeep, "negative; give a duration such as 2160h, or 0s to keep all of it")
	wrong(c.Role != RoleListen || c.Listeners, "LONGSHIFT_LISTENERS", c.Listeners, "with LONGSHIFT_ROLE=listen nothing is left to do; leave it out")
	mistakes = append(mistakes, c.validateSandbox()...)
	mistakes = append(mistakes, c.validateTaskEnv()...)
	mistakes = append(mistakes, c.validateModel()...)
	mistakes = append(mistakes, c.validateChannels()...)
	mistakes = append(mistakes, c.validateListeners()...)
	c.Agents = tidy(c.Agents)
	for _, agent := range c.Agents {
		hint := "unknown agent; give claude"
		if agent == "script" {
			hint = "the scripted agent is allowed by naming its scenario; set LONGSHIFT_SCENARIO and give claude here"
		}
		wrong(agent == "claude", "LONGSHIFT_AGENTS", agent, hint)
	}
	for _, u := range []struct {
		name string
		at   *string
	}{{c.named("LONGSHIFT_ANTHROPIC_URL"), &c.AnthropicURL}, {"LONGSHIFT_GITHUB_URL", &c.GitHubURL}, {"LONGSHIFT_WEB_URL", &c.WebURL},
		{"LONGSHIFT_LINEAR_URL", &c.LinearURL}, {"LONGSHIFT_SLACK_URL", &c.SlackURL}, {"LONGSHIFT_TELEGRAM_URL", &c.TelegramURL}, {"LONGSHIFT_WHATSAPP_URL", &c.WhatsAppURL}} {
		if err := checkURL(u.name, *u.at); err != nil {
			mistakes = append(mistakes, err)
		}
		*u.at = strings.TrimRight(*u.at, "/")
	}
	return append(mistakes, c.validateAuthor()...)
}

// failed tells whether the variable was set and could not be read: that mistake is reported already.
func (c *Config) failed(name string) bool {
	for _, v := range c.variables {
		if v.Name == name {
			return v.unread
		}
	}
	return false
}

// named gives the variable that a value comes from: ours, or the fallback that stood in for it.
func (c *Config) named(name string) string {
	for _, v := range c.variables {
		if v.Name == name && v.Origin != OriginDefault && v.Origin != OriginEnvironment {
			return v.Origin
		}
	}
	return name
}

// checkURL accepts http and https with a host. A password in a URL would be shown in links and logs, so it is refused
// without repeating the value.
func checkURL(name, value string) error {
	if value == "" {
		return nil
	}
	u, err := url.Parse(value)
	if err == nil && u.User != nil {
		return mistake(name, "", "holds a user or password; give the URL without it")
	}
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return mistake(name, value, "not a web address; give one such as https://example.com")
	}
	return nil
}
