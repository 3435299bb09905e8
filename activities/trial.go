package activities

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/confine/process/guard"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/toolcache"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/task"
)

// Tool is a tool chain of this host, and whether it works in the sandbox.
type Tool struct {
	Name   string
	Works  bool
	Detail string // its version, or its output when it fails; where it lies when tasks can't see it
}

// toolQuestions ask each tool chain for its version, for which it has to find its own installation. npm is found with node, and would take
// longer than all the others.
var toolQuestions = [][]string{
	{"go", "env", "GOVERSION"}, {"node", "--version"}, {"bun", "--version"}, {"deno", "--version"},
	{"python3", "--version"}, {"uv", "--version"}, {"cargo", "--version"}, {"cc", "--version"}, {"java", "-version"},
	{"ruby", "--version"}, {"php", "--version"}, {"dotnet", "--version"},
}

// packageManagers are only looked for: some take seconds to tell their version.
var packageManagers = []string{
	"npm", "pnpm", "yarn", "pip3", "poetry", "pdm", "pipenv", "bundle", "composer", "mvn", "gradle", "mix", "make", "just",
}

// ordinaryWork does what the commands of every project rely on. It ends at the first line that fails.
const ordinaryWork = `set -e
echo lost > /dev/null
head -c 1 /dev/urandom > /dev/null
git status --short
echo trial > trial.txt
git add trial.txt
git commit --quiet --message trial
test "$(git log -1 --format=%s)" = trial
set +e
`

const trialWithin = 30 * time.Second

// TrialConfig is the part of a host's configuration that a trial tries.
type TrialConfig struct {
	ID         string
	Data       string
	Confine    Confinement
	CommandEnv func(Dirs) []string
	Log        *slog.Logger
}

// TrialsIn is how the paths of the folders of trials begin. Such a folder lasts a minute, unless the process is killed.
func TrialsIn(data string) string { return filepath.Join(data, "trial-") }

// Trial runs ordinary work in a workspace and a box as tasks get them, and asks the tool chains of this host for their versions there. An
// error means that no task could work. A tool chain that fails is only reported, because tasks may need others.
func Trial(ctx context.Context, c TrialConfig) ([]Tool, error) {
	dir, err := os.MkdirTemp(filepath.Split(TrialsIn(c.Data)))
	if err != nil {
		return nil, fault.New(fault.Infra, "try the sandbox: %w", err).WithHint("set LONGSHIFT_DATA to a folder that you can write to")
	}
	defer os.RemoveAll(dir)
	where, err := emptyWorkspace(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("try the sandbox: %w", err)
	}
	defer where.Close()
	script := ordinaryWork
	for _, q := range toolQuestions {
		script += fmt.Sprintf("command -v %s >/dev/null && "+
			"{ out=$(timeout 10 %s 2>&1 </dev/null); echo \"%s $? $(head -n 1 <<<\"$out\")\"; } &\n",
			q[0], strings.Join(q, " "), q[0])
	}
	script += "for name in " + strings.Join(packageManagers, " ") + "; do command -v $name >/dev/null && echo $name 0 found; done\n"
	spec := process.Bash(script + "wait")
	spec.Dir, spec.Session, spec.Grace = where.Dir(), filepath.Base(dir), -1
	// Without the operator's policy: the trial is about the machine, not about permissions.
	caches := toolcache.New(toolcache.Config{Dir: filepath.Join(dir, "caches"), Log: c.Log})
	boxes := &boxes{host: c.ID, data: dir, confine: c.Confine, caches: caches}
	runner := commandRunner{boxes: boxes, env: Environment{CommandEnv: c.CommandEnv}, commands: &commandLog{}}
	res, err := runner.run(ctx, CommandInput{Ref: trialRef, Wall: trialWithin}, where, spec, "trial")
	if err != nil {
		return nil, fmt.Errorf("try the sandbox: %w", err)
	}
	if !res.Success() {
		return nil, fault.New(fault.Infra, "ordinary work fails in the sandbox of this machine (%s): %s", res.Exit, lastLine(res.Output)).
			WithHint("`longshift doctor` shows what the sandbox is made of; report this with its output")
	}
	seen := toolsSeen(res.Output)
	return append(seen.tools(), seen.lacking(c.CommandEnv(Dirs{}))...), nil
}

var trialRef = Ref{TaskID: "trial", Fence: 1}

// emptyWorkspace makes a repository without commits and a workspace of it, both below dir.
func emptyWorkspace(ctx context.Context, dir string) (*workspace.Tree, error) {
	remote := filepath.Join(dir, "repository.git")
	err := errors.Join(os.MkdirAll(filepath.Join(remote, "objects"), 0o700), os.MkdirAll(filepath.Join(remote, "refs"), 0o700),
		os.WriteFile(filepath.Join(remote, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
	if err != nil {
		return nil, err
	}
	m, err := workspace.New(workspace.Config{Dir: dir, Author: workspace.Person{Name: "Longshift", Email: "trial@localhost"},
		RemoteURL: func(task.Repository) (string, error) { return remote, nil }})
	if err != nil {
		return nil, err
	}
	if _, err = m.Prepare(ctx, workspace.Spec{TaskID: trialRef.TaskID, Fence: trialRef.Fence, Branch: "trial",
		Repository: task.Repository{Text: remote, Path: remote}}); err != nil {
		return nil, err
	}
	return m.Open(ctx, trialRef.TaskID, trialRef.Fence)
}

// seenTools are the tools that a trial has found, by name.
type seenTools map[string]Tool

// toolsSeen reads lines with a name, an exit code and the output of a tool, which may say nothing.
func toolsSeen(output string) seenTools {
	said := seenTools{}
	for line := range strings.Lines(output) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if code, detail, _ := strings.Cut(rest, " "); code != "" {
			said[name] = Tool{Name: name, Works: code == "0", Detail: cmp.Or(detail, "says nothing (exit "+code+")")}
		}
	}
	return said
}

// tools returns the tool chains, sorted as toolQuestions.
func (said seenTools) tools() (list []Tool) {
	for _, q := range toolQuestions {
		if t, ok := said[q[0]]; ok {
			list = append(list, t)
		}
	}
	return list
}

// lacking returns what the host has on the PATH of env and the trial has not found, such as a link into a folder that tasks can't see.
func (said seenTools) lacking(env []string) (list []Tool) {
	names := slices.Clone(packageManagers)
	for _, q := range toolQuestions {
		names = append(names, q[0])
	}
	for _, name := range names {
		if _, ok := said[name]; ok {
			continue
		}
		file, err := guard.Find(name, "/", env)
		if err == nil {
			file, err = filepath.EvalSymlinks(file)
		}
		if err == nil {
			list = append(list, Tool{Name: name, Detail: "tasks can't see " + file})
		}
	}
	return list
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
