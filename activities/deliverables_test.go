package activities

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/internal/repo/deliverable"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

var recordedAt = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// record has the host write the status file.
func (b *bench) record(head string, all ...Recorded) Committed {
	b.t.Helper()
	var out Committed
	must(b.t, b.attempt().run(b.RecordDeliverables, RecordInput{Ref: b.ref, Spec: []string{"README.md"}, Deliverables: all, Head: head,
		At: recordedAt}, &out))
	return out
}

// at reads the status file of a commit of the remote.
func (b *bench) at(commit string) deliverable.Report {
	b.t.Helper()
	content, err := deliverable.ContentOf(b.t.Context(), func(_ context.Context, args ...string) (string, error) {
		return gittest.Try(b.remote, args...)
	}, commit)
	must(b.t, err)
	file, err := content.File()
	must(b.t, err)
	if file == nil {
		b.t.Fatalf("%s has no status file", commit)
	}
	return file.At(content)
}

func provedAt(commit string) *task.Proved {
	return &task.Proved{Commit: commit, Ran: &task.Ran{N: 2, Of: task.RanTests}, Clean: true, Output: "tasks/t/logs/proof-02.log", At: recordedAt}
}

// The status file says of each deliverable what its commits have changed, as it is at the end, and keeps what earlier tasks have recorded.
func TestRecordDeliverables(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	base := b.made.Head
	gittest.Write(t, b.work(), map[string]string{"sum.go": "package calc\n\n// Sum\n", "calc.go": "package calc // one\n"})
	one := b.commit(1, nil).Commit
	gittest.Write(t, b.work(), map[string]string{"calc.go": "package calc // two\n"})
	two := b.commit(2, nil).Commit
	first := Recorded{Deliverable: task.Deliverable{ID: "FEAT-001", Description: "It sums", Proof: "go test -run TestSum", Status: task.Passed, Proved: provedAt(two)},
		Command: "go test -run TestSum", Session: "session-1", Verified: "review-1", Made: []Span{{base, one}, {one, strings.Repeat("0", 40)}}}
	list := []Recorded{first,
		{Deliverable: task.Deliverable{ID: "FEAT-002", Description: "It says so", Status: task.Passed, Proved: provedAt(two)},
			Command: "go test ./...", Session: "session-2", Made: []Span{{one, two}}},
		{Deliverable: task.Deliverable{ID: "FEAT-003", Description: "It divides", Status: task.Blocked, Reason: "by zero?"}},
		{Deliverable: task.Deliverable{ID: "FEAT-004", Description: "It is liked", Status: task.Passed}},
	}
	out := b.record(two, list...)
	if got := b.checkpoint(); got != out.Commit || !out.Created {
		t.Errorf("the checkpoint is %s, the commit %+v", got, out)
	}
	r := b.at(out.Commit)
	var got []string
	for _, s := range r.All {
		files := ""
		if s.Evidence != nil {
			files = " " + strings.Join(slices.Sorted(maps.Keys(s.Evidence.Files)), " ")
		}
		got = append(got, s.ID+" "+string(s.State)+" "+s.Why+files)
	}
	want := "FEAT-001 passed  calc.go sum.go|FEAT-002 passed  calc.go|FEAT-003 blocked by zero?|FEAT-004 pending no command has shown that it is done"
	if text := strings.Join(got, "|"); text != want {
		t.Errorf("recorded\n%s, wanted\n%s", text, want)
	}
	e := r.All[0].Entry
	if ev := e.Evidence; ev.Commit != two || ev.Session != "session-1" || ev.Tests.N != 2 || ev.Output == "" || !ev.Time.Equal(recordedAt) ||
		e.Verified == nil || e.Verified.Session != "review-1" {
		t.Errorf("%+v, verified %+v", ev, e.Verified)
	}
	if again := b.record(two, list...); again.Commit != out.Commit || again.Created {
		t.Errorf("the same again is %+v", again)
	}

	if len(r.SpecChanged) > 0 {
		t.Errorf("%v is not what was carried out", r.SpecChanged)
	}
	var part Committed
	must(t, b.attempt().run(b.RecordDeliverables, RecordInput{Ref: b.ref, Spec: []string{"README.md"}, Deliverables: list, Head: out.Commit,
		Partial: true, At: recordedAt}, &part))
	if r := b.at(part.Commit); !slices.Equal(r.SpecChanged, []string{"README.md"}) {
		t.Errorf("a specification that is carried out in part is as it was: %+v", r.SpecChanged)
	}
	b.record(part.Commit, list...)

	// More work: what is not recorded anew stays, and is outdated where its content has changed.
	gittest.Write(t, b.work(), map[string]string{"sum.go": "package calc\n\n// Sum of all\n"})
	three := b.commit(3, nil).Commit
	later := b.record(three, Recorded{Deliverable: task.Deliverable{ID: "FEAT-005", Description: "It rounds", Status: task.Passed, Proved: provedAt(three)},
		Command: "make test", Made: []Span{{out.Commit, three}}})
	r = b.at(later.Commit)
	if r.Of != 5 || r.Passed != 2 || r.All[0].State != deliverable.Outdated || r.All[4].State != deliverable.Passed {
		t.Errorf("%d of %d, %s, %s", r.Passed, r.Of, r.All[0].State, r.All[4].State)
	}
}

