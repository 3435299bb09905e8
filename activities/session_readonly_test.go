package activities

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

// writing makes an agent that changes files in the workspace even if it must not, and then reports.
func writing(t *testing.T, text string, change func(dir string)) *player {
	return &player{play: func(_ context.Context, s agent.Session, emit func(agent.Event)) (agent.Outcome, error) {
		change(s.Dir)
		emit(agent.Event{Kind: agent.Text, Text: text})
		return agent.Outcome{Kind: agent.Completed}, nil
	}}
}

// The driver denies every write of a planner or reviewer. A write that gets through is undone, and the session fails.
func TestReadOnlySessionThatWrites(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]agent.Agent{})
	b.prepare()
	dir := b.work()
	gittest.Write(t, dir, map[string]string{"half.go": "package calc // half done\n"}) // work of an earlier implementer
	for _, c := range []struct {
		name   string
		role   task.Role
		text   string
		change func(dir string)
	}{
		{"a new file", task.Planner, planText, func(dir string) { gittest.Write(t, dir, map[string]string{"plan.md": "# Plan\n"}) }},
		{"a changed file", task.Planner, planText, func(dir string) { gittest.Write(t, dir, map[string]string{"half.go": "package other\n"}) }},
		{"a removed file", task.Reviewer, "<APPROVED>ok</APPROVED>", func(dir string) { must(t, os.Remove(filepath.Join(dir, "calc.go"))) }},
		{"a commit", task.Reviewer, "<APPROVED>ok</APPROVED>", func(dir string) {
			gittest.Git(t, dir, "add", "-A")
			gittest.Git(t, dir, "commit", "--quiet", "-m", "mine")
		}},
	} {
		b.Agents["script"] = writing(t, c.text, c.change)
		res, err := b.attempt().session(b.Sessions, b.session(c.role, "script"))
		must(t, err)
		if res.Kind != agent.Errored || res.Plan != nil || res.Review != nil || !strings.Contains(res.Error, string(c.role)+" wrote to the workspace") {
			t.Errorf("%s: %+v", c.name, res)
		}
		for name, want := range map[string]string{"half.go": "package calc // half done\n", "calc.go": "package calc\n", "plan.md": ""} {
			if got, _ := os.ReadFile(filepath.Join(dir, name)); string(got) != want {
				t.Errorf("%s: %s holds %q", c.name, name, got)
			}
		}
		if head := gittest.Git(t, dir, "rev-parse", "HEAD"); head != b.made.Head {
			t.Errorf("%s: head is %s", c.name, head)
		}
	}
}

func TestSessionsThatMayWrite(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]agent.Agent{})
	b.prepare()
	b.Agents["script"] = writing(t, "<DONE>feat: x</DONE>", func(dir string) { gittest.Write(t, dir, map[string]string{"x.go": "package calc\n"}) })
	res, err := b.attempt().session(b.Sessions, b.session(task.Implementer, "script"))
	must(t, err)
	if _, statErr := os.Stat(filepath.Join(b.work(), "x.go")); res.Kind != agent.Completed || statErr != nil {
		t.Errorf("%+v, %v", res, statErr)
	}
	b.Agents["script"] = says(planText)
	if res, err = b.attempt().session(b.Sessions, b.session(task.Planner, "script")); err != nil || res.Kind != agent.Completed {
		t.Errorf("a planner that wrote nothing: %+v, %v", res, err)
	}
}

// A change that is too long for a prompt reaches the reviewer as a file, which policy lets it read. Its shell may only read.
func TestReviewerReadsALongChange(t *testing.T) {
	t.Parallel()
	var prompt, whole string
	var verdicts []bool
	reviewer := &player{play: func(ctx context.Context, s agent.Session, _ func(agent.Event)) (agent.Outcome, error) {
		prompt = s.Prompt
		path := filepath.Join(s.StateDir, changeFile)
		data, err := os.ReadFile(path)
		whole = string(data)
		for _, c := range []agent.Call{
			{Tool: "Read", Input: json.RawMessage(`{"file_path":"` + path + `"}`)},
			{Tool: "Read", Input: json.RawMessage(`{"file_path":"` + filepath.Join(s.StateDir, "other") + `"}`)},
			{Tool: "Bash", Dir: s.Dir, Input: json.RawMessage(`{"command":"git log --oneline -3 && git diff HEAD~1 -- long.txt | head -50"}`)},
			{Tool: "Bash", Dir: s.Dir, Input: json.RawMessage(`{"command":"echo x > new.txt"}`)},
			{Tool: "Bash", Dir: s.Dir, Input: json.RawMessage(`{"command":"frobnicate --all"}`)}, // unknown: nobody is asked
		} {
			verdicts = append(verdicts, s.Permit(ctx, c).Allow)
		}
		return agent.Outcome{Kind: agent.Completed, Answer: json.RawMessage(`{"verdict":"approved","text":"fine"}`)}, err
	}}
	b := newBench(t, nil)
	data, err := os.MkdirTemp("/var/tmp", "longshift-test-") // like a real data folder it is where policy lets nobody read
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(data) })
	b.startOn(data, map[string]agent.Agent{task.AgentClaude: reviewer})
	b.prepare()
	gittest.Write(t, b.work(), map[string]string{"long.txt": strings.Repeat("a line of text\n", 20_000)})
	b.commit(1, nil)
	res, err := b.attempt().session(b.Sessions, b.session(task.Reviewer, task.AgentClaude))
	must(t, err)
	if res.Kind != agent.Completed || strings.Count(whole, "+a line of text\n") != 20_000 {
		t.Errorf("%s (%s); the file has %d bytes", res.Kind, res.Error, len(whole))
	}
	if len(prompt) > 140<<10 || !strings.Contains(prompt, "all of it is in `") || !strings.Contains(prompt, changeFile) {
		t.Errorf("the prompt has %d bytes and begins %.300q", len(prompt), prompt)
	}
	if want := []bool{true, false, true, false, false}; !slices.Equal(verdicts, want) {
		t.Errorf("verdicts %v, want %v", verdicts, want)
	}
}
