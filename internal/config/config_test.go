package config

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/fault"
)

func lookup(pairs ...string) Lookup {
	values := map[string]string{"HOME": "/home/ann"}
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		values[name] = value
	}
	return func(name string) (string, bool) { v, ok := values[name]; return v, ok }
}

func TestDefaults(t *testing.T) {
	c, err := Load(lookup())
	if err != nil {
		t.Fatal(err)
	}
	got := []any{c.Data, c.Role, c.Host.Slots, c.Host.Heartbeat, c.Host.Probe, c.Host.Alone, c.Limits.MaxCost, c.Limits.MaxTime,
		c.Limits.MaxIterations, c.Limits.Approval, c.WebURL, c.Log, c.Scenario}
	want := []any{"/home/ann/.local/share/longshift", RoleAll, 2, 30 * time.Second, time.Minute, 15 * time.Minute, 0.0, time.Duration(0), 0,
		Approval(""), "http://localhost:8233", slog.LevelInfo, ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"claude", "native"}, c.AllowedAgents()); diff != "" {
		t.Error(diff)
	}
	if c.Model.Key.Present() || c.GitHub.Token.Present() {
		t.Error("a secret is present without being set")
	}
}

func TestValues(t *testing.T) {
	c, err := Load(lookup("LONGSHIFT_DATA=/srv/ls/", "LONGSHIFT_ROLE=host", "LONGSHIFT_SLOTS=8", "LONGSHIFT_HEARTBEAT=2s",
		"LONGSHIFT_MAX_COST=12.5", "LONGSHIFT_AGENTS= claude , claude,", "LONGSHIFT_APPROVAL=required", "LONGSHIFT_SCENARIO=/s.yaml",
		"LONGSHIFT_WEB_URL=https://temporal.example.com/", "LONGSHIFT_LOG=WARN", "LONGSHIFT_AUTHOR_NAME=", `LONGSHIFT_CLAUDE=/opt/a "b"/claude`,
		"LONGSHIFT_GATEWAY_PASS=beta:context-hint-2026-04-09,model:openai/gpt-5.5:online"))
	if err != nil {
		t.Fatal(err)
	}
	got := []any{c.Data, c.Role, c.Role.Control(), c.Role.Host(), c.Host.Slots, c.Host.Heartbeat, c.Limits.MaxCost, c.Limits.Approval,
		c.WebURL, c.Log, c.Author.Name, c.Model.Claude}
	want := []any{"/srv/ls", RoleHost, false, true, 8, 2 * time.Second, 12.5, ApprovalRequired, "https://temporal.example.com", slog.LevelWarn,
		"Longshift", `/opt/a "b"/claude`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"claude", "script"}, c.AllowedAgents()); diff != "" {
		t.Error(diff)
	}
}

func TestXDG(t *testing.T) {
	if c, err := Load(lookup("XDG_DATA_HOME=/xdg")); err != nil || c.Data != "/xdg/longshift" {
		t.Errorf("data %q, %v", c.Data, err)
	}
	if c, err := Load(lookup("XDG_DATA_HOME=relative")); err != nil || c.Data != "/home/ann/.local/share/longshift" {
		t.Errorf("a relative XDG_DATA_HOME must be ignored: %q, %v", c.Data, err)
	}
}

