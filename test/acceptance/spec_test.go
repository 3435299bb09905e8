package acceptance

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/deliverable"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// TestSpecification is a specification from its first run to a later sync, by the commands that a person types: a deliverable that is
// done, one that can't be, one that the specification later drops; what changes afterwards, and what a script of CI says of it.
func TestSpecification(t *testing.T) {
	t.Parallel()
	eachEngineer(t, specification)
}

func specification(t *testing.T, e engineer) {
	d := startDevFor(t, e, specScript())
	repo := plain(t, d.person, filepath.Join(d.home, "src", "calc"), map[string]string{
		"SPEC.md": "# calc\n\nSum adds numbers. Beep beeps. The README says how to build.\n",
		"go.mod":  "module example.com/calc\n\ngo 1.24\n", "README.md": "# calc\n", "calc.go": "package calc\n",
		".longshift.yaml": "approval: {mode: none}\ncheck: go vet ./...\n",
	})
	s := &specified{d, repo}

	end := s.run(t, fault.ExitOK, "spec", "run")
	if got := outcomes(end.Plan); got != "FEAT-001 passed, FEAT-002 blocked, DOC-003 passed" {
		t.Fatalf("the run comes to %s%s", got, lab.Log(end))
	}
	if n := slices.IndexFunc(end.Sessions, func(s signals.Session) bool { return s.Deliverable == "FEAT-002" }); n != 3 {
		t.Errorf("a session that claimed to be done was believed: %+v", end.Sessions)
	}
	before := d.git(t, repo, "rev-parse", "HEAD")
	d.git(t, repo, "merge", "--quiet", "--squash", end.Branch)
	d.git(t, repo, "commit", "--quiet", "--message=Sum")
	if got := s.state(t); got != "2 of 3: FEAT-001 passed, FEAT-002 blocked, DOC-003 passed" {
		t.Errorf("after the merge it is %s", got)
	}
	d.compiled("go-build", "go-build") // by the person's own go, or it would compile the standard library first
	if r := d.longshift(t, time.Minute, repo, nil, "spec", "sync", "--check", "--rerun"); r.code != fault.ExitFailed || !strings.Contains(r.out, "FEAT-002  blocked: no device") {
		t.Errorf("the script of CI ends with %d: %s%s", r.code, r.out, r.err)
	}
	must(t, os.RemoveAll(filepath.Join(d.home, ".config"))) // the person's own go has left it
	if on := s.run(t, fault.ExitFailed, "spec", "run"); on.Outcome != task.AllBlocked || outcomes(on.Plan) != "FEAT-002 blocked" ||
		on.Sessions[0].Role != task.Implementer {
		t.Errorf("a run that goes on: %s, %s, %+v", on.Outcome, outcomes(on.Plan), on.Sessions)
	}

	s.commit(t, map[string]string{"SPEC.md": "# calc\n\nSum adds numbers. Beep beeps.\n", "sum.go": sumGo + "\n// Sum is used by many.\n"})
	if got := s.state(t); got != "1 of 3, SPEC.md has changed: FEAT-001 passed (evidence outdated), FEAT-002 blocked, DOC-003 passed" {
		t.Errorf("after changes it is %s", got)
	}
	synced := s.run(t, fault.ExitOK, "spec", "sync")
	if names := d.git(t, repo, "diff", "--name-only", "HEAD..."+synced.Branch); names != deliverable.Path {
		t.Errorf("the sync changes %q", names)
	}
	d.git(t, repo, "merge", "--quiet", "--ff-only", synced.Branch)
	if got := s.state(t); got != "1 of 2: FEAT-001 passed, FEAT-002 blocked, DOC-003 deprecated" {
		t.Errorf("after the sync it is %s", got)
	}
	again := s.run(t, fault.ExitOK, "spec", "sync")
	if again.Outcome != task.AlreadyDone || len(again.Sessions) != 1 {
		t.Errorf("a second sync: %s after %d sessions", again.Outcome, len(again.Sessions))
	}
	if names := d.git(t, repo, "diff", "--name-only", before, "HEAD"); strings.Contains(names, "local.env") {
		t.Errorf("committed are %q", names)
	}
	for _, c := range d.model.Unscripted() {
		t.Errorf("a call that no rule fits: %s", c.Error)
	}
	s.many(t)
}

