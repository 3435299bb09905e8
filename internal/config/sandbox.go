package config

import (
	"path/filepath"
	"slices"

	"github.com/longshift/longshift/internal/repo/sensitive"
)

// Commands is what agents may run, see and change.
type Commands struct {
	Policy      string   `envconfig:"LONGSHIFT_POLICY" help:"file with the operator's rules for commands (YAML: allow, ask, deny)"`
	Profiles    []string `envconfig:"LONGSHIFT_PROFILES" default:"node,bun,python,ruby,go,rust,php" help:"tool chains that agents may use (comma list; also: jvm, dotnet, cpp)"`
	WriteOff    bool     `envconfig:"LONGSHIFT_WRITE_OFF" default:"false" help:"true: no agent and no command of a project may write to a workspace (a switch for when something is wrong)"`
	Destructive bool     `envconfig:"LONGSHIFT_DESTRUCTIVE" default:"false" help:"true: a repository or a task may let agents remove and move files"`
	Readable    []string `envconfig:"LONGSHIFT_READABLE" help:"folders that agents see although they lie in a hidden one (comma list), such as a tool chain in the home folder"`
	Sensitive   string   `envconfig:"LONGSHIFT_SENSITIVE" shown:"ci=ask, all else name" help:"what is done about changes that deserve a second look (comma list of kind=allow, name, ask or refuse; kinds: all, ci, hooks, agents, install, registries, locks, submodules, links, executables, binaries, names, settings, owners, tests)"`
}

// Sandbox is how programs of tasks are confined, and which registries they reach.
type Sandbox struct {
	Registries []string `envconfig:"LONGSHIFT_REGISTRIES" default:"default" help:"package registries that agents reach (comma list: default, none, hosts such as *.example.com:8443, \"host internal\" for one in the own network)"`
	Proxy      Secret   `envconfig:"LONGSHIFT_EGRESS_PROXY" fallback:"HTTPS_PROXY" help:"proxy through which the registries are reached"`
	Upload     int      `envconfig:"LONGSHIFT_EGRESS_UPLOAD" default:"10" help:"most that one agent session, or all runs of setup or of check of one task, may send to the registries (MiB, 0 = no limit)"`
	Bubblewrap string   `envconfig:"LONGSHIFT_BUBBLEWRAP" default:"bwrap" help:"the bubblewrap binary of the sandbox (path, or a name on PATH)"`
	Without    []string `envconfig:"LONGSHIFT_SANDBOX_WITHOUT" help:"layers that the sandbox runs without, each one a risk (comma list: namespaces, network, landlock, seccomp, limits)"`
}

// Layers returns the names of the layers of the sandbox, each of which an operator may disable.
func Layers() []string { return []string{"namespaces", "network", "landlock", "seccomp", "limits"} }

// CacheNone is the value of LONGSHIFT_CACHE for tasks that share no caches.
const CacheNone = "none"

var profileNames = []string{"node", "bun", "python", "ruby", "go", "rust", "php", "jvm", "dotnet", "cpp", "none"}

// validateSandbox checks policy, confinement and caches.
func (c *Config) validateSandbox() []error {
	var mistakes []error
	each := func(name string, list *[]string, ok func(string) bool, what string) {
		*list = tidy(*list)
		for _, item := range *list {
			if !ok(item) {
				mistakes = append(mistakes, mistake(name, item, what))
			}
		}
	}
	each("LONGSHIFT_PROFILES", &c.Commands.Profiles, func(s string) bool { return slices.Contains(profileNames, s) },
		"unknown tool chain; give node, bun, python, ruby, go, rust, php, jvm, dotnet, cpp or none")
	each("LONGSHIFT_SANDBOX_WITHOUT", &c.Sandbox.Without, func(s string) bool { return slices.Contains(Layers(), s) },
		"unknown layer; give namespaces, network, landlock, seccomp or limits")
	each("LONGSHIFT_READABLE", &c.Commands.Readable, func(s string) bool { return filepath.IsAbs(s) && filepath.Clean(s) != "/" },
		"not an absolute folder; give one such as /home/me/.rustup")
	_, wrong := sensitive.ParseRules(c.Commands.Sensitive)
	for _, w := range wrong {
		mistakes = append(mistakes, mistake("LONGSHIFT_SENSITIVE", w.Item, w.What))
	}
	c.Sandbox.Registries = tidy(c.Sandbox.Registries)
	if slices.Contains(c.Sandbox.Registries, "none") && len(c.Sandbox.Registries) > 1 {
		mistakes = append(mistakes, mistake("LONGSHIFT_REGISTRIES", "none", "stands beside others; give it alone"))
	}
	for _, path := range []struct{ name, value string }{{"LONGSHIFT_POLICY", c.Commands.Policy}, {"LONGSHIFT_CACHE", c.Tasks.Cache}} {
		if path.value == CacheNone && path.name == "LONGSHIFT_CACHE" {
			continue
		}
		if path.value != "" && !filepath.IsAbs(path.value) {
			mistakes = append(mistakes, mistake(path.name, path.value, "not an absolute path; give one that starts with /"))
		}
	}
	if cache := filepath.Clean(c.Tasks.Cache); filepath.IsAbs(c.Tasks.Cache) && holds(cache, c.Data) {
		mistakes = append(mistakes, mistake("LONGSHIFT_CACHE", c.Tasks.Cache,
			"holds the worker's own data, of which no task may have a copy; give a folder beside it"))
	}
	for _, dir := range c.Commands.Readable {
		if filepath.IsAbs(dir) && holds(c.Data, filepath.Clean(dir)) {
			mistakes = append(mistakes, mistake("LONGSHIFT_READABLE", dir,
				"lies in the worker's own data, which agents must not see; leave it out"))
		}
	}
	return mistakes
}

// holds tells whether dir is the other folder, or contains it.
func holds(dir, other string) bool {
	rel, err := filepath.Rel(dir, other)
	return err == nil && filepath.IsLocal(rel)
}

// SecretFiles returns the files that hold secrets.
func (c Config) SecretFiles() []string {
	var files []string
	for _, s := range c.Secrets() {
		if s.file != "" {
			files = append(files, s.file)
		}
	}
	return files
}
