package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/checkup"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/confine/sandbox"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/gateway"
	"github.com/longshift/longshift/signals"
)

// A session reaches the hosts of pages only as far as this host's operator grants them.
func TestHostsOfPages(t *testing.T) {
	cfg := load(t, "LONGSHIFT_SERVER_TOOLS=WebFetch(https://docs.example/* https://go.example/ref/*)")
	granted := gateway.Pages(cfg.Model.ServerTools)
	var hosts []string
	for _, r := range pageRules([]string{"a.docs.example", "go.example/ref/x", "go.example", "other.example"}, granted) {
		hosts = append(hosts, r.Host)
	}
	if want := []string{"a.docs.example", "go.example"}; !slices.Equal(hosts, want) {
		t.Errorf("hosts %q, want %q", hosts, want)
	}
	if got := limits(cfg).Pages; !slices.Equal(got, []string{"docs.example", "go.example/ref"}) {
		t.Errorf("limit %q", got)
	}
	for grants, want := range map[string]string{"WebFetch(*)": "", "web_search(go.dev)": "", "WebFetch(*),WebFetch(docs.example)": "docs.example"} {
		cfg := load(t, "LONGSHIFT_SERVER_TOOLS="+grants)
		if got := strings.Join(limits(cfg).Pages, " "); got != want {
			t.Errorf("%s: settings may name %q, want %q", grants, got, want)
		}
		if got := pageRules([]string{"evil.example"}, gateway.Pages(cfg.Model.ServerTools)); got != nil {
			t.Errorf("%s opens %v", grants, got)
		}
	}
}