// many syncs sixty deliverables of which three have changed.
func (s *specified) many(t *testing.T) {
	t.Helper()
	files := map[string]string{"SPEC.md": "Sixty parts.\n", ".longshift.yaml": "approval: {mode: none}\n"}
	for n := range 60 {
		files[fmt.Sprintf("parts/%02d.txt", n)] = "part\n"
	}
	repo := plain(t, s.person, filepath.Join(s.home, "src", "parts"), files)
	s = &specified{s.dev, repo}
	content := s.content(t)
	f := deliverable.New()
	f.Spec = content.Spec([]string{"SPEC.md"})
	for n := range 60 {
		file := fmt.Sprintf("parts/%02d.txt", n)
		command := "grep part " + file
		f.Record(deliverable.Entry{ID: fmt.Sprintf("PART-%03d", n), Description: fmt.Sprintf("Part %d is there", n), Proof: command, Status: task.Passed,
			Evidence: &deliverable.Evidence{Command: command, Commit: "c", Files: content.Bind([]string{file}), Check: content.Check(command)}})
	}
	data, err := f.Bytes()
	must(t, err)
	s.commit(t, map[string]string{deliverable.Path: string(data)})
	s.commit(t, map[string]string{"parts/07.txt": "part 7\n", "parts/27.txt": "part 27\n", "parts/47.txt": "part 47\n"})
	calls, begun := len(s.model.Calls()), time.Now()
	end := s.run(t, fault.ExitOK, "spec", "sync")
	took := time.Since(begun)
	s.git(t, repo, "merge", "--quiet", "--ff-only", end.Branch)
	if got, _, _ := strings.Cut(s.state(t), ":"); got != "60 of 60" || len(end.Sessions) != 4 {
		t.Errorf("%s after %d sessions", got, len(end.Sessions))
	}
	t.Logf("sync of 60 deliverables, 3 of them changed: %d sessions, %d model calls, %.1f s", len(end.Sessions), len(s.model.Calls())-calls, took.Seconds())
}

// specified is a repository with a specification, in the hands of a person with a dev.
type specified struct {
	*dev
	repo string
}

// run runs a command that starts a task, and gives the last status.
func (s *specified) run(t *testing.T, code int, args ...string) (end signals.Status) {
	t.Helper()
	r := s.longshift(t, within, s.repo, s.address, append(args, "-o", "json")...)
	if r.code != code {
		t.Fatalf("longshift %q ended with %d:\n%s\n%s", args, r.code, r.err, r.out)
	}
	must(t, json.Unmarshal([]byte(r.out), &end))
	return end
}

// state is what spec status says, on one line.
func (s *specified) state(t *testing.T) string {
	t.Helper()
	r := s.longshift(t, time.Minute, s.repo, nil, "spec", "status", "-o", "json")
	var rows struct {
		Passed, Of   int
		SpecChanged  []string
		Deliverables []struct{ ID, State string }
	}
	if err := json.Unmarshal([]byte(r.out), &rows); err != nil || r.code != fault.ExitOK {
		t.Fatalf("spec status ended with %d: %s%s", r.code, r.out, r.err)
	}
	head := fmt.Sprintf("%d of %d", rows.Passed, rows.Of)
	for _, name := range rows.SpecChanged {
		head += ", " + name + " has changed"
	}
	var list []string
	for _, d := range rows.Deliverables {
		list = append(list, d.ID+" "+d.State)
	}
	return head + ": " + strings.Join(list, ", ")
}

func (s *specified) commit(t *testing.T, files map[string]string) {
	t.Helper()
	write(t, s.repo, files)
	s.git(t, s.repo, "add", "--all")
	s.git(t, s.repo, "commit", "--quiet", "--message=Go on")
}

func (s *specified) content(t *testing.T) *deliverable.Content {
	t.Helper()
	c, err := deliverable.ContentOf(t.Context(), func(_ context.Context, args ...string) (string, error) {
		return s.git(t, s.repo, args...), nil
	}, "HEAD")
	must(t, err)
	return c
}

func outcomes(p *task.Plan) string {
	var list []string
	for _, d := range p.Deliverables {
		list = append(list, d.ID+" "+string(d.Status))
	}
	return strings.Join(list, ", ")
}

