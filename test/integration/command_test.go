package integration

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// asking is a command that policy leaves to a person, in the sandbox too: a mask that lets everybody write.
const asking = `umask 000; echo "made by hand" > made.txt`

// asks is the short story in which the agent runs that command before it reports.
func asks(command string) agenttest.Script {
	return lab.With(lab.Brief(), "fix", 1, func(turn *agenttest.Turn) {
		turn.Tools = []agenttest.Tool{{Name: "Bash", Input: map[string]any{"command": command, "description": "make a file"}}}
	})
}

// TestCommandIsAllowedWhileTheSessionWaits has a person answer within the time that the session waits for it.
func TestCommandIsAllowedWhileTheSessionWaits(t *testing.T) {
	t.Parallel()
	s := lab.NewStage(t, asks(asking), lab.QuickSettings+"commands: {wait: 60s}\n")
	s.Play()
	now := s.Until("a command waits", func(st signals.Status) bool { return len(st.Questions) == 1 })
	q := now.Questions[0]
	if now.Phase != task.Executing || !now.NeedsHuman || q.Command != asking || q.Rule == "" || q.Reason == "" || q.Role != task.Implementer {
		t.Errorf("asked: %+v in phase %s", q, now.Phase)
	}
	if v := s.Listed(t, signals.AttrNeedsHuman); v != true {
		t.Errorf("the list does not say that a person is needed: %v", v)
	}
	shown := s.Longshift(t, "status", s.Begun.GetID())
	if !strings.Contains(shown.Out, asking) || !strings.Contains(shown.Out, q.ID) {
		t.Errorf("status does not show the command: %s", shown.Out)
	}
	if ran := s.Longshift(t, "allow", s.Begun.GetID(), q.ID[:6], "--comment", "only this once"); ran.Code != 0 || !strings.Contains(ran.Out, "allowed in the workspace's root until") {
		t.Fatalf("allow: %+v", ran)
	}
	end := s.Ended()
	s.Carried(end, lab.Messages[0])
	if got := gittest.Git(t, s.Bare, "show", end.Branch+":made.txt"); got != "made by hand" {
		t.Errorf("made.txt is %q", got)
	}
	if len(end.Sessions) != 3 || end.Sessions[1].Resumed != 0 {
		t.Errorf("sessions %+v", end.Sessions)
	}
	logged(t, s, asking, "allow")
}

// TestCommandIsAllowedTooLateForTheSession suspends the task when nobody answers in time. The answer lets the same session go on,
// across a restart of the worker.
func TestCommandIsAllowedTooLateForTheSession(t *testing.T) {
	t.Parallel()
	script := lab.With(asks(asking), "fix", 1, func(turn *agenttest.Turn) { turn.Redo = false })
	again := agenttest.Rule{Name: "again", Role: task.Implementer, Match: "may run now, exactly as written", Turns: []agenttest.Turn{
		{Tools: []agenttest.Tool{{Name: "Bash", Input: map[string]any{"command": asking, "description": "again"}}}},
		{Text: "<DONE>\n" + lab.Messages[0] + "\n</DONE>"},
	}}
	script.Rules = append([]agenttest.Rule{again}, script.Rules...)
	s := lab.NewStage(t, script, lab.QuickSettings+"commands: {wait: 0s}\n")
	s.Play()
	now := s.Until("the task is suspended", func(st signals.Status) bool { return st.Phase == task.Suspended })
	if now.Reason != signals.ReasonCommand || len(now.Questions) != 1 || now.WaitingUntil.IsZero() {
		t.Fatalf("suspended: %s, %+v", now.Reason, now.Questions)
	}
	s.Parked()
	s.Worker.Kill()
	s.Worker.Start()
	s.Ready()
	if ran := s.Longshift(t, "allow", s.Begun.GetID()); ran.Code != 0 {
		t.Fatalf("allow: %+v", ran)
	}
	end := s.Ended()
	s.Carried(end, lab.Messages[0])
	if got := gittest.Git(t, s.Bare, "show", end.Branch+":made.txt"); got != "made by hand" {
		t.Errorf("made.txt is %q", got)
	}
	if len(end.Sessions) != 3 {
		t.Errorf("%d sessions: the one that asked was not gone on with", len(end.Sessions))
	}
}