// A program on PATH opens its folder to agents, and never a whole home or what lies around our data.
func TestWhatAgentsSeeOfAHome(t *testing.T) {
	home := bareHome(t)
	for _, dir := range []string{"bin", ".local/bin", ".local/share/longshift", "tools/node/bin", "tools/node/lib"} {
		must(t, os.MkdirAll(filepath.Join(home, dir), 0o700))
	}
	for _, file := range []string{"claude", ".local/bin/claude"} {
		must(t, os.WriteFile(filepath.Join(home, file), []byte("#!/bin/sh\n"), 0o700))
	}
	at := func(dirs ...string) (out []string) {
		for _, dir := range dirs {
			out = append(out, filepath.Join(home, dir))
		}
		return out
	}
	t.Setenv("PATH", home+":"+filepath.Join(home, ".local/share")+":"+filepath.Join(home, "tools/node/bin")+":/home/somebody:/usr/bin")
	data := "LONGSHIFT_DATA=" + filepath.Join(home, ".local/share/longshift")
	for _, c := range []struct {
		name, claude, readable string
		want                   []string
		refused                bool
	}{
		{"in a folder of its own", at(".local/bin/claude")[0], "", at(".local/bin", "tools/node/bin", "tools/node/lib"), false},
		{"in the home itself", at("claude")[0], "", at(".local/bin", "tools/node/bin", "tools/node/lib"), true},
		{"in a home that the operator opens", at("claude")[0], home, append([]string{home}, at(".local/bin", "tools/node/bin", "tools/node/lib")...), false},
	} {
		cfg := load(t, data, "LONGSHIFT_CLAUDE="+c.claude, "LONGSHIFT_READABLE="+c.readable)
		if got := readable(cfg); !slices.Equal(got, c.want) {
			t.Errorf("%s: agents see %q, want %q", c.name, got, c.want)
		}
		if err := agentsInSight(cfg); c.refused {
			wantFault(t, err, fault.Input, "LONGSHIFT_CLAUDE", "of its own")
		} else if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// An agent that its installer has put below the home is found there by a worker whose PATH no shell has set up, as sessions find it: by
// what agents see, and by checkups.
func TestAgentBesidePath(t *testing.T) {
	home := bareHome(t)
	putProgram(t, "echo 1.2.3", home, ".local/share/claude/versions/1.2.3/claude")
	must(t, os.MkdirAll(filepath.Join(home, ".local/bin"), 0o755))
	at := filepath.Join(home, ".local/bin/claude")
	must(t, os.Symlink(filepath.Join(home, ".local/share/claude/versions/1.2.3/claude"), at))
	t.Setenv("PATH", "/usr/bin:/bin")
	want := []string{filepath.Join(home, ".local/bin"), filepath.Join(home, ".local/share/claude/versions/1.2.3")}
	if got := readable(load(t)); !slices.Equal(got, want) {
		t.Errorf("agents see %q, want %q", got, want)
	}
	env := environ.Environ{Vars: []string{"PATH=/usr/bin:/bin"}}
	m := &checkup.Machine{Programs: Wiring().Programs(env), Tested: map[string]string{"claude": "1.2.3"}}
	for _, a := range m.Agents(t.Context(), load(t, "ANTHROPIC_API_KEY=key")) {
		if a.Agent == "claude" && (a.State != signals.HostOK || a.Detail != "1.2.3") {
			t.Errorf("%+v", a)
		}
	}
}

// The settings file can hold keys, and lies where the user wants.
func TestSettingsFileIsHidden(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	file := filepath.Join(home, "longshift", "config.toml")
	_, err := config.SetInFile(file, config.Setting{Name: "GH_TOKEN", Value: "ghp"})
	must(t, err)
	if list := confinement(load(t), nil).Keys(); !slices.Contains(list, file) {
		t.Errorf("%s is not among %q", file, list)
	}
}

// A key file may be written or replaced while the worker runs. What covers it is looked up at each start of a box, and is its folder where that
// holds nothing that a box could need.
func TestKeyFilesAreCoveredAsTheyAreNow(t *testing.T) {
	home, base := bareHome(t), t.TempDir()
	for _, dir := range []string{"empty", "keys/..data", "mixed", "open", "data"} {
		must(t, os.MkdirAll(filepath.Join(base, dir), 0o755))
	}
	for _, file := range []string{"keys/linear", "keys/.slack.tmp", "mixed/ca.pem"} {
		must(t, os.WriteFile(filepath.Join(base, file), nil, 0o600))
	}
	cfg := load(t, "LONGSHIFT_DATA="+filepath.Join(base, "data"), "LONGSHIFT_READABLE="+filepath.Join(base, "open"),
		"LONGSHIFT_GITHUB_TOKEN_FILE="+filepath.Join(base, "empty/github"), "LONGSHIFT_LINEAR_TOKEN_FILE="+filepath.Join(base, "keys/linear"),
		"LONGSHIFT_SLACK_BOT_TOKEN_FILE="+filepath.Join(base, "keys/slack"), "LONGSHIFT_SLACK_APP_TOKEN_FILE="+filepath.Join(base, "mixed/app"),
		"LONGSHIFT_TELEGRAM_TOKEN_FILE="+filepath.Join(base, "open/telegram"), "ANTHROPIC_API_KEY_FILE="+filepath.Join(home, "key"))
	keys := confinement(cfg, nil).Keys
	for _, c := range []struct {
		written string
		want    []string
	}{
		{"", []string{"empty", "keys", "keys/linear"}},
		{"empty/github", []string{"empty", "empty/github", "keys", "keys/linear"}},
		{"empty/other", []string{"empty/github", "keys", "keys/linear"}},
		{"mixed/app", []string{"empty/github", "keys", "keys/linear", "mixed/app"}},
		{"open/telegram", []string{"empty/github", "keys", "keys/linear", "mixed/app", "open/telegram"}},
	} {
		if c.written != "" {
			must(t, os.WriteFile(filepath.Join(base, c.written), nil, 0o600))
		}
		var got []string
		for _, path := range keys() {
			if rel, err := filepath.Rel(base, path); err == nil && filepath.IsLocal(rel) {
				got = append(got, rel)
			}
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("with %s: covers %q, want %q", c.written, got, c.want)
		}
		if slices.Contains(keys(), home) {
			t.Errorf("with %s: it covers the home", c.written)
		}
	}
}

// The operator's memory for a sandbox holds, and with it the size of /tmp.
func TestMemoryOfTheSandbox(t *testing.T) {
	bareHome(t)
	for _, c := range []struct {
		name     string
		settings []string
		want     string
	}{
		{"default", nil, "2147483648"},
		{"16 GiB", []string{"LONGSHIFT_SANDBOX_MEMORY=16384"}, "4294967296"},
	} {
		cfg := load(t, append(c.settings, "LONGSHIFT_DATA="+t.TempDir())...)
		box, err := newBox(t.Context(), cfg, slog.New(slog.DiscardHandler))
		must(t, err)
		s := process.Bash("df --block-size=1 --output=size /tmp | tail -n 1")
		s.Dir = t.TempDir()
		s.Env = []string{"PATH=/usr/bin:/bin"}
		r, err := box.Run(t.Context(), s, process.Limits{Wall: time.Minute}, sandbox.Spec{Work: s.Dir, Limits: confinement(cfg, box).Limits})
		must(t, err)
		if got := strings.TrimSpace(r.Output); got != c.want {
			t.Errorf("%s: /tmp has %s bytes, want %s", c.name, got, c.want)
		}
	}
}