// Each mistake gives one line that names the variable, the value and the way out.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"LONGSHIFT_SLOTS=two", `LONGSHIFT_SLOTS="two": not a whole number; give digits, such as 2`},
		{"LONGSHIFT_SLOTS=0", `LONGSHIFT_SLOTS="0": too small; give 1 or more`},
		{"LONGSHIFT_HEARTBEAT=30", `LONGSHIFT_HEARTBEAT="30": not a duration; give a number with a unit, such as 30s, 20m or 2h`},
		{"LONGSHIFT_HEARTBEAT=10ms", `LONGSHIFT_HEARTBEAT="10ms": too short; give 1s or more, such as 30s`},
		{"LONGSHIFT_SANDBOX_MEMORY=2g", `LONGSHIFT_SANDBOX_MEMORY="2g": not a whole number; give digits, such as 2`},
		{"LONGSHIFT_SANDBOX_MEMORY=256", `LONGSHIFT_SANDBOX_MEMORY="256": too little; give MiB, 512 or more`},
		{"LONGSHIFT_EGRESS_UPLOAD=-1", `LONGSHIFT_EGRESS_UPLOAD="-1": negative; give MiB, or 0 for no limit`},
		{"LONGSHIFT_PROBE=0s", `LONGSHIFT_PROBE="0s": too short; give 1s or more, such as 60s`},
		{"LONGSHIFT_ALONE=-1s", `LONGSHIFT_ALONE="-1s": negative; give a duration such as 15m, or 0s to end sessions with the first heartbeat that the server misses`},
		{"LONGSHIFT_SNAPSHOTS=-1s", `LONGSHIFT_SNAPSHOTS="-1s": negative; give a duration such as 30s, or 0s for every step that wrote`},
		{"LONGSHIFT_MAX_COST=five", `LONGSHIFT_MAX_COST="five": not a number; give US dollars, such as 5 or 2.50`},
		{"LONGSHIFT_MAX_COST=NaN", `LONGSHIFT_MAX_COST="NaN": not a number; give US dollars, such as 5 or 2.50`},
		{"LONGSHIFT_DAILY_COST=Inf", `LONGSHIFT_DAILY_COST="Inf": not a number; give US dollars, such as 5 or 2.50`},
		{"LONGSHIFT_MAX_COST=-1", `LONGSHIFT_MAX_COST="-1": negative; give US dollars, or 0 for no limit`},
		{"LONGSHIFT_ROLE=boss", `LONGSHIFT_ROLE="boss": unknown role; give all, control, host or listen`},
		{"LONGSHIFT_AGENTS=claude,gpt", `LONGSHIFT_AGENTS="gpt": unknown agent; give claude, codex, opencode or native`},
		{"LONGSHIFT_AGENTS=script", `LONGSHIFT_AGENTS="script": the scripted agent is allowed by naming its scenario; set LONGSHIFT_SCENARIO and give claude, codex, opencode or native here`},
		{"LONGSHIFT_APPROVAL=none", `LONGSHIFT_APPROVAL="none": unknown; give required, or leave it empty`},
		{"LONGSHIFT_DATA=data", `LONGSHIFT_DATA="data": not an absolute path; give one that starts with /`},
		{"LONGSHIFT_PROJECTS=projects", `LONGSHIFT_PROJECTS="projects": not an absolute path; give one that starts with /`},
		{"LONGSHIFT_WEB_URL=localhost:8233", `LONGSHIFT_WEB_URL="localhost:8233": not a web address; give one such as https://example.com`},
		{"LONGSHIFT_GITHUB_URL=https://me:pw@ghe.example.com", `LONGSHIFT_GITHUB_URL: holds a user or password; give the URL without it`},
		{"LONGSHIFT_GITHUB_URL=https://me:p%zz@ghe.example.com", `LONGSHIFT_GITHUB_URL: not a web address; give one such as https://example.com`},
		{"LONGSHIFT_GITHUB_URL=me:pw@ghe.example.com", `LONGSHIFT_GITHUB_URL: not a web address; give one such as https://example.com`},
		{"ANTHROPIC_BASE_URL=gw.example.com", `ANTHROPIC_BASE_URL="gw.example.com": not a web address; give one such as https://example.com`},
		{"ANTHROPIC_BASE_URL=https://me:pw@gw.example.com", `ANTHROPIC_BASE_URL: holds a user or password; give the URL without it`},
		{"HTTPS_PROXY=http://me:p%zz@proxy.example.com", `HTTPS_PROXY: not the address of a proxy; give one such as http://proxy.example.com:3128, with %XX for what a URL can't hold`},
		{"HTTPS_PROXY=me:p w@proxy.example.com:3128", `HTTPS_PROXY: not the address of a proxy; give one such as http://proxy.example.com:3128, with %XX for what a URL can't hold`},
		{"LONGSHIFT_EGRESS_PROXY=http://me:p%zz@proxy.example.com", `LONGSHIFT_EGRESS_PROXY: not the address of a proxy; give one such as http://proxy.example.com:3128, with %XX for what a URL can't hold`},
		{"LONGSHIFT_OBJECT_STORE=s3://key:secret@blobs", `LONGSHIFT_OBJECT_STORE: holds a user or password; give them in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`},
		{"LONGSHIFT_OBJECT_STORE=s3://key:p%zz@blobs", `LONGSHIFT_OBJECT_STORE: holds a user or password; give them in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`},
		{"LONGSHIFT_OBJECT_STORE=key:secret@blobs", `LONGSHIFT_OBJECT_STORE: holds a user or password; give them in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`},
		{"LONGSHIFT_OBJECT_STORE=s3://blobs?endpoint=https://key:secret@minio", `LONGSHIFT_OBJECT_STORE: holds a user or password; give them in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`},
		{"LONGSHIFT_LISTEN_HOSTS=https://me:secret@hooks.example.com", `LONGSHIFT_LISTEN_HOSTS: not the name of a host; give one such as hooks.example.com, without a scheme or path`},
		{"LONGSHIFT_LISTEN_PROXIES=https://me:secret@proxy", `LONGSHIFT_LISTEN_PROXIES: neither an address nor a network; give one such as 10.0.0.7 or 172.18.0.0/16`},
		{"LONGSHIFT_GITHUB_REPOSITORIES=https://secret@github.com/acme/web", `LONGSHIFT_GITHUB_REPOSITORIES: not of the right form; give owner/name, or owner/*`},
		{"LONGSHIFT_LOG=loud", `LONGSHIFT_LOG="loud": not a log level; give debug, info, warn or error`},
		{"LONGSHIFT_AUTHOR_EMAIL=nobody", `LONGSHIFT_AUTHOR_EMAIL="nobody": not an e-mail address; give one such as bot@example.com`},
		{"LONGSHIFT_AUTHOR_NAME=Bot <x>", `LONGSHIFT_AUTHOR_NAME="Bot <x>": holds a character that git refuses in names or that nobody can see; leave out < and >, line ends and the like`},
		{"LONGSHIFT_AUTHOR_NAME=Bot\u202e", `LONGSHIFT_AUTHOR_NAME="Bot\u202e": holds a character that git refuses in names or that nobody can see; leave out < and >, line ends and the like`},
		{"LONGSHIFT_AUTHOR_NAME=...", `LONGSHIFT_AUTHOR_NAME="...": no name to git; give one with a letter or a digit`},
		{"LONGSHIFT_AUTHOR_EMAIL=a@b\x1b", `LONGSHIFT_AUTHOR_EMAIL="a@b\x1b": not an e-mail address; give one such as bot@example.com`},
		{"LONGSHIFT_SIGNING_KEY=keys/bot", `LONGSHIFT_SIGNING_KEY="keys/bot": neither an absolute path nor the id of a GPG key; give the path of an SSH key that starts with /, or the 40 digits that ` + "`gpg --list-secret-keys`" + ` shows`},
		{"LONGSHIFT_LISTEN=8088", `LONGSHIFT_LISTEN="8088": not an address; give host:port such as 127.0.0.1:8088`},
		{"LONGSHIFT_HEALTH=on", `LONGSHIFT_HEALTH="on": not an address; give host:port such as 127.0.0.1:8088`},
		{"LONGSHIFT_LISTEN=127.0.0.1:65535", `LONGSHIFT_HEALTH="127.0.0.1:65536": not an address; give host:port such as 127.0.0.1:8088`},
		{"LONGSHIFT_LISTEN_HOSTS=https://hooks.example.com", `LONGSHIFT_LISTEN_HOSTS="https://hooks.example.com": not the name of a host; give one such as hooks.example.com, without a scheme or path`},
		{"LONGSHIFT_LISTEN_PROXIES=caddy", `LONGSHIFT_LISTEN_PROXIES="caddy": neither an address nor a network; give one such as 10.0.0.7 or 172.18.0.0/16`},
		{"LONGSHIFT_SLACK_APPROVE=ada", `LONGSHIFT_SLACK_APPROVE="ada": not of the right form; give the id of a user, such as U0123456789 (in the profile: copy member ID)`},
		{"LONGSHIFT_TELEGRAM_CHATS=@team", `LONGSHIFT_TELEGRAM_CHATS="@team": not of the right form; give the id of a chat, such as 12345678 or -1001234567890`},
		{"LONGSHIFT_TELEGRAM_TOKEN=abc", `LONGSHIFT_TELEGRAM_TOKEN: not of the form 123456:ABC…; give the token that @BotFather shows for the bot`},
		{"LONGSHIFT_GITHUB_REPOSITORIES=web", `LONGSHIFT_GITHUB_REPOSITORIES="web": not of the right form; give owner/name, or owner/*`},
		{"LONGSHIFT_GITHUB_LABEL=bug,longshift", `LONGSHIFT_GITHUB_LABEL="bug,longshift": can't be the label of issues to work on; give one of at most 42 characters, without commas: -claimed is put behind it for claimed issues`},
		{"LONGSHIFT_GITHUB_LABEL=" + strings.Repeat("x", 43), `LONGSHIFT_GITHUB_LABEL="` + strings.Repeat("x", 43) + `": can't be the label of issues to work on; give one of at most 42 characters, without commas: -claimed is put behind it for claimed issues`},
		{"LONGSHIFT_SLACK_APP_TOKEN=xapp-1", `LONGSHIFT_SLACK_BOT_TOKEN: not set, and there is a token for Socket Mode; give both`},
		{"LONGSHIFT_GITHUB_TOKEN_FILE=keys/github", `LONGSHIFT_GITHUB_TOKEN_FILE: not an absolute path; give one that starts with /`},
		{"LONGSHIFT_GITHUB_REPOSITORIES=ada_acme/web,_acme/web", `LONGSHIFT_GITHUB_REPOSITORIES="_acme/web": not of the right form; give owner/name, or owner/*`},
		{"LONGSHIFT_GITHUB_TOKEN=a\nb", `LONGSHIFT_GITHUB_TOKEN: holds more than one line; give the key alone`},
	} {
		_, err := Load(lookup(c.set))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.set, err, c.want)
		}
		if fault.KindOf(err) != fault.Input {
			t.Errorf("%s: kind %s", c.set, fault.KindOf(err))
		}
	}
}