// What a session reports or leaves out never makes a status file that its own reader refuses.
func TestRecordedIsReadAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	gittest.Write(t, b.work(), map[string]string{".longshift/notes.md": "a note\n"})
	head := b.commit(1, nil).Commit
	passed := task.Deliverable{ID: "FEAT-001", Description: "It sums", Proof: "make a", Status: task.Passed, Proved: provedAt(head)}
	unbound := passed
	unbound.ID = "FEAT-002"
	out := b.record(head,
		Recorded{Deliverable: passed, Command: "make a", Verified: "review-1", Made: []Span{{b.made.Head, head}}},
		Recorded{Deliverable: unbound, Command: "make a"},
		Recorded{Deliverable: task.Deliverable{ID: "FEAT-003", Description: "It divides", Status: task.Blocked}})
	var got []string
	for _, s := range b.at(out.Commit).All {
		got = append(got, s.ID+" "+s.String())
	}
	const none = "pending: it has changed no file that evidence could be bound to"
	if want := []string{"FEAT-001 " + none, "FEAT-002 " + none, "FEAT-003 blocked: the session has given no reason"}; !slices.Equal(got, want) {
		t.Errorf("recorded\n%q, wanted\n%q", got, want)
	}
}

// Evidence that is renewed is bound to the same files as before, and what is dropped keeps what it had come to.
func TestRenewDeliverables(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	gittest.Write(t, b.work(), map[string]string{"sum.go": "package calc\n", "div.go": "package calc\n"})
	one := b.commit(1, nil).Commit
	make := func(id, command string) Recorded {
		return Recorded{Deliverable: task.Deliverable{ID: id, Description: "x", Proof: command, Status: task.Passed,
			Proved: &task.Proved{Commit: one, Guard: true, At: recordedAt}}, Command: command, Made: []Span{{b.made.Head, one}}}
	}
	first := b.record(one, make("A-001", "make a"), make("A-002", "make b"), make("A-003", "make c"))
	gittest.Write(t, b.work(), map[string]string{"sum.go": "package calc // 2\n"})
	must(t, os.Remove(filepath.Join(b.work(), "div.go")))
	two := b.commit(2, nil).Commit
	again := func(r Recorded, status task.Status) Recorded {
		r.Made, r.Renewed, r.Status = nil, true, status
		r.Proved = provedAt(two)
		return r
	}
	var out Committed
	must(t, b.attempt().run(b.RecordDeliverables, RecordInput{Ref: b.ref, Spec: []string{"README.md"}, Head: two, At: recordedAt, Deprecated: []string{"A-003", "A-009"},
		Deliverables: []Recorded{again(make("A-001", "make a"), task.Passed), again(make("A-002", "make b"), task.Pending)}}, &out))
	if first.Commit == out.Commit {
		t.Fatal("nothing was recorded")
	}
	r := b.at(out.Commit)
	var got []string
	for _, s := range r.All {
		files := 0
		if s.Evidence != nil {
			files = len(s.Evidence.Files)
		}
		got = append(got, fmt.Sprintf("%s %s %d", s.ID, s.State, files))
	}
	if text := strings.Join(got, ", "); text != "A-001 passed 2, A-002 pending 0, A-003 deprecated 2" || !r.All[0].Guard || r.Of != 2 {
		t.Errorf("%s, %+v", text, r.All[0])
	}
}

