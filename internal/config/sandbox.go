package config

import (
	"path/filepath"
	"slices"

	"github.com/longshift/longshift/internal/repo/sensitive"
)

// Commands is what agents may run, see and change.
type Commands struct {
	Policy      string   `envconfig:"LONGSHIFT_POLICY"`
	Profiles    []string `envconfig:"LONGSHIFT_PROFILES" default:"node,bun,python,ruby,go,rust,php"`
	WriteOff    bool     `envconfig:"LONGSHIFT_WRITE_OFF" default:"false"`
	Destructive bool     `envconfig:"LONGSHIFT_DESTRUCTIVE" default:"false"`
	Allow       bool     `envconfig:"LONGSHIFT_SETTINGS_ALLOW" default:"false"`
	Readable    []string `envconfig:"LONGSHIFT_READABLE"`
	Sensitive   string   `envconfig:"LONGSHIFT_SENSITIVE" shown:"ci=ask, all else name"`
}

// Sandbox is how programs of tasks are confined, and which registries they reach.
type Sandbox struct {
	Registries []string `envconfig:"LONGSHIFT_REGISTRIES" default:"default"`
	Proxy      Secret   `envconfig:"LONGSHIFT_EGRESS_PROXY" fallback:"HTTPS_PROXY"`
	Upload     int      `envconfig:"LONGSHIFT_EGRESS_UPLOAD" default:"10"`
	Memory     int      `envconfig:"LONGSHIFT_SANDBOX_MEMORY" default:"8192"`
	Bubblewrap string   `envconfig:"LONGSHIFT_BUBBLEWRAP" default:"bwrap"`
	Without    []string `envconfig:"LONGSHIFT_SANDBOX_WITHOUT"`
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
		mistakes = append(mistakes, mistake("LONGSHIFT_REGISTRIES", "none", "is given with others; give it alone"))
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

func (c Config) SecretFiles() []string {
	var files []string
	for _, s := range c.Secrets() {
		if s.file != "" {
			files = append(files, s.file)
		}
	}
	return files
}