// Temporal Web may be nowhere: an empty value stands for the default.
func TestTemporalWebIsNowhere(t *testing.T) {
	for value, want := range map[string]string{"": "http://localhost:8233", NoWeb: ""} {
		if cfg, err := Load(lookup("LONGSHIFT_WEB_URL=" + value)); err != nil || cfg.WebURL != want {
			t.Errorf("%q: %q, %v", value, cfg.WebURL, err)
		}
	}
}

// By default health is on the port after the webhooks', on this machine only.
func TestHealthHasAnAddressOfItsOwn(t *testing.T) {
	for _, c := range []struct {
		set  []string
		want string
	}{
		{nil, ""},
		{[]string{"LONGSHIFT_LISTEN=0.0.0.0:8088"}, "127.0.0.1:8089"},
		{[]string{"LONGSHIFT_LISTEN=[::]:0"}, "127.0.0.1:0"},
		{[]string{"LONGSHIFT_LISTEN=0.0.0.0:8088", "LONGSHIFT_HEALTH=0.0.0.0:9000"}, "0.0.0.0:9000"},
		{[]string{"LONGSHIFT_LISTEN=0.0.0.0:8088", "LONGSHIFT_HEALTH=none"}, ""},
		{[]string{"LONGSHIFT_HEALTH=127.0.0.1:9000"}, "127.0.0.1:9000"},
	} {
		cfg, err := Load(lookup(c.set...))
		if err != nil || cfg.Listen.Health != c.want {
			t.Errorf("%v: %q, %v; want %q", c.set, cfg.Listen.Health, err, c.want)
		}
		for _, v := range cfg.Describe() {
			if v.Name == "LONGSHIFT_HEALTH" && v.Value != c.want {
				t.Errorf("%v is shown as %q", c.set, v.Value)
			}
		}
	}
}

