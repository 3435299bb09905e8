package codex

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/task"
)

func TestScript(t *testing.T) {
	for told, want := range map[string]string{
		`/bin/bash -c 'ls -a'`:           "ls -a",
		`/usr/bin/sh -c ls`:              "ls",
		`/bin/bash -c "it's"`:            "it's",
		`/bin/bash -c "a \"b\" \$c"'$d'`: `a "b" $c$d`,
		"/bin/bash -c ''":                "",
		`/tmp/bash -c ls`:                `/tmp/bash -c ls`,
		`bash -c ls`:                     `bash -c ls`,
		`/bin/bash -lc ls`:               `/bin/bash -lc ls`,
		`/bin/bash -c ls x`:              `/bin/bash -c ls x`,
		`/bin/bash -c $(ls)`:             `/bin/bash -c $(ls)`,
		"/bin/bash -c \"`ls`\"":          "/bin/bash -c \"`ls`\"",
		`/bin/bash -c 'ls`:               `/bin/bash -c 'ls`,
		`/bin/bash -c ls;rm`:             `/bin/bash -c ls;rm`,
		"/bin/bash -c ls\nrm":            "/bin/bash -c ls\nrm",
		`/bin/bash  -c ls`:               `/bin/bash  -c ls`,
		`A=1 /bin/bash -c ls`:            `A=1 /bin/bash -c ls`,
		`/bin/bash -c "\n"`:              `/bin/bash -c "\n"`,
		`ls`:                             `ls`,
	} {
		if got := script(told); got != want {
			t.Errorf("%s is judged as %q, wanted %q", told, got, want)
		}
	}
}

// TestCommandsAreJudgedAsWritten has the binary tell of odd commands. Permit sees each exactly as the model has written it.
func TestCommandsAreJudgedAsWritten(t *testing.T) {
	commands := []string{`echo "it's $HOME" 'and' \"more\"`, "printf '%s\\n' `id` $(id)\necho ~ # it's", `echo '"'"$x"'`, "cat <<'E'\na'b\"c\\\nE\n", "echo ü✓ !! {a,b} [x]*", " ls", "ls "}
	var turns []agenttest.Turn
	for _, c := range commands {
		turns = append(turns, agenttest.Turn{Tools: []agenttest.Tool{bash(c)}})
	}
	b := newBench(t, task.Implementer, one(task.Implementer, append(turns, agenttest.Turn{Text: "Done."})...))
	var asked agenttest.Record
	b.session.Permit = asked.Of(func(context.Context, agent.Call) agent.Decision { return agent.Decision{Reason: "only asked"} })
	b.run(t)
	calls := asked.Calls()
	if len(calls) != len(commands) {
		t.Fatalf("asked about %d commands", len(calls))
	}
	for i, c := range calls {
		if want := program.NewCall("", "Bash", "", map[string]any{"command": commands[i]}); string(c.Input) != string(want.Input) {
			t.Errorf("%q was told as %s", commands[i], c.Input)
		}
	}
}

// TestPatchOfSeveralFiles asks about each file of a patch. None is written unless all are allowed.
func TestPatchOfSeveralFiles(t *testing.T) {
	const text = "*** Begin Patch\n*** Add File: new.txt\n+new\n*** Update File: old.txt\n*** Move to: moved.txt\n@@\n-one\n+two\n*** Delete File: gone.txt\n*** End Patch\n"
	b := newBench(t, task.Implementer, one(task.Implementer,
		agenttest.Turn{Tools: []agenttest.Tool{bash("echo one > old.txt; echo x > gone.txt")}},
		agenttest.Turn{Tools: []agenttest.Tool{{Name: "apply_patch", Text: text}}},
		agenttest.Turn{Tools: []agenttest.Tool{{Name: "apply_patch", Text: text}}}, agenttest.Turn{Text: "Done."}))
	refuse := true
	var asked agenttest.Record
	b.session.Permit = asked.Of(func(_ context.Context, c agent.Call) agent.Decision {
		if c.Tool == "Write" && strings.Contains(string(c.Input), "moved.txt") && refuse {
			refuse = false
			return agent.Decision{Reason: "keep it"}
		}
		return agent.Decision{Allow: true}
	})
	o, _ := b.run(t)
	var seen []string
	for _, c := range asked.Calls()[1:] {
		var in struct {
			File string `json:"file_path"`
		}
		if err := json.Unmarshal(c.Input, &in); err != nil {
			t.Error(err)
		}
		seen = append(seen, c.Tool+" "+strings.TrimPrefix(in.File, b.session.Dir+"/"))
	}
	const want = "Edit gone.txt,Write new.txt,Edit old.txt,Write moved.txt"
	if got := strings.Join(seen, ","); o.Kind != agent.Completed || got != want+","+want {
		t.Errorf("outcome %+v, asked about %s", o, got)
	}
	results, err := b.model.Calls()[2].Results()
	if err != nil || !strings.Contains(results[1].Text, "rejected") {
		t.Errorf("the refused patch came back as %+v, %v", results, err)
	}
	if got := read(t, b.session.Dir, "moved.txt"); got != "two\n" {
		t.Errorf("moved.txt holds %q", got)
	}
}

// TestOnlyReads lets nothing write in a session that only reads, even if Permit would: no patch, and without a sandbox no command either,
// because the model can have one run outside of the binary's own.
func TestOnlyReads(t *testing.T) {
	escalated := agenttest.Tool{Name: "exec_command", Input: map[string]any{"cmd": "touch b.txt", "sandbox_permissions": "require_escalated"}}
	b := newBench(t, task.Reviewer, one(task.Reviewer, agenttest.Turn{Tools: []agenttest.Tool{write("a.txt", "x\n")}},
		agenttest.Turn{Tools: []agenttest.Tool{escalated}}, agenttest.Turn{Text: "No."}))
	b.session.Permit = func(context.Context, agent.Call) agent.Decision { return agent.Decision{Allow: true} }
	o, e := b.run(t)
	if no := e.Of(agent.Denied); o.Kind != agent.Completed || len(no) != 2 || no[0].Text != "this session only reads" || no[1].Tool != "Bash" {
		t.Errorf("outcome %+v, refusals %+v", o, no)
	}
	if left, err := os.ReadDir(b.session.Dir); err != nil || len(left) != 0 {
		t.Errorf("the workspace holds %v, %v", left, err)
	}
}

// TestNoTerminal has the model ask for a terminal, to which it could write: about that nobody is asked.
func TestNoTerminal(t *testing.T) {
	tty := agenttest.Tool{Name: "exec_command", Input: map[string]any{"cmd": "touch a.txt; cat", "tty": true}}
	login := agenttest.Tool{Name: "exec_command", Input: map[string]any{"cmd": "touch a.txt", "login": true}}
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Tools: []agenttest.Tool{tty}}, agenttest.Turn{Tools: []agenttest.Tool{login}},
		agenttest.Turn{Text: "No."}))
	var asked agenttest.Record
	b.session.Permit = asked.Of(b.session.Permit)
	b.run(t)
	results, err := b.model.Calls()[2].Results()
	if err != nil || len(results) != 2 || !strings.Contains(results[0].Text, "TTY execution is disabled") || !strings.Contains(results[1].Text, "login shell is disabled") {
		t.Errorf("the calls came back as %+v, %v", results, err)
	}
	if n := len(asked.Calls()); n != 0 {
		t.Errorf("asked %d times", n)
	}
}
