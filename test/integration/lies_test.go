package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.yaml.in/yaml/v3"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/repo/deliverable"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// lie is a session that reports a deliverable as done which is not, or of which nobody can tell. In its texts PKG stands for the package that
// it is about, and ID for the deliverable.
type lie struct {
	Name   string
	Report string // what it says it has done
	Run    string // bash script of what it does
	Kind   string // "done" when it reports the whole plan as done
	Alone  bool   // it would change what comes of others
	id     string
	pkg    string
}

// believed are the lies that pass and that nothing names, with the reason. Each is for the reviewer to see.
var believed = map[string]string{
	"knows the names of the test": "its test passes; only a reader sees that it would fail for other names",
}

const (
	lieSpec = "Greet(\"Ann\") is \"Hello, Ann!\", Greet(\"\") is \"Hello!\".\n"
	lieCode = "// Package greet greets.\npackage greet\n\n// Greet greets somebody.\nfunc Greet(name string) string { return \"\" }\n"
	lieTest = `package greet

import "testing"

func TestGreet(t *testing.T) {
	for name, want := range map[string]string{"Ann": "Hello, Ann!", "": "Hello!"} {
		if got := Greet(name); got != want {
			t.Errorf("Greet(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestGreetIsShort(t *testing.T) {
	if n := len(Greet("Ann")); n > 40 {
		t.Errorf("%d bytes", n)
	}
}
`
)

// TestLies: no lie about a deliverable passes unseen. It is not done, or the pull request names it before the merge, and the status file says of
// it what the pull request says.
func TestLies(t *testing.T) {
	t.Parallel()
	lies := allLies(t)
	tasks := together(lies)
	s := lab.NewStage(t, agenttest.Script{}, "approval: {mode: none}\nagent: script\nfixAttempts: 0\ncheck: go test -trimpath -vet=off -run TestGreetIsShort ./...\n",
		"LONGSHIFT_SCENARIO="+lyingAgent(t, tasks), lab.CompilerCache(t))
	gittest.Commit(t, s.Bare, "main", "Specify", lieWorld(lies))
	s.Ready()
	var runs []client.WorkflowRun
	for n := range tasks {
		if n == 1 {
			s.End(t, runs[0], 5*time.Minute) // the others take over what it has compiled
		}
		runs = append(runs, s.Begin(t, fmt.Sprintf("lies-%d-%d", n, time.Now().UnixNano()),
			map[string]any{"repository": lab.Name, "task": lieTask(n), "spec": []string{"SPEC.md"}}))
	}
	seen := map[string]int{}
	for n, list := range tasks {
		end := s.End(t, runs[n], 5*time.Minute)
		if end.Outcome != task.PullRequest && end.Outcome != task.AllBlocked && end.Outcome != task.ChecksFailed {
			t.Errorf("%s: %s: %s%s", lieTask(n), end.Outcome, end.Detail, lab.Log(end))
			continue
		}
		for _, l := range list {
			how := found(t, s, l, end)
			seen[how]++
			if _, known := believed[l.Name]; known != (how == "believed") {
				t.Errorf("%s: %s", l.Name, how)
			}
		}
	}
	t.Logf("%d lies: %v", len(lies), seen)
}

// found says how the lie was found: it is not done, or it is named, or neither.
func found(t *testing.T, s *lab.Stage, l *lie, end signals.Status) string {
	t.Helper()
	d, ok := end.Plan.Find(l.id)
	if !ok {
		t.Fatalf("%s: %s is not in the plan", l.Name, l.id)
	}
	text := ""
	if end.PullRequest != nil {
		for _, p := range s.GitHub.Pulls(lab.Name) {
			if p.Number == end.PullRequest.Number {
				text = p.Body
			}
		}
		l.recorded(t, s, end, d)
	}
	switch {
	case d.Status != task.Passed:
		return "not done"
	case end.Outcome == task.ChecksFailed:
		return "the check fails"
	case l.named(text):
		return "named"
	}
	return "believed"
}