func TestAllMistakesAtOnce(t *testing.T) {
	_, err := Load(lookup("LONGSHIFT_SLOTS=x", "LONGSHIFT_ROLE=boss", "LONGSHIFT_HEARTBEAT=soon", "HOME="))
	want := "4 mistakes in the environment:\n" +
		`LONGSHIFT_SLOTS="x": not a whole number; give digits, such as 2` + "\n" +
		`LONGSHIFT_HEARTBEAT="soon": not a duration; give a number with a unit, such as 30s, 20m or 2h` + "\n" +
		"LONGSHIFT_DATA: not set, and there is no home folder; give an absolute path\n" +
		`LONGSHIFT_ROLE="boss": unknown role; give all, control, host or listen`
	if err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
}

// The configuration depends only on the given environment, not on that of the process.
func TestProcessEnvironmentIsNotRead(t *testing.T) {
	t.Setenv("LONGSHIFT_SLOTS", "9")
	t.Setenv("SLOTS", "9")
	if c, err := Load(lookup()); err != nil || c.Host.Slots != 2 {
		t.Errorf("slots %d, %v", c.Host.Slots, err)
	}
	if c, err := Load(os.LookupEnv); err != nil || c.Host.Slots != 9 {
		t.Errorf("slots %d, %v", c.Host.Slots, err)
	}
}

