package activities

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// granting gives the host an operator who grants one secret to each part of the tasks of the bench's repository.
func (b *bench) granting() {
	b.Secrets = func(r task.Repository, part string) (map[string]string, error) {
		if r.Path != b.remote {
			return nil, fmt.Errorf("asked for %+v", r)
		}
		return map[string]string{strings.ToUpper(part) + "_TOKEN": secret}, nil
	}
	commands := b.CommandEnv
	b.CommandEnv = func(d Dirs) []string { return append(commands(d), "TZ=UTC", "CI=true") }
	b.AgentEnv = func(Dirs) map[string]string { return map[string]string{"OPERATORS": "own"} }
	b.start()
}

// Variables of the repository replace those of all commands, and a command gets the secrets that are granted to its part. Each name occurs
// once.
func TestVariablesOfACommand(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.granting()
	b.prepare()
	own := map[string]string{"TZ": "Europe/Berlin", "TWO": "lines\nhere", "CHECK_TOKEN": "the repository's"}
	const print = "tr '\\0' '\\n' < /proc/$$/environ | grep -E '^(TZ|CI|TWO|here|[A-Z]*_TOKEN|OPERATORS)' | sort; [ \"$CHECK_TOKEN\" != \"the repository's\" ]"
	c := b.check(print, func(in *CommandInput) { in.Env = own })
	if want := "CHECK_TOKEN=[hidden]\nCI=true\nTWO=lines\nTZ=Europe/Berlin\nhere\n"; c.Tail != want || !c.Passed() {
		t.Errorf("check has\n%s\nwant\n%s", c.Tail, want)
	}
	var setup signals.Check
	must(t, b.attempt().run(b.RunSetup, CommandInput{Ref: b.ref, N: 1, Command: print, Wall: time.Minute}, &setup))
	if want := "CI=true\nSETUP_TOKEN=[hidden]\nTZ=UTC\n"; setup.Tail != want {
		t.Errorf("setup has\n%s\nwant\n%s", setup.Tail, want)
	}
	b.leaks("the check", c)
}

// A secret that a command prints is in no file of the log folder, however its lines are broken.
func TestLogFolderHidesSecrets(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.granting()
	b.prepare()
	// Each line is a write of its own, so that the reader gets them one by one.
	c := b.check(`env; for n in $(seq 200); do for line in $(printf %s "$CHECK_TOKEN" | base64 -w 8); do echo "$line"; done; echo; done
		for n in $(seq 40); do printf %${n}s%s "" "$CHECK_TOKEN" | base64 -w 8; done; printf %s "$CHECK_TOKEN" | rev; false`, nil)
	files := 0
	must(t, filepath.WalkDir(filepath.Join(b.Data, "tasks", b.ref.TaskID, "logs"), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		if hidden := b.Redact.String(string(text)); hidden != string(text) || !strings.Contains(hidden, "CHECK_TOKEN=[hidden]") {
			t.Errorf("%s holds a secret, or nothing:\n%s", path, text)
		}
		return err
	}))
	if files != 2 || c.Passed() {
		t.Errorf("%d files, %+v", files, c)
	}
	b.leaks("the check", c)
}

// An agent gets the secrets that are granted to agents. Variables of the repository are only for its commands. The prompt names variables
// that the project needs and the agent lacks.
func TestVariablesOfAnAgent(t *testing.T) {
	t.Parallel()
	p := says("<DONE>\nfix: it\n</DONE>")
	b := newBench(t, map[string]agent.Agent{"played": p})
	b.granting()
	b.prepare()
	in := b.session(task.Implementer, "played")
	in.Env, in.NeedsEnv = map[string]string{"NODE_OPTIONS": "--require=x.js", "AGENT_TOKEN": "the repository's"},
		[]string{"CHECK_TOKEN", "AGENT_TOKEN", "OPERATORS", "NODE_OPTIONS", "LICENSE"}
	must(t, b.attempt().run(b.RunAgent, in, nil))
	s := p.sessions()[0]
	if len(s.Env) != 2 || s.Env["AGENT_TOKEN"] != secret || s.Env["OPERATORS"] != "own" {
		t.Errorf("the agent has %q", s.Env)
	}
	if len(s.CommandEnv) != 1 || s.CommandEnv["NODE_OPTIONS"] == "" {
		t.Errorf("its commands have %q", s.CommandEnv)
	}
	if !strings.Contains(s.Prompt, "The project needs `CHECK_TOKEN`, `LICENSE`, and your session does not have them;") {
		t.Errorf("it is not told what it lacks:\n%s", s.Prompt)
	}
}

