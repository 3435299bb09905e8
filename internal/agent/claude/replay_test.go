package claude

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
)

// recordedAt is approximately when the streams were recorded.
var recordedAt = time.Date(2026, 11, 20, 8, 15, 0, 0, time.UTC)

// replay reads a recorded stream as if it came from the binary.
func replay(t testing.TB, name string, exit process.Exit, emit func(agent.Event)) *attempt {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "streams", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return recordedAt }
	a := &attempt{d: New(Config{Config: program.Config{Now: now}}), s: agent.Session{ID: "x"}, exit: exit, reader: newReader(now, emit), decisions: newDecisions(agent.Session{})}
	for line := range bytes.SplitSeq(data, []byte{'\n'}) {
		a.reader.line(line)
	}
	if a.reader.broken != 0 {
		t.Errorf("%d lines can't be read", a.reader.broken)
	}
	return a
}

func TestRecordedStreams(t *testing.T) {
	at := func(epoch int64) time.Time { return time.Unix(epoch, 0).UTC() }
	failed := process.Exit{Code: 1}
	for _, c := range []struct {
		name   string
		exit   process.Exit
		kind   agent.OutcomeKind
		err    fault.Kind
		reset  time.Time
		text   string // part of the outcome's
		events string // kinds in order
	}{
		{name: "basic", kind: agent.Completed, text: "<DONE>finished</DONE>", events: "text tool_call tool_result text usage"},
		{name: "permission-stdio", kind: agent.Completed, text: "end", events: "tool_call tool_result tool_call tool_result text usage"},
		{name: "basic", exit: failed, kind: agent.Errored, text: "All done"},
		{name: "schema", kind: agent.Completed, text: `{"name":"bob","n":3}`},
		{name: "schemabad", kind: agent.Completed, text: `{"name":"ok","n":1}`},
		{name: "plan", kind: agent.Completed, text: "Final after"},
		{name: "denyrule", kind: agent.Completed, text: "end"},
		{name: "defaultmode", kind: agent.Completed, events: "tool_call denied tool_result tool_call denied tool_result text usage"},
		{name: "drop", kind: agent.Completed, events: "retry retry text usage"},
		{name: "e500x2", kind: agent.Completed, events: "retry retry text usage"},
		{name: "ssoverl", kind: agent.Completed},
		{name: "mcp-down", kind: agent.Completed},
		{name: "owarn", kind: agent.Completed, events: "text limit usage"},
		{name: "watchdog", kind: agent.Completed, events: "limit retry retry retry retry text usage"},
		{name: "resume-2", kind: agent.Completed, text: "resumed ok"},
		{name: "o5h", exit: failed, kind: agent.Quota, reset: at(1795169432), text: "5-hour limit", events: "limit"},
		{name: "o7d", exit: failed, kind: agent.Quota, reset: at(1795421432), text: "weekly limit"},
		{name: "o7dy", exit: failed, kind: agent.Quota, reset: at(1802938232), text: "weekly limit"},
		{name: "oopus", exit: failed, kind: agent.Quota, reset: at(1795421432), text: "Opus limit"},
		{name: "ofable", exit: failed, kind: agent.Quota, reset: at(1795248632), text: "Fable limit"},
		{name: "oover", exit: failed, kind: agent.Quota, reset: at(1795169432)},
		{name: "v197-o5h", exit: failed, kind: agent.Quota, reset: at(1795171632), text: "session limit"},
		{name: "v197-o5h", kind: agent.Quota, reset: at(1795171632)}, // is_error alone says so
		{name: "e429ra90", exit: failed, kind: agent.Quota, err: fault.Infra, text: "Request rejected (429)"},
		{name: "e429all", exit: failed, kind: agent.Quota, err: fault.Infra},
		{name: "ebill", exit: failed, kind: agent.Quota, text: "Credit balance"},
		{name: "e401", exit: failed, kind: agent.AuthFailed, text: "Invalid API key"},
		{name: "e403", exit: failed, kind: agent.AuthFailed},
		{name: "e404", exit: failed, kind: agent.Errored, err: fault.Input},
		{name: "elong", exit: failed, kind: agent.Errored, text: "too long"},
		{name: "r2-500", exit: failed, kind: agent.Errored, err: fault.Infra},
		{name: "budget", exit: failed, kind: agent.Budget, text: "maximum budget"},
		{name: "maxturns", exit: failed, kind: agent.Turns, text: "maximum number of turns"},
		{name: "ofb-stop", kind: agent.Errored, text: "hook_stopped"},
		{name: "hook-defer", kind: agent.Errored, text: "tool_deferred"},
		{name: "resume-1-killed", exit: process.Exit{Code: -1, Signal: "SIGKILL"}, kind: agent.Errored, text: "SIGKILL"},
		{name: "sig-KILL-bash", exit: process.Exit{Code: -1, Signal: "SIGKILL"}, kind: agent.Errored, text: "SIGKILL"},
		{name: "sig-TERM-bash", exit: process.Exit{Code: 143}, kind: agent.Errored, text: "exit code 143"},
		{name: "sig-INT-bash", kind: agent.Errored},
		{name: "sigpy-int-hang", kind: agent.Errored, text: "without a result"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var kinds []string
			a := replay(t, c.name, c.exit, func(e agent.Event) { kinds = append(kinds, string(e.Kind)) })
			o, err := a.outcome(context.Background())
			if o.Kind != c.kind || fault.KindOf(err) != c.err || !o.Reset.Equal(c.reset) || !strings.Contains(o.Text, c.text) {
				t.Errorf("outcome %+v, error %v", o, err)
			}
			if c.events != "" && c.events != strings.Join(kinds, " ") {
				t.Errorf("events are %q", strings.Join(kinds, " "))
			}
		})
	}
}

