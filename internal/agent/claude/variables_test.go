package claude

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

// TestVariablesOfCommands passes the variables of a repository to the commands of the session and not to the binary itself, which would
// load code by one of these and be another program by the other.
func TestVariablesOfCommands(t *testing.T) {
	b := newBench(t, task.Implementer, one(task.Implementer,
		agenttest.Turn{Tools: []agenttest.Tool{bash("env -0 > commands.txt; cat /proc/$PPID/environ > agent.txt")}},
		agenttest.Turn{Tools: []agenttest.Tool{bash("env -0 > again.txt")}},
		agenttest.Turn{Text: "Seen."}))
	odd := "it's \"$HOME\" `id`\nand \\ more"
	b.session.Env = map[string]string{"GIVEN": "by the operator", "TZ": "UTC", "GOFLAGS": "-modcacherw"}
	b.session.CommandEnv = map[string]string{"NODE_OPTIONS": "--require=./own.js", "BUN_BE_BUN": "1", "TZ": "Europe/Berlin", "ODD": odd,
		"EMPTY": "", "GOFLAGS": "-mod=vendor"}
	if o, _ := b.run(t); o.Kind != agent.Completed || o.Text != "Seen." {
		t.Fatalf("outcome %+v", o)
	}
	for _, file := range []string{"commands.txt", "again.txt"} {
		env := "\x00" + read(t, b.session.Dir, file)
		for name, value := range b.session.CommandEnv {
			if !strings.Contains(env, "\x00"+name+"="+value+"\x00") {
				t.Errorf("%s: a command does not have %s=%q", file, name, value)
			}
		}
		if !strings.Contains(env, "\x00GIVEN=by the operator\x00") {
			t.Errorf("%s: a command does not have what the session is given", file)
		}
	}
	for _, file := range []string{"commands.txt", "again.txt"} {
		if strings.Contains(read(t, b.session.Dir, file), compilerName) {
			t.Errorf("%s: a command has the setting of the binary's engine", file)
		}
	}
	env := "\x00" + read(t, b.session.Dir, "agent.txt")
	if !strings.Contains(env, "\x00CLAUDE_CODE_DISABLE_FILE_MENTIONS=1\x00") || !strings.Contains(env, "\x00"+compilerName+"=0\x00") || !strings.Contains(env, "\x00TZ=UTC\x00") {
		t.Fatal("that is not the environment of the binary")
	}
	for _, name := range []string{"NODE_OPTIONS", "BUN_BE_BUN", "ODD", "EMPTY"} {
		if strings.Contains(env, "\x00"+name+"=") {
			t.Errorf("the binary itself has %s", name)
		}
	}
}
