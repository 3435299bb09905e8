package activities

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/task"
)

// logs gives the bench a command log, and returns a function that reads how the calls that were let through have ended: "-" stands for one
// without an end.
func (b *bench) logs() (ends func() string) {
	b.t.Helper()
	log, err := audit.Open(b.t.Context(), filepath.Join(b.Data, audit.FileName), b.Log)
	must(b.t, err)
	b.t.Cleanup(func() { _ = log.Close() })
	b.Audit = log
	return func() string {
		var list []string
		for r, err := range log.List(b.t.Context(), audit.Filter{Decision: string(audit.Allow)}) {
			must(b.t, err)
			end := "-"
			if r.ExitCode != nil {
				end = strconv.Itoa(*r.ExitCode)
			}
			list = append(list, end)
		}
		return strings.Join(list, " ")
	}
}

// TestNativeBackground starts commands in the background, looks at them, ends one, and leaves none behind. The command
// log has the end of each.
func TestNativeBackground(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	ends := b.logs()
	begin := func(command string) transcript.Call {
		arguments, _ := json.Marshal(map[string]any{"command": command, "background": true})
		return calling("run_command", string(arguments))
	}
	manage := func(arguments string) transcript.Call { return calling("manage_process", arguments) }
	calls := []transcript.Call{begin("seq 1 300; echo bad >&2; sleep 500"), manage(`{"action":"list"}`), manage(`{"action":"log","process":"p1","lines":2}`),
		manage(`{"action":"log","process":"p1","lines":201}`), manage(`{"action":"kill","process":"p1"}`), manage(`{"action":"poll","process":"p1"}`),
		manage(`{"action":"poll","process":"p9"}`), manage(`{"action":"look","process":"p1"}`)}
	for n := range mostProcesses + 1 { // equal ones would be a loop
		calls = append(calls, begin(fmt.Sprintf("sleep %d", 500+n)))
	}
	calls = append(calls, manage(`{"action":"kill","process":"p2"}`), begin("exit 3"))
	r := b.begins(task.Implementer, calls)
	r.open()
	r.turn(0)
	for n := range calls {
		if n == 2 {
			eventually(t, "the command has said something", func() bool { return strings.Contains(b.host.Acts.processes.of(r.in.ID)[0].tail(2), "bad") })
		}
		r.makes()
	}
	got := r.results()
	for n, want := range []string{`"process":"p1","running":true`, `"running":true`, `"output":"300\\nbad"`, "lines is 201", `"exit_code"`, `"running":false`, `"p9\\" does not run`,
		`action is \\"look\\"`, `"process":"p2"`, "", "", "", `"process":"p6"`, "5 commands run in the background already"} {
		if !strings.Contains(got[n].Content, strings.ReplaceAll(want, `\\`, `\`)) {
			t.Errorf("call %d: %s, wanted %s", n, got[n].Content, want)
		}
	}
	if n := len(agenttest.Processes(t, r.in.ID)); n == 0 {
		t.Error("nothing runs in the background, so that its end shows nothing")
	}
	eventually(t, "what has ended is in the command log, and nothing else", func() bool { return ends() == "-1 -1 - - - - -1 3" })
	var res SessionResult
	must(t, r.attempt().run(r.host.Acts.EndSession, EndInput{Act: r.act(), Kind: agent.Interrupted}, &res))
	if left := agenttest.Processes(t, r.in.ID); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	eventually(t, "the end of what went on is in the command log", func() bool { return ends() == "-1 -1 -1 -1 -1 -1 -1 3" })
}
