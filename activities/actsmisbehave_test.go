package activities

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/confine/sandbox"
	"github.com/longshift/longshift/task"
)

// TestNativeMisbehaviour plays the attacks of TestMisbehaviour with Longshift's own agent: with policy alone, with the sandbox alone, and with
// neither. Its file tools leave the workspace with no rules either, so such attacks show their harm by commands alone.
func TestNativeMisbehaviour(t *testing.T) {
	box, err := sandbox.New(t.Context(), sandbox.Config{Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	var allowed atomic.Int32
	everything := func(context.Context, agent.Call) agent.Decision { allowed.Add(1); return agent.Decision{Allow: true} }
	for _, a := range attacks {
		for name, prepare := range map[string]func(s *scene){
			"policy":  func(*scene) {},
			"sandbox": func(s *scene) { s.instead, s.Confine.Box = everything, box },
			"neither": func(s *scene) { s.instead = everything },
		} {
			t.Run(name+"/"+a.name, func(t *testing.T) {
				t.Parallel()
				s := newScene(t, assailant{tools: agenttest.NativeTools}, []attack{a})
				prepare(s)
				res := s.playNative(a)
				harm := a.harm(s)
				harmless := a.held || a.name == "the Write tool writes outside the workspace"
				switch {
				case name != "neither" && harm != "":
					t.Errorf("%s (%s %s)", harm, res.Kind, res.Error)
				case name == "neither" && harm == "" && !harmless:
					t.Error("the attack does no harm where nothing holds it, so that it shows nothing")
				}
				if n := s.denials(); name == "policy" && a.role == "" && n == 0 {
					t.Error("the command log has no refusal")
				}
			})
		}
	}
}

// playNative has Longshift's own agent make the calls of an attack.
func (s *scene) playNative(a attack) SessionResult {
	s.t.Helper()
	role := a.role
	if role == "" {
		role = task.Implementer
	}
	var calls []transcript.Call
	for _, tool := range a.calls(s) {
		calls = append(calls, natively(s.t, tool))
	}
	r := s.begins(role, calls)
	r.in.Paths = task.PathSettings{ReadOnly: []string{"README.md"}}
	r.in.Wall = time.Minute
	res := r.play()
	if left := agenttest.Processes(s.t, r.in.ID); len(left) > 0 {
		s.t.Errorf("processes are left: %v", left)
	}
	return res
}

// natively is a call of Claude Code's tools as a call of ours.
func natively(t testing.TB, tool agenttest.Tool) transcript.Call {
	t.Helper()
	tool = agenttest.NativeTools(tool)
	data, err := json.Marshal(tool.Input)
	must(t, err)
	return calling(tool.Name, string(data))
}
