package config

import (
	"path/filepath"
	"slices"

	"github.com/longshift/longshift/internal/sensitive"
)

// Layers are the parts of the sandbox that an operator may do without, by name.
func Layers() []string { return []string{"namespaces", "network", "landlock", "seccomp", "limits"} }

// CacheNone is the value of LONGSHIFT_CACHE with which tasks share nothing.
const CacheNone = "none"

var profileNames = []string{"node", "bun", "python", "ruby", "go", "rust", "php", "jvm", "dotnet", "cpp", "none"}

// validateSandbox checks what is said about commands and confinement.
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
	each("LONGSHIFT_PROFILES", &c.Profiles, func(s string) bool { return slices.Contains(profileNames, s) },
		"unknown tool chain; give node, bun, python, ruby, go, rust, php, jvm, dotnet, cpp or none")
	each("LONGSHIFT_SANDBOX_WITHOUT", &c.Without, func(s string) bool { return slices.Contains(Layers(), s) },
		"unknown layer; give namespaces, network, landlock, seccomp or limits")
	each("LONGSHIFT_READABLE", &c.Readable, func(s string) bool { return filepath.IsAbs(s) && filepath.Clean(s) != "/" },
		"not an absolute folder; give one such as /home/me/.rustup")
	_, wrong := sensitive.ParseRules(c.Sensitive)
	for _, w := range wrong {
		mistakes = append(mistakes, mistake("LONGSHIFT_SENSITIVE", w.Item, w.What))
	}
	c.Registries = tidy(c.Registries)
	if slices.Contains(c.Registries, "none") && len(c.Registries) > 1 {
		mistakes = append(mistakes, mistake("LONGSHIFT_REGISTRIES", "none", "stands beside others; give it alone"))
	}
	for _, path := range []struct{ name, value string }{{"LONGSHIFT_POLICY", c.Policy}, {"LONGSHIFT_CACHE", c.Cache}} {
		if path.value == CacheNone && path.name == "LONGSHIFT_CACHE" {
			continue
		}
		if path.value != "" && !filepath.IsAbs(path.value) {
			mistakes = append(mistakes, mistake(path.name, path.value, "not an absolute path; give one that starts with /"))
		}
	}
	if cache := filepath.Clean(c.Cache); filepath.IsAbs(c.Cache) && holds(cache, c.Data) {
		mistakes = append(mistakes, mistake("LONGSHIFT_CACHE", c.Cache, "holds the worker's own data, of which no task may have a copy; give a folder beside it"))
	}
	for _, dir := range c.Readable {
		if filepath.IsAbs(dir) && holds(c.Data, filepath.Clean(dir)) {
			mistakes = append(mistakes, mistake("LONGSHIFT_READABLE", dir, "lies in the worker's own data, which agents must not see; leave it out"))
		}
	}
	return mistakes
}

// holds tells whether a folder is the other one or lies above it.
func holds(dir, other string) bool {
	rel, err := filepath.Rel(dir, other)
	return err == nil && filepath.IsLocal(rel)
}

// SecretFiles gives the files that hold secrets.
func (c Config) SecretFiles() []string {
	var files []string
	for _, s := range c.Secrets() {
		if s.file != "" {
			files = append(files, s.file)
		}
	}
	return files
}
