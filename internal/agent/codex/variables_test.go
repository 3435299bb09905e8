package codex

import (
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

// TestEnvironment passes on what the session names and nothing else.
func TestEnvironment(t *testing.T) {
	t.Setenv("LONGSHIFT_TEST_SECRET", "leaked")
	d, s := stub(t, "env > env.txt; echo \"$@\" > args.txt\n"+greeting+goodEnd)
	s.BaseURL, s.Token = "http://127.0.0.1:1", "token"
	s.Env = map[string]string{"GIT_AUTHOR_NAME": "Somebody", "HOME": "/elsewhere"}
	if o, err := d.Run(t.Context(), s, func(agent.Event) {}); err != nil || o.Kind != agent.Completed {
		t.Fatalf("outcome %+v, error %v", o, err)
	}
	env := "\n" + read(t, s.Dir, "env.txt")
	for _, want := range []string{"GIT_AUTHOR_NAME=Somebody", "HOME=" + s.StateDir + "/home", "CODEX_HOME=" + s.StateDir + "/codex", keyName + "=token",
		"TZ=UTC", "TMPDIR=" + s.StateDir + "/tmp"} {
		if !strings.Contains(env, "\n"+want+"\n") {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(env, "leaked") {
		t.Error("our own environment was passed on")
	}
	if args := read(t, s.Dir, "args.txt"); strings.Contains(args, "token") || !strings.Contains(args, `base_url="http://127.0.0.1:1/v1"`) {
		t.Errorf("the arguments are %s", args)
	}
}

// TestVariablesOfCommands passes the variables of a repository to the commands of the session and not to the binary itself, and the binary's
// secrets not to them.
func TestVariablesOfCommands(t *testing.T) {
	b := newBench(t, task.Implementer, one(task.Implementer,
		agenttest.Turn{Tools: []agenttest.Tool{bash("env -0 > commands.txt; cat /proc/$PPID/environ > agent.txt")}}, agenttest.Turn{Text: "Seen."}))
	odd := "it's \"$HOME\" `id`\nand \\ more"
	b.session.Env = map[string]string{"GIVEN": "by the operator", "TZ": "UTC", "A_TOKEN": "for commands"}
	b.session.CommandEnv = map[string]string{"NODE_OPTIONS": "--require=./own.js", "TZ": "Europe/Berlin", "ODD": odd, "EMPTY": ""}
	b.session.Reports = agenttest.Reports(t, task.Implementer).Endpoint()
	if o, _ := b.run(t); o.Kind != agent.Completed || o.Text != "Seen." {
		t.Fatalf("outcome %+v", o)
	}
	env := strings.Split(read(t, b.session.Dir, "commands.txt"), "\x00")
	for name, value := range b.session.CommandEnv {
		if !slices.Contains(env, name+"="+value) {
			t.Errorf("a command does not have %s=%q", name, value)
		}
	}
	if !slices.Contains(env, "GIVEN=by the operator") || !slices.Contains(env, "A_TOKEN=for commands") {
		t.Error("a command does not have what the session is given")
	}
	for _, v := range env {
		if strings.Contains(v, "session-token") || strings.Contains(v, b.session.Reports.Token) {
			t.Errorf("a command has the secret %s", v)
		}
	}
	own := strings.Split(read(t, b.session.Dir, "agent.txt"), "\x00")
	if !slices.Contains(own, keyName+"=session-token") {
		t.Fatal("that is not the environment of the binary")
	}
	for _, name := range []string{"NODE_OPTIONS", "ODD", "EMPTY"} {
		if slices.ContainsFunc(own, func(v string) bool { return strings.HasPrefix(v, name+"=") }) {
			t.Errorf("the binary itself has %s", name)
		}
	}
}