func TestUnknown(t *testing.T) {
	got := Unknown([]string{"LONGSHIFT_SLOT=3", "LONGSHIFT_FANCY_NEW=1", "LONGSHIFT_ROLE=all", "LONGSHIFT_GITHUB_TOKEN_FILE=x", "PATH=/bin"})
	want := map[string]string{"LONGSHIFT_SLOT": "LONGSHIFT_SLOTS", "LONGSHIFT_FANCY_NEW": ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDescribe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	c, err := Load(lookup("LONGSHIFT_SLOTS=3", "ANTHROPIC_API_KEY=sk-1", "LONGSHIFT_GITHUB_TOKEN_FILE="+file))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]Variable{}
	for _, v := range c.Describe() {
		if v.Help == "" || v.Name == "" {
			t.Errorf("%+v has no help", v)
		}
		rows[v.Name] = v
	}
	for name, want := range map[string][3]string{
		"LONGSHIFT_SLOTS":             {"3", "2", OriginEnvironment},
		"LONGSHIFT_HEARTBEAT":         {"30s", "30s", OriginDefault},
		"LONGSHIFT_DATA":              {"/home/ann/.local/share/longshift", "$XDG_DATA_HOME/longshift or ~/.local/share/longshift", OriginDefault},
		"LONGSHIFT_ANTHROPIC_KEY":     {"[hidden]", "$ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"},
		"LONGSHIFT_GITHUB_TOKEN":      {"", "$GH_TOKEN or $GITHUB_TOKEN", OriginDefault},
		"LONGSHIFT_GITHUB_TOKEN_FILE": {file, "", OriginEnvironment},
	} {
		got := [3]string{rows[name].Value, rows[name].Default, rows[name].Origin}
		if got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
