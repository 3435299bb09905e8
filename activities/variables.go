package activities

import (
	"maps"
	"slices"
	"strings"

	"github.com/longshift/longshift/task"
)

// partAgent is the part of a task that secrets are granted to, besides "setup" and "check".
const partAgent = "agent"

// Environment makes the environment variables of a task's programs, besides those that the task sets.
type Environment struct {
	CommandEnv func(Dirs) []string          // of setup and check commands, complete
	AgentEnv   func(Dirs) map[string]string // added to that of agents: identity for git, caches
	// Secrets returns what the operator grants to a part of the repository's tasks: "setup", "check" or "agent". It may be nil.
	Secrets func(r task.Repository, part string) (map[string]string, error)
}

// granted returns the operator's secrets for a part of the repository's tasks.
func (e Environment) granted(of task.Repository, part string) (map[string]string, error) {
	if e.Secrets == nil {
		return nil, nil
	}
	return e.Secrets(of, part)
}

// forCommand returns the environment of the setup or the check command. Variables that the task sets replace those of every command, and
// the operator's secrets replace both.
func (e Environment) forCommand(of task.Repository, d Dirs, kind string, own map[string]string) ([]string, error) {
	secrets, err := e.granted(of, kind)
	return withVariables(withVariables(e.CommandEnv(d), own), secrets), err
}

// forAgent returns the environment of an agent, and that of its commands alone. Variables that the task sets are only in the second: an
// agent obeys many variables, and a repository must not set those.
func (e Environment) forAgent(of task.Repository, d Dirs, own map[string]string) (process, commands map[string]string, err error) {
	secrets, err := e.granted(of, partAgent)
	process, commands = map[string]string{}, maps.Clone(own)
	maps.Copy(process, e.AgentEnv(d))
	maps.Copy(process, secrets)
	for name := range secrets {
		delete(commands, name)
	}
	return process, commands, err
}

// withVariables sets variables in a list of NAME=value, each only once: programs differ in which of two they take.
func withVariables(list []string, more map[string]string) []string {
	list = slices.DeleteFunc(slices.Clone(list), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		_, replaced := more[name]
		return replaced
	})
	for _, name := range slices.Sorted(maps.Keys(more)) {
		list = append(list, name+"="+more[name])
	}
	return list
}

func lacking(names []string, all ...map[string]string) (missing []string) {
	for _, name := range names {
		if !slices.ContainsFunc(all, func(env map[string]string) bool { _, has := env[name]; return has }) {
			missing = append(missing, name)
		}
	}
	return missing
}

// lacks returns the names of variables that a task needs and that neither it nor the host sets.
func (e Environment) lacks(of task.Repository, s task.Settings) ([]string, error) {
	if len(s.NeedsEnv) == 0 {
		return nil, nil
	}
	commands := map[string]string{}
	for _, entry := range e.CommandEnv(Dirs{}) {
		name, value, _ := strings.Cut(entry, "=")
		commands[name] = value
	}
	all := []map[string]string{s.Env, e.AgentEnv(Dirs{}), commands}
	for _, part := range []string{"setup", "check", partAgent} {
		secrets, err := e.granted(of, part)
		if err != nil {
			return nil, err
		}
		all = append(all, secrets)
	}
	return lacking(s.NeedsEnv, all...), nil
}
