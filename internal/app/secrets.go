package app

import (
	"path"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/task"
)

// taskSecrets returns the secrets that the operator grants to a repository's tasks, read at each use. A secret that the worker does not
// have is left out; the task's needsEnv decides whether it can work without.
func taskSecrets(cfg config.Config) func(task.Repository, string) (map[string]string, error) {
	return func(r task.Repository, part string) (map[string]string, error) {
		given := map[string]string{}
		for _, g := range cfg.Grants() {
			if !g.Present() || !slices.Contains(g.Parts, part) || !grantedTo(cfg, g.Repository, r) {
				continue
			}
			value, err := g.Read()
			if err != nil {
				return nil, err
			}
			given[g.Name] = value
		}
		return given, nil
	}
}

// grantedTo reports whether a grant's pattern matches a repository. A repository with an unencrypted URL matches none, because its
// content can be forged on the way.
func grantedTo(cfg config.Config, pattern string, r task.Repository) bool {
	if inTheOpen(cfg, r) {
		return false
	}
	switch {
	case pattern == "*":
		return true
	case path.IsAbs(pattern) != (r.Path != ""):
		return false
	case r.Path != "":
		matches, _ := path.Match(path.Clean(pattern), r.Path) // the pattern was validated when it was read
		return matches
	}
	name := r.Owner + "/" + r.Name
	names := []string{r.Host + "/" + name}
	if isGitHub(cfg, r) {
		names = []string{name, cfg.GitHub.Host() + "/" + name}
	}
	return slices.ContainsFunc(names, func(name string) bool {
		matches, _ := path.Match(strings.ToLower(pattern), strings.ToLower(name))
		return matches
	})
}