// TestApprovalIsOfTheScriptAsItWas lets a script run once, as it was when a person allowed it: changed, it is asked about anew, and says
// so; allowed for the task, it runs as often as it comes.
func TestApprovalIsOfTheScriptAsItWas(t *testing.T) {
	t.Parallel()
	const command = "umask 000; sh deploy.sh"
	run := agenttest.Tool{Name: "Bash", Input: map[string]any{"command": command, "description": "deploy"}}
	writes := func(text string) agenttest.Tool {
		return agenttest.Tool{Name: "Bash", Input: map[string]any{"command": "echo '" + text + "' > deploy.sh", "description": "write the script"}}
	}
	script := lab.With(lab.Brief(), "fix", 1, func(turn *agenttest.Turn) {
		turn.Redo, turn.Tools = false, []agenttest.Tool{writes("echo 1 >> ran.txt"), run}
	})
	script.Rules = append([]agenttest.Rule{
		{Name: "for-task", Role: task.Implementer, Match: "It may run in this task every time", Turns: []agenttest.Turn{
			{Tools: []agenttest.Tool{run}}, {Tools: []agenttest.Tool{writes("echo 3 >> ran.txt")}}, {Tools: []agenttest.Tool{run}}, {Text: "<DONE>\n" + lab.Messages[0] + "\n</DONE>"},
		}},
		{Name: "once", Role: task.Implementer, Match: "It may run once, with the files", Turns: []agenttest.Turn{
			{Tools: []agenttest.Tool{writes("echo 2 >> ran.txt")}}, {Tools: []agenttest.Tool{run}},
		}},
	}, script.Rules...)
	s := lab.NewStage(t, script, lab.QuickSettings+"commands: {wait: 0s}\n")
	s.Play()
	waits := func(n int) signals.Question {
		t.Helper()
		st := s.Until("the task is suspended", func(st signals.Status) bool {
			return st.Phase == task.Suspended && len(st.Questions) == 1 && len(st.Questions[0].Changed) == n
		})
		return st.Questions[0]
	}
	first := waits(0)
	if len(first.Files) != 1 || first.Files[0].Path != "deploy.sh" || len(first.Files[0].Sum) != 12 {
		t.Errorf("asked %+v", first)
	}
	if ran := s.Longshift(t, "allow", s.Begun.GetID()); ran.Code != 0 {
		t.Fatalf("allow: %+v", ran)
	}
	second := waits(1)
	if second.ID == first.ID || second.Text() != first.Text() {
		t.Errorf("asked %+v, then %+v", first, second)
	}
	if shown := s.Longshift(t, "status", s.Begun.GetID()); !strings.Contains(shown.Out, "Changed since it was last asked: deploy.sh.") {
		t.Errorf("status does not say what has changed: %s", shown.Out)
	}
	if ran := s.Longshift(t, "allow", s.Begun.GetID(), "--for-task"); ran.Code != 0 || !strings.Contains(ran.Out, "allowed for this task") {
		t.Fatalf("allow: %+v", ran)
	}
	end := s.Ended()
	s.Carried(end, lab.Messages[0])
	if got := gittest.Git(t, s.Bare, "show", end.Branch+":ran.txt"); got != "2\n3" {
		t.Errorf("what ran wrote %q", got)
	}
}

// TestCommandIsDenied tells the session no, from a person or from the settings. It goes on without.
func TestCommandIsDenied(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]string{"by a person": "commands: {wait: 60s}\n", "by the settings": "commands: {questions: deny}\n"} {
		t.Run(name, func(t *testing.T) {
			s := lab.NewStage(t, asks(asking), lab.QuickSettings+settings)
			s.Play()
			if name == "by a person" {
				s.Until("a command waits", func(st signals.Status) bool { return len(st.Questions) == 1 })
				if ran := s.Longshift(t, "deny", s.Begun.GetID(), "--reason", "write it with the Write tool"); ran.Code != 0 {
					t.Fatalf("deny: %+v", ran)
				}
			}
			end := s.Ended()
			s.Carried(end, lab.Messages[0])
			if files := gittest.Git(t, s.Bare, "diff", "--name-only", "main.."+end.Branch); strings.Contains(files, "made.txt") {
				t.Errorf("the command ran: %s", files)
			}
			logged(t, s, asking, "deny")
		})
	}
}

// logged fails the test unless the command log of the worker's host holds the command with this decision.
func logged(t *testing.T, s *lab.Stage, command, decision string) {
	t.Helper()
	ran := s.OnHost("commands", s.Begun.GetID(), "--contains", "umask", "-o", "jsonl")
	if ran.Code != 0 {
		t.Fatalf("commands: %+v", ran)
	}
	var found []string
	for line := range strings.Lines(ran.Out) {
		var row struct{ Command, Decision, Rule, Task, Role string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if row.Command == command && row.Decision == decision && row.Task != "" && row.Role == "implementer" {
			return
		}
		found = append(found, line)
	}
	t.Errorf("no record of %q with %s: %q", command, decision, found)
}
