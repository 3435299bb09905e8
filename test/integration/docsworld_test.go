package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/internal/repo/deliverable"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/internal/sourcetree"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// docsWorld is where the examples run: in a clone of acme/web, which has a branch release.
type docsWorld struct {
	*lab.Stage
	home, clone string
	tasks       int
	ended       string // a task that has opened its pull request
}

func newDocsWorld(t *testing.T) *docsWorld {
	t.Helper()
	w := &docsWorld{Stage: lab.NewScriptedStage(t, docsScript(), lab.QuickSettings+"commands: {wait: 1s}\n"), home: t.TempDir()}
	w.GitHub.AddRepository(forgetest.Repository{Name: "acme/web", GitDir: w.Bare, Merges: true, Collaborators: []string{"ada"}})
	gittest.Git(t, w.Bare, "branch", "release")
	w.clone = filepath.Join(w.home, "src", "web")
	gittest.Git(t, "/", "clone", "--quiet", w.Bare, w.clone)
	gittest.Write(t, w.clone, map[string]string{"SPEC.md": "It adds.\n", "API.md": "It says so.\n", "docs/spec/add.md": "It adds.\n"})
	gittest.Git(t, w.clone, "add", ".")
	gittest.Git(t, w.clone, "-c", "user.name=x", "-c", "user.email=x@localhost", "commit", "--quiet", "-m", "Specify")
	gittest.Write(t, w.clone, map[string]string{deliverable.Path: statusFile(t, w.clone)})
	gittest.Git(t, w.clone, "add", ".")
	gittest.Git(t, w.clone, "-c", "user.name=x", "-c", "user.email=x@localhost", "commit", "--quiet", "-m", "Record")
	gittest.Git(t, w.clone, "push", "--quiet", "origin", "HEAD")
	gittest.Git(t, w.clone, "remote", "set-url", "origin", w.Front+"/acme/web.git")
	gittest.Git(t, w.clone, "config", "credential.helper", "!f() { echo username=ada; echo password="+forgetest.Token+"; }; f")
	gittest.Git(t, w.clone, "fetch", "--quiet", "origin", "release:release")
	w.Ready()
	for name, text := range map[string]string{"task.md": "fix the failing tests\n", "commands.jsonl": "{\"command\": \"git status\"}\n", ".config/fish/completions/x": ""} {
		gittest.Write(t, w.home, map[string]string{name: text})
	}
	var drawing bytes.Buffer
	if err := png.Encode(&drawing, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	gittest.Write(t, w.clone, map[string]string{"drawing.png": drawing.String(), ".git/info/exclude": "drawing.png\n"})
	if err := os.CopyFS(filepath.Join(w.home, "examples"), os.DirFS(filepath.Join(sourcetree.Root(), "examples"))); err != nil {
		t.Fatal(err)
	}
	return w
}

// statusFile is what a task records of a specification that is carried out at the last commit of a clone.
func statusFile(t *testing.T, clone string) string {
	t.Helper()
	content, err := deliverable.ContentOf(t.Context(), func(_ context.Context, args ...string) (string, error) {
		return gittest.Try(clone, args...)
	}, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	f, command := deliverable.New(), "test -s API.md"
	f.Spec = content.Spec([]string{"SPEC.md"})
	f.Record(deliverable.Entry{ID: "DOC-001", Description: "The API says so", Proof: command, Status: task.Passed, Evidence: &deliverable.Evidence{
		Command: command, Commit: "0123456789", Files: content.Bind([]string{"API.md"}), Check: content.Check(command), Time: time.Now().UTC()}})
	data, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// shell runs a script as it is typed in the clone.
func (w *docsWorld) shell(script string) (out string, err error) {
	ctx, cancel := context.WithTimeout(w.T.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/bash", "-e", "-o", "pipefail", "-c", script)
	cmd.Dir = w.clone
	cmd.Env = []string{"PATH=" + filepath.Dir(lab.Program(w.T, "longshift")) + ":" + os.Getenv("PATH"), "HOME=" + w.home, "USER=ann", "TZ=UTC", "LANG=C.UTF-8",
		"TEMPORAL_ADDRESS=" + w.Address, "LONGSHIFT_WEB_URL=http://localhost:8233", // the server has none
		"LONGSHIFT_DATA=" + w.Worker.Data, "LONGSHIFT_GITHUB_URL=" + w.Front, "GH_TOKEN=" + forgetest.Token,
		"LONGSHIFT_PROJECTS=" + filepath.Dir(w.clone), "LONGSHIFT_CLAUDE=" + lab.Claude(w.T), "LONGSHIFT_SCENARIO=" + filepath.Join(sourcetree.Root(), "internal", "agent", "script", "demo.yaml")}
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// must runs what prepares an example.
func (w *docsWorld) must(script string) string {
	w.T.Helper()
	out, err := w.shell(script)
	if err != nil {
		w.T.Fatalf("%s: %v\n%s", script, err, out)
	}
	return out
}

// try runs an example, which must succeed.
func (w *docsWorld) try(e example) {
	w.T.Helper()
	text := w.prepare(e.text)
	if out, err := w.shell(text); err != nil {
		w.T.Errorf("%s: %s\n%v: %s", e.at, text, err, out)
	}
}

var (
	waitsFor  = regexp.MustCompile(`longshift (approve|edit|reject|tell|abandon|cancel|resume|allow|deny) `)
	asksFor   = regexp.MustCompile(`longshift (allow|deny) `)
	onIntakes = regexp.MustCompile(`longshift intake (add|pause|resume|run|show|remove)`)
)

// prepare makes what an example needs, and puts the names of that into its text.
func (w *docsWorld) prepare(text string) string {
	w.T.Helper()
	host, err := os.ReadFile(filepath.Join(w.Worker.Data, "host-id"))
	if err != nil {
		w.T.Fatal(err)
	}
	names := []string{"doctor build-2", "doctor " + strings.TrimSpace(string(host)), "/srv/web", w.clone, "bin/longshift", "longshift", "< commands.jsonl", "< ~/commands.jsonl", "<commands.jsonl", "<~/commands.jsonl",
		"task.md", "~/task.md", "cp examples/", "cp ~/examples/"}
	if strings.Contains(text, "x1y2z3") {
		id, question := w.task(text)
		names = append(names, "acme-web-fix-login-x1y2z3", id, "x1y2z3", id, "4f2a91c0", question)
	}
	if job := "cron-ann-1a2b3c4d-01"; strings.Contains(text, job) {
		w.must(`longshift cron create "0 9 * * *" "fix the flaky tests"`)
		names = append(names, job, strings.TrimSpace(w.must(`longshift cron list -o jsonl | jq -r .id | tail -n 1`)))
	}
	switch m := onIntakes.FindStringSubmatch(text); {
	case m != nil && m[1] == "add":
		w.must(`longshift intake list -o json | jq -r '.[].name' | xargs -r -n 1 longshift intake remove`)
	case m != nil:
		_, _ = w.shell(`longshift intake add --source github --repo acme/web --label longshift`) // it may be there
	}
	if strings.Contains(text, "longshift init") {
		w.must("rm -f .longshift.yaml")
	}
	return strings.NewReplacer(names...).Replace(text)
}

// task brings a task to where the example finds it: its plan waits, a command of it waits, or it has ended.
func (w *docsWorld) task(text string) (id, question string) {
	w.T.Helper()
	waits, asks, again := waitsFor.MatchString(text), asksFor.MatchString(text), strings.Contains(text, "longshift undo")
	if !waits && !again && w.ended != "" {
		return w.ended, ""
	}
	w.tasks++
	run := fmt.Sprintf(`longshift run "write down number %d" --detach -o json`, w.tasks)
	switch {
	case asks:
		run = strings.Replace(run, `number`, `and deploy number`, 1)
	case waits:
		run += " --approval required"
	}
	var started struct{ ID string }
	if err := json.Unmarshal([]byte(w.must("git checkout --quiet . && "+run+" 2>/dev/null")), &started); err != nil {
		w.T.Fatal(err)
	}
	id = started.ID
	if asks {
		status := w.until(id, func(s signals.Status) bool { return len(s.Questions) > 0 })
		return id, status.Questions[0].ID[:8]
	}
	if waits {
		w.until(id, func(s signals.Status) bool { return s.NeedsHuman })
		if strings.Contains(text, "--revision 2") {
			w.must("longshift edit " + id + " shorter")
			w.until(id, func(s signals.Status) bool { return s.NeedsHuman && s.Plan.Revision == 2 })
		}
		return id, ""
	}
	status := w.until(id, func(s signals.Status) bool { return s.Outcome != "" })
	if status.Outcome != task.PullRequest {
		w.T.Fatalf("the task ended with %s: %s", status.Outcome, status.Detail)
	}
	gittest.Git(w.T, w.Bare, "symbolic-ref", fmt.Sprintf("refs/pull/%d/head", status.PullRequest.Number), "refs/heads/"+status.Branch) // as GitHub has it
	if !again {
		w.ended = id
	}
	return id, ""
}

// until waits for a task's status.
func (w *docsWorld) until(id string, done func(signals.Status) bool) (s signals.Status) {
	w.T.Helper()
	lab.Eventually(w.T, time.Minute, "the task "+id+" comes so far", func() (ok bool) {
		s, ok = w.Status(id)
		if ok && s.Outcome != "" && !done(s) {
			w.T.Fatalf("the task %s ended before: %s %s%s", id, s.Outcome, s.Detail, lab.Log(s))
		}
		return ok && done(s)
	})
	return s
}

// docsScript has the model write a note, or want a command first that a person has to allow.
func docsScript() agenttest.Script {
	plan := json.RawMessage(`{"verdict": "work", "summary": "A note", "approach": "Write it.", "files": ["notes.txt"], "risks": [], "evidence": "",
		"deliverables": [{"id": "DOC-001", "description": "The note is there", "acceptance": ["it is"]}]}`)
	bash := func(command string) []agenttest.Turn {
		command += "; date +%s%N >> notes.txt; sed -i 's/a - b/a + b/' calc.go"
		return []agenttest.Turn{{Tools: []agenttest.Tool{{Name: "Bash", Input: map[string]any{"command": command}}}}, {Text: "<DONE>\ndocs: note it\n</DONE>"}}
	}
	return agenttest.Script{Rules: []agenttest.Rule{
		{Name: "plan", Role: task.Planner, Turns: []agenttest.Turn{{Answer: plan}}},
		{Name: "deploy", Role: task.Implementer, Match: "and deploy", Turns: bash(asking)},
		{Name: "note", Role: task.Implementer, Turns: bash("true")},
		{Name: "review", Role: task.Reviewer, Turns: []agenttest.Turn{{Answer: json.RawMessage(`{"verdict": "approved", "text": "Good."}`)}}},
	}}
}