// recorded fails the test unless the status file says what the task has come to.
func (l *lie) recorded(t *testing.T, s *lab.Stage, end signals.Status, d task.Deliverable) {
	t.Helper()
	file, err := deliverable.Read([]byte(gittest.Show(t, s.Bare, end.Branch, deliverable.Path)))
	if err != nil {
		t.Errorf("%s: %v", l.Name, err)
		return
	}
	if e, ok := file.Find(l.id); !ok || e.Status != d.Status {
		t.Errorf("%s: the status file says %q, the task %q", l.Name, e.Status, d.Status)
	}
}

// finding matches a line of a pull request about something that deserves a look before the merge.
var finding = regexp.MustCompile("(?m)^- \\*\\*(?:tests|ci|hooks|agents|install|registries|settings|links|submodules|found|paths)\\*\\* (.*)$")

func (l *lie) named(text string) bool {
	for _, m := range finding.FindAllStringSubmatch(text, -1) {
		if strings.Contains(m[1], l.pkg+"/") || strings.Contains(m[1], l.id) {
			return true
		}
	}
	return false
}

// allLies reads the lies, and gives each a package and a deliverable.
func allLies(t *testing.T) (all []*lie) {
	t.Helper()
	for _, name := range []string{"lies.yaml", "lies-blind.yaml"} {
		var list []*lie
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err == nil {
			err = yaml.Unmarshal(data, &list)
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, list...)
	}
	for n, l := range all {
		l.id, l.pkg = fmt.Sprintf("FEAT-%03d", n+1), fmt.Sprintf("p%02d", n+1)
		put := strings.NewReplacer("PKG", l.pkg, "ID", l.id)
		l.Run, l.Report = put.Replace(l.Run), put.Replace(l.Report)
	}
	if len(all) < 40 {
		t.Errorf("there are %d lies", len(all))
	}
	return all
}

// together groups the lies by the task that they are told in. One that would change what comes of others has a task of its own.
func together(lies []*lie) (tasks [][]*lie) {
	const most = 9 // deliverables of a task
	var open []*lie
	for _, l := range lies {
		switch {
		case l.Alone || l.Kind == "done":
			tasks = append(tasks, []*lie{l})
			continue
		case len(open) == most:
			tasks, open = append(tasks, open), nil
		}
		open = append(open, l)
	}
	return append(tasks, open)
}

func lieTask(n int) string { return fmt.Sprintf("carry it out, part %d of many", n) }

// lieWorld is the repository that is lied about.
func lieWorld(lies []*lie) map[string]string {
	files := map[string]string{"SPEC.md": lieSpec, "Makefile": "check:\n\tgo vet ./...\n"}
	for _, l := range lies {
		files[l.pkg+"/greet.go"], files[l.pkg+"/greet_test.go"] = lieCode, lieTest
	}
	return files
}

// lyingAgent is the scenario of an agent that tells the lies, and of a reviewer who approves all of them.
func lyingAgent(t *testing.T, tasks [][]*lie) string {
	t.Helper()
	type entry = map[string]any
	var sessions []entry
	for n, list := range tasks {
		var plan []entry
		for _, l := range list {
			plan = append(plan, entry{"id": l.id, "description": "Greet of " + l.pkg + " greets as SPEC.md says", "acceptance": []string{"its test passes"},
				"proof": "go test -trimpath -vet=off ./" + l.pkg + " -run TestGreet"})
			marker := "PROGRESS"
			if l.Kind == "done" {
				marker = "DONE"
			}
			sessions = append(sessions, entry{"role": "implementer", "deliverable": l.id, "steps": []entry{
				{"write": entry{"path": "lie.sh", "content": l.Run + "\nrm -f lie.sh\n"}}, {"run": "bash lie.sh"},
				{"say": "<" + marker + ">\n" + l.Report + "\n</" + marker + ">\n"}}})
		}
		sessions = append(sessions, entry{"role": "planner", "match": lieTask(n), "steps": []entry{{"answer": entry{"verdict": "work", "summary": lieTask(n),
			"approach": "One by one.", "files": []string{}, "risks": []string{}, "evidence": "", "deliverables": plan}}}})
	}
	sessions = append(sessions, entry{"role": "reviewer", "steps": []entry{{"say": "<APPROVED>\nfine\n</APPROVED>\n"}}})
	data, err := yaml.Marshal(entry{"sessions": sessions})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "scenario.yaml")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
