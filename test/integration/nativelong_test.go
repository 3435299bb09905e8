package integration

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	historypb "go.temporal.io/api/history/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

var nativeTurns = flag.Int("native-turns", 20, "answers of the model in the session of TestNativeHistoryIsSmall, with two acts each")

// TestNativeHistoryIsSmall: an act costs the history a bounded number of events and bytes, whatever its tools print, and no byte that the
// model was sent before changes.
func TestNativeHistoryIsSmall(t *testing.T) {
	t.Parallel()
	var turns []agenttest.Turn
	for n := range *nativeTurns {
		turns = append(turns, lab.Call("run_command", lab.Args{"command": fmt.Sprintf("seq -f 'line %%g of %d, and more to print' 1 150", n)}))
	}
	script := nativeFix(turns...)
	script.KeepBodies = true
	s := lab.NewStage(t, script, nativeQuick+"native: {steps: 1000}\nbudget: {cost: 100}\n")
	start := time.Now()
	s.Play()
	end := s.End(t, s.Begun, 15*time.Minute)
	if end.Outcome != task.PullRequest {
		t.Fatalf("%s: %s%s", end.Outcome, end.Detail, lab.Log(end))
	}
	acts := 2 * (*nativeTurns + 2)
	events, size := 0, 0
	runs := s.Runs(t, s.Begun.GetID()+"-session-2")
	for _, run := range runs {
		n, bytes := measured(t, run)
		events, size = events+n, size+bytes
	}
	// What the session begins with comes once, and is not of an act.
	t.Logf("%d acts in %d runs, %s: %d events and %d bytes of history, %.1f events and %d bytes an act; the worker had %d MB at most", acts, len(runs),
		time.Since(start).Round(time.Second), events, size, float64(events)/float64(acts), size/acts, peak(t, s.Worker.Pid())>>20)
	if events > 16*acts+30 || size > 5<<10*acts+64<<10 {
		t.Errorf("%d events and %d bytes for %d acts", events, size, acts)
	}
	samePrefix(t, s.Model.Calls())
	if got := gittest.Show(t, s.Bare, end.Branch, "calc.go"); !strings.Contains(got, "a + b") {
		t.Errorf("calc.go is %q", got)
	}
}

// measured counts the events of a history, and its bytes as exported JSON.
func measured(t *testing.T, events []*historypb.HistoryEvent) (n, size int) {
	t.Helper()
	data, err := protojson.Marshal(&historypb.History{Events: events})
	if err != nil {
		t.Fatal(err)
	}
	return len(events), len(data)
}

// samePrefix fails the test unless each request for an answer of a session begins with what the one before it had sent.
func samePrefix(t *testing.T, calls []agenttest.Call) {
	t.Helper()
	before := map[string]agenttest.Call{}
	for _, c := range calls {
		was, ok := before[c.Session]
		before[c.Session] = c
		if !ok {
			continue
		}
		a, b := parts(t, was.Body), parts(t, c.Body)
		for i := range min(len(a), len(b)) {
			if !bytes.Equal(a[i], b[i]) && i < len(a)-1 { // a message of the user may be continued
				t.Fatalf("%s turn %d: part %d of the conversation has changed\nfrom %.300s\nto   %.300s", c.Rule, c.Turn, i, a[i], b[i])
			}
		}
	}
}

// parts are the parts of a request that the API keeps in its cache, in their order: tools, system, and the messages without the marks that
// say up to where.
func parts(t *testing.T, body []byte) (all [][]byte) {
	t.Helper()
	var q struct {
		Tools, System json.RawMessage
		Messages      []json.RawMessage
	}
	if err := json.Unmarshal(body, &q); err != nil {
		t.Fatal(err)
	}
	all = append(all, q.Tools, q.System)
	for _, m := range q.Messages {
		all = append(all, bytes.ReplaceAll(bytes.ReplaceAll(m, []byte(`,"cache_control":{"type":"ephemeral"}`), nil),
			[]byte(`"cache_control":{"type":"ephemeral"},`), nil))
	}
	return all
}

// TestNativeHostIsLost has another host go on when the first is gone with its disk: by a fresh session, from what was committed.
func TestNativeHostIsLost(t *testing.T) {
	t.Parallel()
	script := nativeFix(lab.Call("read_file", lab.Args{"path": "calc.go"}))
	var s *lab.Stage
	script = lab.With(script, "fix", 1, func(turn *agenttest.Turn) {
		turn.Fault = &agenttest.Fault{Times: 1, Drop: true}
		turn.Before = func(c *agenttest.Call) {
			if len(s.Heard("fix", 1)) == 1 {
				s.Worker.Kill()
				_ = os.RemoveAll(s.Worker.Data)
				s.NewWorker(lab.Claude(t))
			}
		}
	})
	s = lab.NewStage(t, script, nativeQuick)
	s.Play()
	end := s.Ended()
	s.Carried(end, lab.Messages[0])
	if !strings.Contains(lab.Log(end), "is gone") {
		t.Errorf("the log says nothing of the lost host: %s", lab.Log(end))
	}
	if first, second := s.Heard("fix", 0), end.Sessions; len(first) != 2 || len(second) != 3 {
		t.Errorf("the session began %d times, %d sessions", len(first), len(second))
	}
}