// A variable of the repository replaces that of all commands for our own agent, too.
func TestVariablesOfACommandOfOurAgent(t *testing.T) {
	t.Parallel()
	s := agent.Session{StateDir: "/s", Env: map[string]string{"GOFLAGS": "-modcacherw", "AGENT_TOKEN": secret},
		CommandEnv: map[string]string{"GOFLAGS": "-mod=mod"}}
	got := commandEnvOf([]string{"GOFLAGS=-modcacherw", "HOME=/h", "TZ=UTC"}, s)
	slices.Sort(got)
	if want := []string{"AGENT_TOKEN=" + secret, "GOFLAGS=-mod=mod", "HOME=/s", "TZ=UTC"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A new task is refused when variables that it needs are missing. The error names all of them and a way out. A task that has begun goes on.
func TestNeeds(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.granting()
	b.remote = gittest.NewBare(t, map[string]string{".longshift.yaml": "env: {OWN: x}\nneedsEnv: [CI, OWN, OPERATORS, SETUP_TOKEN, CHECK_TOKEN, AGENT_TOKEN]\n"})
	b.prepare()
	in := PrepareInput{Ref: Ref{TaskID: b.ref.TaskID + "-2", Fence: 1}, Repository: task.Repository{Text: b.remote, Path: b.remote}, Title: "Fix",
		Config: &task.Config{NeedsEnv: []string{"CI", "LICENSE", "DEPLOY_TOKEN"}}}
	_, err := b.PrepareWorkspace(t.Context(), in)
	wantFault(t, err, fault.Input, "needsEnv: LICENSE, DEPLOY_TOKEN: host host-1 provides no such variable", "LONGSHIFT_TASK_SECRETS=NAME@"+b.remote,
		"LONGSHIFT_TASK_ENV")
	in.Branch = "longshift/fix-it"
	_, err = b.PrepareWorkspace(t.Context(), in)
	must(t, err)
}

// A secret is on no command line, the box's own included: all users can read those.
func TestSecretIsOnNoCommandLine(t *testing.T) {
	t.Parallel()
	b := confined(t, "")
	b.granting()
	var c signals.Check
	ended, a := make(chan error, 1), b.attempt()
	go func() {
		ended <- a.run(b.RunChecks, CommandInput{Ref: b.ref, N: 1, Wall: time.Minute,
			Command: `[ -n "$CHECK_TOKEN" ] && touch begun && until [ -e seen ]; do sleep 0.02; done`}, &c)
	}()
	eventually(t, "the command runs", func() bool { _, err := os.Stat(filepath.Join(b.work(), "begun")); return err == nil })
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	must(t, err)
	boxes := 0
	for _, file := range lines {
		line, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		if strings.Contains(string(line), secret) {
			t.Errorf("a command line holds the secret: %q", strings.ReplaceAll(string(line), "\x00", " "))
		}
		if strings.Contains(string(line), "bwrap") {
			boxes++
		}
	}
	if boxes == 0 {
		t.Error("no box was seen, so nothing is proved")
	}
	gittest.Write(t, b.work(), map[string]string{"seen": ""})
	if err := await(t, ended, "the end of the command"); err != nil || !c.Passed() {
		t.Errorf("%+v, %v", c, err)
	}
}