// TestRedoneKeepsItsFiles: work that is redone stays bound to what it was bound to, beside what has changed now.
func TestRedoneKeepsItsFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	of := func(from, to string) Recorded {
		return Recorded{Deliverable: task.Deliverable{ID: "A-001", Description: "x", Status: task.Passed, Proved: provedAt(to)},
			Command: "make", Made: []Span{{from, to}}}
	}
	gittest.Write(t, b.work(), map[string]string{"sum.go": "package calc\n", "caf\xe9.go": "package calc\n"})
	one := b.commit(1, nil).Commit
	first := b.record(one, of(b.made.Head, one))
	gittest.Write(t, b.work(), map[string]string{"div.go": "package calc\n"})
	two := b.commit(2, nil).Commit
	again := b.record(two, of(first.Commit, two))
	s := b.at(again.Commit).All[0]
	if files := slices.Sorted(maps.Keys(s.Evidence.Files)); len(files) != 3 || s.State != deliverable.Passed {
		t.Errorf("%s, bound to %q", s, files)
	}
	must(t, os.Remove(filepath.Join(b.work(), "sum.go")))
	if s := b.at(b.commit(3, nil).Commit).All[0]; s.State != deliverable.Outdated || s.Why != "sum.go is gone" {
		t.Errorf("without what it was bound to first it is %s", s)
	}
}

// Agents get no word into the status file: not by writing it, not by committing it.
func TestStatusFileIsClosed(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	gittest.Write(t, b.work(), map[string]string{"calc.go": "package calc // one\n", deliverable.Path: `{"version":1,"deliverables":[]}`})
	c := b.commit(1, nil)
	if !strings.Contains(strings.Join(c.Notes, "\n"), deliverable.Path) || !c.Forged {
		t.Errorf("nobody is told: %q, %v", c.Notes, c.Forged)
	}
	out := b.record(c.Commit, Recorded{Deliverable: task.Deliverable{ID: "FEAT-001", Description: "It sums", Status: task.Passed, Proved: provedAt(c.Commit)},
		Command: "make", Made: []Span{{b.made.Head, c.Commit}}})
	if _, there := b.at(out.Commit).All[0].Evidence.Files[deliverable.Path]; there {
		t.Error("evidence is bound to the status file")
	}
	gittest.Write(t, b.work(), map[string]string{"calc.go": "package calc // two\n", deliverable.Path: `{"version":1,"deliverables":[]}`})
	c = b.commit(2, nil)
	if got := b.at(c.Commit).All; len(got) != 1 || got[0].State != deliverable.Outdated {
		t.Errorf("after an agent has emptied it: %+v", got)
	}
	must(t, b.attempt().run(b.PushBranch, PushInput{Ref: b.ref, Reviewed: c.Commit}, nil))

	in := b.session(task.Implementer, "script")
	enforcer, err := b.host.Commands.rules.of(in, b.work(), b.work()+"/home", b.work()+"/cache")
	must(t, err)
	call := agent.Call{Tool: "Write", Dir: b.work(), Input: []byte(`{"file_path":"` + filepath.Join(b.work(), deliverable.Path) + `","content":""}`)}
	if d := enforcer.judge(call); d.Verdict == policy.Allow {
		t.Errorf("policy lets a session write it: %+v", d)
	}
}

