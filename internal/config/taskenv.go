package config

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/fault"
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

// The parts of a task that a secret can be granted to.
const (
	PartSetup = "setup"
	PartCheck = "check"
	PartAgent = "agent"
)

const (
	leastSecret = 8  // bytes; shorter values can't be told from ordinary text, and so can't be redacted
	mostGrants  = 32 // the redactor holds a limited number of values
	grantForm   = "give NAME@repository, or NAME:setup,check@repository"
)

// Grant is a secret that the operator gives to tasks of some repositories, for some of their parts.
type Grant struct {
	Name       string   // of the variable, in the worker's environment and in the task's
	Parts      []string // of PartSetup, PartCheck and PartAgent
	Repository string   // a pattern: owner/name, host/owner/name, an absolute path, or * for all

	secret *Secret
}

// Grants returns the grants of LONGSHIFT_TASK_SECRETS.
func (c Config) Grants() []Grant { return slices.Clone(c.grants) }

// Present tells whether the worker has the secret. A file may still turn out to be missing when it is read.
func (g Grant) Present() bool { return g.secret.Present() }

// Read returns the value. The error, a fault.Denied, names the variable and never contains the value.
func (g Grant) Read() (string, error) {
	value, err := g.secret.Read()
	switch {
	case err != nil:
		return "", err
	case value == "":
		return "", fault.New(fault.Denied, "LONGSHIFT_TASK_SECRETS grants %s, which this worker does not have", g.Name).
			WithHint("start the worker with %s, or with %s_FILE and the path of a file that holds it", g.Name, g.Name)
	case len(value) < leastSecret:
		return "", fault.New(fault.Denied, "%s is too short to be hidden from logs", g.secret.Source()).
			WithHint("give a secret of %d characters or more", leastSecret)
	}
	return value, nil
}

// loadGrants parses LONGSHIFT_TASK_SECRETS and loads each secret once, although a name may occur in several grants.
func (c *Config) loadGrants(lookup Lookup) (mistakes []error) {
	own := c.Secrets()
	secrets := map[string]*Secret{}
	for entry := range strings.FieldsSeq(c.Tasks.Secrets) {
		g, what := parseGrant(entry)
		what = cmp.Or(what, c.conflict(g.Name, own))
		if what != "" {
			mistakes = append(mistakes, mistake("LONGSHIFT_TASK_SECRETS", g.Name, what))
			continue
		}
		if secrets[g.Name] == nil {
			secrets[g.Name] = &Secret{}
			if err := secrets[g.Name].load(g.Name, nil, lookup); err != nil {
				mistakes = append(mistakes, err)
			}
		}
		g.secret = secrets[g.Name]
		c.grants = append(c.grants, g)
	}
	if len(secrets) > mostGrants {
		mistakes = append(mistakes, mistake("LONGSHIFT_TASK_SECRETS", "", "names more secrets than can be hidden; give at most 32"))
	}
	return mistakes
}

// parseGrant parses NAME[:parts]@repository; what says what is wrong with it. A message repeats only the name of a wrong entry, because
// the rest may be the secret itself.
func parseGrant(entry string) (g Grant, what string) {
	left, repository, found := strings.Cut(entry, "@")
	name, parts, some := strings.Cut(left, ":")
	g = Grant{Name: name, Parts: []string{PartSetup, PartCheck}, Repository: repository}
	if some {
		g.Parts = tidy(strings.Split(parts, ","))
	}
	wrongPart := func(p string) bool { return p != PartSetup && p != PartCheck && p != PartAgent }
	switch _, err := path.Match(repository, ""); {
	case strings.Contains(left, "="):
		g.Name, _, _ = strings.Cut(name, "=")
		return g, "holds a value; " + grantForm + ", and the value in a variable of that name"
	case !variable.IsName(name):
		g.Name = ""
		return g, "an entry has no name of a variable; " + grantForm
	case variable.Reserved(name):
		return g, "set by Longshift itself; leave it out"
	case strings.HasPrefix(name, "ANTHROPIC_") || strings.HasPrefix(name, "CLAUDE_"):
		return g, "the agent's own settings go by such names; leave it out"
	case !found || err != nil || repository != "*" && !filepath.IsAbs(repository) && !strings.Contains(strings.Trim(repository, "/"), "/"):
		return g, "names no repository; give owner/name, owner/*, host/owner/name, an absolute path, or * for all, after an @"
	case len(g.Parts) == 0 || slices.ContainsFunc(g.Parts, wrongPart):
		return g, "is for no part of a task that there is; give setup, check or agent after the colon"
	}
	return g, ""
}

// conflict says why a name can't be granted besides the other settings, or "".
func (c *Config) conflict(name string, own []*Secret) string {
	for entry := range strings.FieldsSeq(c.Tasks.Env) {
		if given, _, _ := strings.Cut(entry, "="); given == name {
			return "is in LONGSHIFT_TASK_ENV too, which gives it to every task; leave it out there"
		}
	}
	if slices.ContainsFunc(own, func(s *Secret) bool { return s.source == name }) {
		return "is the key that the worker itself uses, which no task gets; give the worker its own as a LONGSHIFT_ variable"
	}
	return ""
}