// TestEveryRecordedStream reads every recording, whatever the order of the fields on its lines.
func TestEveryRecordedStream(t *testing.T) {
	files, err := filepath.Glob("testdata/streams/*.jsonl")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, f := range files {
		a := replay(t, strings.TrimSuffix(filepath.Base(f), ".jsonl"), process.Exit{}, func(agent.Event) {})
		if a.reader.init == nil || a.reader.init.Version == "" {
			t.Errorf("%s: the first line was not understood", f)
		}
	}
}

// TestResetFromTextAlone reads the limits of the recordings without their machine-readable part.
func TestResetFromTextAlone(t *testing.T) {
	for _, name := range []string{"o5h", "o7d", "o7dy", "oopus", "oover", "v197-o5h"} {
		a := replay(t, name, process.Exit{Code: 1}, func(agent.Event) {})
		told := a.reader.limit.reset()
		a.reader.limit = nil
		o, err := a.outcome(context.Background())
		if err != nil || o.Kind != agent.Quota || o.Reset.Sub(told).Abs() >= time.Minute {
			t.Errorf("%s: %q gave %s, told was %s", name, o.Text, o.Reset, told)
		}
	}
}

// TestServedAfterLimit forgets a limit once a call was served.
func TestServedAfterLimit(t *testing.T) {
	if a := replay(t, "watchdog", process.Exit{}, func(agent.Event) {}); a.reader.limit != nil {
		t.Errorf("limit: %+v", a.reader.limit)
	}
}

// TestWordsOfSubAgents checks that the text of a sub-agent is not taken for the text of the session.
func TestWordsOfSubAgents(t *testing.T) {
	var said []string
	r := newReader(time.Now, func(e agent.Event) { said = append(said, string(e.Kind)+" "+e.Text) })
	for _, parent := range []string{`"toolu_1"`, "null"} {
		r.line([]byte(`{"message":{"content":[{"text":"words","type":"text"},{"type":"thinking","thinking":"hm"},{"type":"tool_use","name":"Read","id":"t","input":{}}],"id":"m"},
			"parent_tool_use_id":` + parent + `,"type":"assistant"}`))
	}
	if want := []string{"tool_call {}", "text words", "thinking hm", "tool_call {}"}; !slices.Equal(said, want) {
		t.Errorf("events are %q", said)
	}
}

// TestDamagedStream puts invalid lines between the valid ones.
func TestDamagedStream(t *testing.T) {
	data, err := os.ReadFile("testdata/streams/basic.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	half := lines[1][:len(lines[1])/2]
	stream := strings.Join([]string{lines[0], `half a line {"type":"assistant"`, half + lines[2], `[1,2]`, `"text"`, `{"type":7}`,
		`{"type":"new_kind","message":[]}`,
		`{"type":"assistant","message":null}`, `{"type":"user","message":{"content":"hello"}}`, strings.Repeat("x", 40<<20), "", lines[1], lines[2], lines[3], lines[4], lines[5]}, "\n")
	var kinds []string
	r := newReader(time.Now, func(e agent.Event) { kinds = append(kinds, string(e.Kind)) })
	scan := process.NewLineScanner(strings.NewReader(stream), lineMax)
	for scan.Scan() {
		r.line(scan.Bytes())
	}
	if want := []string{"text", "tool_call", "tool_result", "text", "usage"}; !slices.Equal(kinds, want) {
		t.Errorf("events are %q", kinds)
	}
	if scan.Skipped() != 1 || r.broken != 5 || r.result == nil || r.init == nil {
		t.Errorf("skipped %d, broken %d, result %v", scan.Skipped(), r.broken, r.result)
	}
}