// What a task is told of the status file is what git says of it; a broken one stops it with the line.
func TestKnownDeliverables(t *testing.T) {
	t.Parallel()
	content := func(entries ...deliverable.Entry) string {
		f := deliverable.New()
		f.Spec = map[string]string{"docs/api.md": "a1", "gone.md": "g1", "SPEC.md": "s1"}
		f.Record(entries...)
		data, err := f.Bytes()
		must(t, err)
		return string(data)
	}
	b := newBench(t, nil)
	old := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	evidence := &deliverable.Evidence{Command: "make", Commit: "c", Files: map[string]string{"calc.go": "0123"}, Check: "x", Time: old}
	file := content(deliverable.Entry{ID: "A-001", Description: "a", Status: task.Passed, Evidence: evidence},
		deliverable.Entry{ID: "A-002", Description: "b", Status: task.Blocked, Reason: "why"},
		deliverable.Entry{ID: "A-003", Description: "c", Status: task.Pending, DeprecatedAt: &old})
	gittest.Commit(t, b.remote, "main", "Record", map[string]string{deliverable.Path: file, "SPEC.md": "sum\n", "docs/api.md": "an API\n"})
	in := PrepareInput{Ref: b.ref, Repository: task.Repository{Text: b.remote, Path: b.remote}, Title: "x", Spec: []string{"SPEC.md"}}
	out, err := b.PrepareWorkspace(t.Context(), in)
	must(t, err)
	if k := out.Known; len(k) != 3 || !k[0].Outdated || !k[0].Open || k[0].Reason != "calc.go has changed" || k[0].Command != "make" ||
		!k[1].Open || k[1].Outdated || k[1].Reason != "why" || k[2].Open || !k[2].Dropped {
		t.Errorf("known are %+v", k)
	}
	const warned = "also lists deliverables of docs/api.md, which"
	if !slices.Equal(out.Others, []string{"docs/api.md"}) || !strings.Contains(strings.Join(out.Warnings, "\n"), warned) {
		t.Errorf("of other specifications: %q, people are warned %q", out.Others, out.Warnings)
	}
	gittest.Commit(t, b.remote, "main", "Break", map[string]string{deliverable.Path: strings.Replace(file, `"blocked"`, `"done"`, 1)})
	in.TaskID += "-2"
	_, err = b.PrepareWorkspace(t.Context(), in)
	wantFault(t, err, fault.Input, deliverable.Path+":", `"A-002" has the unknown status "done"`, "only Longshift writes this file")
	in.TaskID, in.Spec = in.TaskID+"-3", nil
	if out, err = b.PrepareWorkspace(t.Context(), in); err != nil || out.Known != nil {
		t.Errorf("a task without a specification: %+v, %v", out.Known, err)
	}
}

// A command whose result is evidence sees what is committed, and a home folder that no session has been in.
func TestCleanCommands(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.CommandEnv = func(d Dirs) []string { return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + d.Home} }
	b.start()
	b.prepare()
	gittest.Write(t, b.work(), map[string]string{".gitignore": "*.env\n", "calc.go": "package calc // one\n"})
	b.commit(1, nil)
	gittest.Write(t, b.work(), map[string]string{"pass.env": "x\n", "new.txt": "x\n"})
	n := 0
	run := func(command string, clean bool) (out signals.Check) {
		t.Helper()
		n++
		must(t, b.attempt().run(b.RunChecks, CommandInput{Ref: b.ref, N: n, Command: command, Wall: time.Minute, Clean: clean}, &out))
		return out
	}
	if c := run("touch ~/pass && test -e pass.env", false); !c.Passed() {
		t.Errorf("during the work: %+v", c)
	}
	must(t, b.attempt().run(b.Git.CheckOut, b.ref, nil))
	for _, command := range []string{"test -e pass.env", "test -e new.txt", "test -e ~/pass"} {
		if c := run(command, true); c.Passed() {
			t.Errorf("%s passes where nothing is but what is committed", command)
		}
	}
	if c := run("grep one calc.go && touch ~/made && test -e ~/made", true); !c.Passed() {
		t.Errorf("what is committed is not there: %+v", c)
	}
	must(t, b.attempt().run(b.Git.CheckOut, b.ref, nil))
	if c := run("test -e ~/made", true); c.Passed() {
		t.Error("the home folder of an earlier run is there")
	}
	if _, err := os.Stat(filepath.Join(b.work(), "calc.go")); err != nil {
		t.Error(err)
	}
}

// The status file is Longshift's own: settings that close it to sessions, and rules for settings, stop no push of it.
func TestRecordedIsPushed(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	gittest.Write(t, b.work(), map[string]string{"src/sum.go": "package calc\n"})
	one := b.commit(1, nil).Commit
	out := b.record(one, Recorded{Deliverable: task.Deliverable{ID: "FEAT-001", Description: "It sums", Status: task.Passed, Proved: provedAt(one)},
		Command: "go test ./...", Made: []Span{{b.made.BaseCommit, one}}})
	for _, paths := range []task.PathSettings{{Write: []string{"src/**"}}, {ReadOnly: []string{".longshift/**"}}} {
		if head := b.push(PushInput{Paths: paths}); head != out.Commit {
			t.Errorf("%+v: pushed %s, want %s", paths, head, out.Commit)
		}
	}
}