const sumGo = "package calc\n\n// Sum adds numbers.\nfunc Sum(all ...int) (n int) {\n\tfor _, a := range all {\n\t\tn += a\n\t}\n\treturn n\n}\n"

// specScript is what the model says. Its first session on FEAT-001 claims to be done with nothing but a file that git ignores.
func specScript() agenttest.Script {
	test := "package calc\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(1, 2) != 3 {\n\t\tt.Fatal(Sum(1, 2))\n\t}\n}\n"
	plan := func(verdict string, more map[string]any) agenttest.Turn {
		p := map[string]any{"verdict": verdict, "summary": "What the specification asks for", "approach": "Step by step.", "files": []string{}, "risks": []string{},
			"evidence": "", "lines": 20, "split": []string{}, "deprecated": []string{}, "deliverables": []any{}}
		if verdict == "already_done" {
			p["evidence"] = "all of it is recorded"
		}
		for k, v := range more {
			p[k] = v
		}
		return answer(p)
	}
	one := func(id, text, proof string) map[string]any {
		return map[string]any{"id": id, "description": text, "acceptance": []string{"its proof passes"}, "proof": proof}
	}
	done := func(id, status, text string) agenttest.Turn {
		return report("deliverable_set_status", map[string]any{"id": id, "status": status, "text": text})
	}
	call := func(s step) agenttest.Turn { return agenttest.Turn{Tools: []agenttest.Tool{s.tool}} }
	put := func(path, content string) agenttest.Turn {
		return call(use("Write", nil, map[string]any{"file_path": path, "content": content}))
	}
	approve := answer(map[string]any{"verdict": "approved", "text": "It does what is asked for."})
	verify := func(id string) agenttest.Turn {
		return report("deliverable_verify", map[string]any{"id": id, "holds": true, "text": "ran its proof"})
	}
	rules := []agenttest.Rule{
		{Name: "plan", Role: task.Planner, Match: "Carry out the specification", Turns: []agenttest.Turn{call(read("SPEC.md")), plan("work", map[string]any{
			"deliverables": []any{one("FEAT-001", "Sum adds numbers", "go test -run TestSum ."), one("FEAT-002", "Beep beeps", "go test -run TestBeep ."),
				one("DOC-003", "The README says how to build", "grep -q 'go build' README.md")}})}},
		{Name: "sum", Role: task.Implementer, Match: `/(?s)Deliverable: FEAT-001.*has reported this deliverable as complete/`, Turns: []agenttest.Turn{put("sum.go", sumGo), put("sum_test.go", test),
			call(bash("go test ./...")), done("FEAT-001", "passed", "feat: sum numbers")}},
		{Name: "sum-lies", Role: task.Implementer, Match: "Deliverable: FEAT-001", Turns: []agenttest.Turn{
			call(either(`mkdir -p .longshift && echo '{"version":1,"deliverables":[]}' > .longshift/deliverables.json`)), done("FEAT-001", "passed", "feat: sum")}},
		{Name: "beep", Role: task.Implementer, Match: "Deliverable: FEAT-002", Turns: []agenttest.Turn{done("FEAT-002", "blocked", "no device to beep with")}},
		{Name: "doc", Role: task.Implementer, Match: "Deliverable: DOC-003", Turns: []agenttest.Turn{call(bash("echo 'Run go build.' >> README.md")),
			done("DOC-003", "passed", "docs: say how to build")}},
		{Name: "review", Role: task.Reviewer, Match: "# The change", Turns: []agenttest.Turn{approve, // is not accepted
			verify("FEAT-001"), verify("DOC-003"), approve}},
		{Name: "sync", Role: task.Planner, Match: "/(?s)Bring the deliverables in line.*`FEAT-001`/", Turns: []agenttest.Turn{call(read("SPEC.md")),
			plan("work", map[string]any{"deprecated": []string{"DOC-003"}})}},
		{Name: "sync-again", Role: task.Planner, Match: "Bring the deliverables in line", Turns: []agenttest.Turn{plan("already_done", nil)}},
		{Name: "verify", Role: task.Reviewer, Match: "# The deliverable to confirm", Turns: []agenttest.Turn{call(read("SPEC.md")),
			answer(map[string]any{"verdict": "approved", "text": "It still holds."})}},
	}
	return agenttest.Script{Rules: slices.Clip(rules)}
}
