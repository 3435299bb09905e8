package config

import (
	"strings"

	"github.com/longshift/longshift/internal/variable"
)

// Tasks is what this worker hands to its tasks: variables, secrets and caches.
type Tasks struct {
	Env     string `envconfig:"LONGSHIFT_TASK_ENV"`
	Secrets string `envconfig:"LONGSHIFT_TASK_SECRETS"`
	Cache   string `envconfig:"LONGSHIFT_CACHE"`
}

// Variables returns the variables that LONGSHIFT_TASK_ENV sets for every program of every task. A name without a value takes the
// worker's own value, and is left out when the worker has none.
func (t Tasks) Variables(lookup Lookup) map[string]string {
	all := map[string]string{}
	for entry := range strings.FieldsSeq(t.Env) {
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

// validate refuses variables that would give tasks a secret, and those that Longshift sets itself.
func (t Tasks) validate() (mistakes []error) {
	for entry := range strings.FieldsSeq(t.Env) {
		name, _, _ := strings.Cut(entry, "=")
		switch {
		case !variable.IsName(name):
			mistakes = append(mistakes, mistake("LONGSHIFT_TASK_ENV", name,
				"no name of a variable; give names and NAME=value with spaces between them"))
		case variable.SaysSecret(name):
			mistakes = append(mistakes, mistake("LONGSHIFT_TASK_ENV", name,
				"a secret by its name, and every agent could read it; grant it in LONGSHIFT_TASK_SECRETS"))
		case variable.Reserved(name):
			mistakes = append(mistakes, mistake("LONGSHIFT_TASK_ENV", name, "set by Longshift itself; leave it out"))
		}
	}
	return mistakes
}
