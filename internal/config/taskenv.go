package config

import (
	"strings"

	"github.com/longshift/longshift/internal/variable"
)

// TaskVariables gives the variables that LONGSHIFT_TASK_ENV hands to every program of every task. A name without a value takes the
// worker's own; one that the worker does not have is left out.
func (c Config) TaskVariables(lookup Lookup) map[string]string {
	all := map[string]string{}
	for _, entry := range strings.Fields(c.TaskEnv) {
		name, value, given := strings.Cut(entry, "=")
		if !given {
			if value, given = lookup(name); !given {
				continue
			}
		}
		all[name] = value
	}
	return all
}

// validateTaskEnv refuses what would hand a secret to tasks, or take away what holds them.
func (c *Config) validateTaskEnv() (mistakes []error) {
	for _, entry := range strings.Fields(c.TaskEnv) {
		name, _, _ := strings.Cut(entry, "=")
		switch {
		case !variable.IsName(name):
			mistakes = append(mistakes, mistake("LONGSHIFT_TASK_ENV", name, "no name of a variable; give names and NAME=value with spaces between them"))
		case variable.SaysSecret(name):
			mistakes = append(mistakes, mistake("LONGSHIFT_TASK_ENV", name, "a secret by its name, and every agent could read it; grant it in LONGSHIFT_TASK_SECRETS"))
		case variable.Reserved(name):
			mistakes = append(mistakes, mistake("LONGSHIFT_TASK_ENV", name, "set by Longshift itself; leave it out"))
		}
	}
	return mistakes
}
