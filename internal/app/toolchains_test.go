package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/checkup"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/confine/egress"
	"github.com/longshift/longshift/internal/repo/toolcache"
	"github.com/longshift/longshift/task"
)

// bareHome gives the test a home without tool chains, and no variable that names one.
func bareHome(t *testing.T) string {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	t.Setenv("HOME", home)
	for name := range toolHomes {
		t.Setenv(name, "")
	}
	for _, name := range slices.Concat(toolFolders, toolChoices, []string{"GOTOOLCHAIN"}) {
		t.Setenv(name, "")
	}
	return home
}

// program writes a shell script.
func putProgram(t *testing.T, text string, parts ...string) {
	t.Helper()
	file := filepath.Join(parts...)
	must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	must(t, os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o755))
}

// What somebody has installed for themselves is found in the real box, though their home is hidden there and the worker's PATH has
// never heard of it: each program here finds itself the way its tool chain does.
func TestToolChainsOfAHome(t *testing.T) {
	home := bareHome(t)
	t.Setenv("PATH", filepath.Join(home, ".pyenv/shims")+":/usr/local/bin:/usr/bin:/bin") // as somebody has who has one of them in the profile
	putProgram(t, `exec "${RUSTUP_HOME:-$HOME/.rustup}/toolchains/stable/bin/cargo" "$@"`, home, ".cargo/bin/cargo")
	putProgram(t, "echo cargo 1.95.0", home, ".rustup/toolchains/stable/bin/cargo")
	putProgram(t, `exec "${PYENV_ROOT:-$HOME/.pyenv}/versions/3.11/bin/python3" "$@"`, home, ".pyenv/shims/python3")
	putProgram(t, "echo Python 3.11.7", home, ".pyenv/versions/3.11/bin/python3")
	putProgram(t, "echo v18.0.0", home, ".nvm/versions/node/v18.0.0/bin/node")
	putProgram(t, "echo v20.0.0", home, ".nvm/versions/node/v20.0.0/bin/node")
	putProgram(t, `exec asdf exec ruby "$@"`, home, ".asdf/shims/ruby")
	putProgram(t, asdfExec, home, ".asdf/bin/asdf")
	putProgram(t, "echo ruby 3.3.0", home, ".asdf/installs/ruby/3.3.0/bin/ruby")
	putProgram(t, "echo 2.1.0", home, ".deno/bin/deno")
	must(t, os.WriteFile(filepath.Join(home, ".tool-versions"), []byte("# mine\nruby 3.3.0 # stable\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(home, ".netrc"), []byte("secret"), 0o600))
	must(t, os.WriteFile(filepath.Join(home, ".cargo/credentials.toml"), []byte("secret"), 0o600))
	cfg := load(t, "LONGSHIFT_DATA="+filepath.Join(home, ".local/share/longshift"))
	must(t, os.MkdirAll(cfg.Data, 0o700))
	tools, err := tryWork(t.Context(), cfg)
	must(t, err)
	got := map[string]string{}
	for _, tool := range tools {
		got[tool.Name] = tool.Detail
		if !tool.Works {
			t.Errorf("%s does not work: %s", tool.Name, tool.Detail)
		}
	}
	for name, want := range map[string]string{"cargo": "cargo 1.95.0", "python3": "Python 3.11.7", "ruby": "ruby 3.3.0", "deno": "2.1.0"} {
		if got[name] != want {
			t.Errorf("%s says %q, want %q", name, got[name], want)
		}
	}
	if path := taskPath(); strings.Index(path, "v20.0.0") > strings.Index(path, "v18.0.0") {
		t.Errorf("the older node comes first: %s", path)
	}
	for _, dir := range readable(cfg) {
		if dir == home || dir == filepath.Join(home, ".cargo") {
			t.Errorf("%s is shown, and with it what is secret there", dir)
		}
	}
}

// A scenario's commands find the tool chains that checks find.
func TestScenarioFindsToolChainsOfAHome(t *testing.T) {
	home := bareHome(t)
	t.Setenv("PATH", "/usr/local/bin:/usr/bin:/bin")
	putProgram(t, "echo cargo 1.95.0", home, ".cargo/bin/cargo")
	agents, end := newAgents(load(t, "LONGSHIFT_SCENARIO=/dev/null"), slog.New(slog.DiscardHandler))
	defer end()
	s := agent.Session{ID: "scenario-finds-cargo", Role: task.Implementer, Dir: t.TempDir(), StateDir: t.TempDir(),
		Scenario: `{"sessions": [{"steps": [{"run": "cargo > found.txt"}]}]}`, Prompt: "# Task\n"}
	s.Permit = agenttest.Inside(s)
	_, err := agents["script"].Run(t.Context(), s, func(agent.Event) {})
	must(t, err)
	if got, _ := os.ReadFile(filepath.Join(s.Dir, "found.txt")); string(got) != "cargo 1.95.0\n" {
		t.Errorf("the command wrote %q", got)
	}
}

// What the operator says of a host wins over what we say of it, wherever it stands in the list.
func TestOperatorsRegistriesComeFirst(t *testing.T) {
	for _, list := range []string{"default,registry.npmjs.org internal", "registry.npmjs.org internal,default"} {
		rules, err := egressRules(load(t, "LONGSHIFT_REGISTRIES="+list))
		must(t, err)
		i := slices.IndexFunc(rules, func(r egress.Rule) bool { return r.Host == "registry.npmjs.org" })
		if i < 0 || !rules[i].Internal || len(rules) != len(egress.Defaults())+1 {
			t.Errorf("%s: %d rules, the first for it %+v", list, len(rules), rules[i])
		}
	}
}

// Caches of tasks lie where tasks may write, whatever the worker's user has set.
func TestToolVariablesDoNotMoveCaches(t *testing.T) {
	bareHome(t)
	t.Setenv("LONGSHIFT_TASK_ENV", "GOPRIVATE=git.acme.com/*")
	cfg, err := config.Load(os.LookupEnv)
	must(t, err)
	env := agentEnv(cfg)(activities.Dirs{Cache: "/srv/cache"})
	if env["GOPRIVATE"] != "git.acme.com/*" {
		t.Errorf("the operator's own variable is missing: %q", env["GOPRIVATE"])
	}
	for name := range toolcache.Variables {
		if !strings.HasPrefix(env[name], "/srv/cache/") {
			t.Errorf("%s=%s", name, env[name])
		}
	}
}

// What lies in a folder that every box has for itself is shown all the same when a worker needs it: the agent's binary in a clone there.
func TestProgramsInPrivateFolders(t *testing.T) {
	bareHome(t)
	dir, err := os.MkdirTemp("/var/tmp", "longshift-test-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	putProgram(t, "echo 9.9.9", dir, "bin/deno")
	putProgram(t, "true", dir, "agents/claude")
	t.Setenv("PATH", filepath.Join(dir, "bin")+":/usr/bin:/bin")
	cfg := load(t, "LONGSHIFT_DATA="+t.TempDir(), "LONGSHIFT_CLAUDE="+filepath.Join(dir, "agents/claude"))
	if list := readable(cfg); !slices.Contains(list, filepath.Join(dir, "agents")) {
		t.Errorf("the agent's binary is not shown: %q", list)
	}
	tools, err := tryWork(t.Context(), cfg)
	must(t, err)
	if !slices.ContainsFunc(tools, func(tool checkup.Tool) bool { return tool.Name == "deno" && tool.Detail == "9.9.9" }) {
		t.Errorf("a program on PATH is not found: %+v", tools)
	}
}

// bun and Ruby's tools keep what they install where tasks may write: a folder of the user's tool chain is only to be read.
func TestPackagesLieInTheCaches(t *testing.T) {
	home := bareHome(t)
	putProgram(t, "true", home, ".bun/bin/bun")
	cfg, err := config.Load(os.LookupEnv)
	must(t, err)
	env := agentEnv(cfg)(activities.Dirs{Cache: "/srv/cache"})
	for name, want := range map[string]string{"BUN_INSTALL": home + "/.bun", "BUN_INSTALL_CACHE_DIR": "/srv/cache/bun", "GEM_HOME": "/srv/cache/gems"} {
		if env[name] != want {
			t.Errorf("%s=%s, want %s", name, env[name], want)
		}
	}
}

// Programs of a package manager that are links into its own folders are found in the real box, and one that leads to another hidden place is
// reported.
func TestLinkedPrograms(t *testing.T) {
	home := bareHome(t)
	link := func(target, name string) {
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must(t, os.Symlink(target, name))
	}
	brew := filepath.Join(home, "brew/.linuxbrew")
	t.Setenv("PATH", filepath.Join(brew, "bin")+":/usr/local/bin:/usr/bin:/bin")
	putProgram(t, "true", home, ".local/share/pypoetry/venv/bin/poetry")
	link("../share/pypoetry/venv/bin/poetry", filepath.Join(home, ".local/bin/poetry"))
	putProgram(t, "true", home, ".local/share/pdm/venv/bin/pdm")
	link("../share/pdm/venv/bin/pdm", filepath.Join(home, ".local/bin/pdm"))
	putProgram(t, "echo 2.1.0", brew, "Cellar/deno/2.1.0/bin/deno")
	link("../Cellar/deno/2.1.0/bin/deno", filepath.Join(brew, "bin/deno"))
	putProgram(t, "true", home, "own/just/just")
	link("../../own/just/just", filepath.Join(home, ".local/bin/just"))
	cfg := load(t, "LONGSHIFT_DATA="+filepath.Join(home, ".local/share/longshift"))
	must(t, os.MkdirAll(cfg.Data, 0o700))
	tools, err := tryWork(t.Context(), cfg)
	must(t, err)
	var fails []string
	found := false
	for _, tool := range tools {
		found = found || tool.Name == "deno" && tool.Detail == "2.1.0"
		if !tool.Works {
			fails = append(fails, tool.Name+": "+tool.Detail)
		}
	}
	if want := "just: tasks can't see " + filepath.Join(home, "own/just/just"); !found || len(fails) != 1 || fails[0] != want {
		t.Errorf("deno is found: %t; what fails: %q, want %q", found, fails, want)
	}
}
