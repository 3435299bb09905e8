package activities

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
)

// partAgent is what secrets are granted to beside the setup and the check command.
const partAgent = "agent"

// granted gives the secrets of the operator for a part of the repository's tasks.
func (h *Host) granted(of task.Repository, part string) (map[string]string, error) {
	if h.Secrets == nil {
		return nil, nil
	}
	return h.Secrets(of, part)
}

// commandEnv is the environment of the setup or the check command. What the task sets itself wins over what every command has; what
// the operator grants wins over both.
func (h *Host) commandEnv(of task.Repository, d Dirs, kind string, own map[string]string) ([]string, error) {
	secrets, err := h.granted(of, kind)
	return withVariables(withVariables(h.CommandEnv(d), own), secrets), err
}

// agentEnv is the environment of an agent, and that of its commands alone. What the task sets itself is in the second: an agent obeys
// many variables, and a repository must not be the one that sets them.
func (h *Host) agentEnv(of task.Repository, d Dirs, own map[string]string) (process, commands map[string]string, err error) {
	secrets, err := h.granted(of, partAgent)
	process, commands = map[string]string{}, maps.Clone(own)
	maps.Copy(process, h.AgentEnv(d))
	maps.Copy(process, secrets)
	for name := range secrets {
		delete(commands, name)
	}
	return process, commands, err
}

// withVariables sets variables in a list of NAME=value, each once: which of two a program takes is its own choice.
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

// lacking gives those of the names that stand in no environment.
func lacking(names []string, all ...map[string]string) (missing []string) {
	for _, name := range names {
		if !slices.ContainsFunc(all, func(env map[string]string) bool { _, has := env[name]; return has }) {
			missing = append(missing, name)
		}
	}
	return missing
}

// needs refuses a task that needs variables which nobody gives, before anything is spent on it. One that is under way goes on: its
// commands fail for want of them, and their output says so.
func (h *Host) needs(ctx context.Context, in PrepareInput, s task.Settings) error {
	if len(s.NeedsEnv) == 0 {
		return nil
	}
	all := []map[string]string{s.Env, h.AgentEnv(Dirs{}), {}}
	for _, entry := range h.CommandEnv(Dirs{}) {
		name, value, _ := strings.Cut(entry, "=")
		all[2][name] = value
	}
	for _, part := range []string{"setup", "check", partAgent} {
		secrets, err := h.granted(in.Repository, part)
		if err != nil {
			return err
		}
		all = append(all, secrets)
	}
	missing := strings.Join(lacking(s.NeedsEnv, all...), ", ")
	if missing == "" {
		return nil
	}
	if in.Branch == "" {
		return fault.New(fault.Input, "needsEnv: %s: host %s gives no such variable to tasks of %s", missing, h.ID, in.Repository.Text).
			WithHint("start its worker with LONGSHIFT_TASK_SECRETS=NAME@%s and the value in NAME, or with LONGSHIFT_TASK_ENV for what is no secret; or take it out of needsEnv", in.Repository.Text)
	}
	h.Log.WarnContext(ctx, "A task goes on without variables that it needs", "task", in.TaskID, "variables", missing)
	return nil
}
