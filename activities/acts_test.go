package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/confine/sandbox"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// saying is a model whose nth answer makes the calls at n. What it says depends on the conversation alone.
type saying struct {
	answers [][]transcript.Call
	asked   atomic.Int32
	last    atomic.Pointer[transcript.Query]
}

func (m *saying) Answer(_ context.Context, _ agent.Endpoint, q transcript.Query) (transcript.Answer, error) {
	m.asked.Add(1)
	m.last.Store(&q)
	n := (&transcript.Conversation{Entries: append([]transcript.Entry{{}}, q.Entries...)}).Answers()
	if n >= len(m.answers) {
		return transcript.Answer{Text: "nothing more", Raw: json.RawMessage(`[{"type":"text","text":"nothing more"}]`)}, nil
	}
	raw, err := json.Marshal(m.answers[n])
	return transcript.Answer{Calls: m.answers[n], Raw: raw}, err
}

// calling is a call of a tool.
func calling(tool, arguments string) transcript.Call {
	return transcript.Call{ID: "toolu_" + uuid.NewString(), Tool: tool, Arguments: json.RawMessage(arguments)}
}

// nativeRun is a session of Longshift's own agent, carried out without a server.
type nativeRun struct {
	*bench
	model *saying
	in    OpenInput
	head  string
	n     int
}

// begins begins a session in a role, whose model makes these calls.
func (b *bench) begins(role task.Role, answers ...[]transcript.Call) *nativeRun {
	b.t.Helper()
	r := &nativeRun{bench: b, model: &saying{answers: answers}, in: OpenInput{SessionInput: b.session(role, task.AgentNative)}}
	r.in.Commands = task.CommandSettings{Profiles: task.DefaultProfiles(), Questions: task.QuestionsDeny}
	if b.Gateway == nil {
		b.Gateway = newGateway(b.t, agenttest.NewServer(b.t, agenttest.Script{Rules: []agenttest.Rule{{Turns: []agenttest.Turn{{Text: "unused"}}}}}).URL)
	}
	b.Model = r.model
	b.start()
	return r
}

func (r *nativeRun) open() Opened {
	r.t.Helper()
	var out Opened
	must(r.t, r.attempt().run(r.host.Acts.OpenSession, r.in, &out))
	r.head = out.Head
	if out.Done == nil {
		r.leads()
	}
	return out
}

func (r *nativeRun) act() Act {
	r.n++
	return Act{Ref: r.in.Ref, Session: r.in.ID, Ask: r.in.Ask, N: r.n, Head: r.head}
}

// turn asks the model and makes the first calls of its answer.
func (r *nativeRun) turn(calls int) (asked ActResult) {
	r.t.Helper()
	must(r.t, r.attempt().run(r.host.Acts.AskModel, AskInput{Act: r.act()}, &asked))
	r.head = asked.Head
	for range calls {
		r.makes()
	}
	return asked
}

// makes makes one call.
func (r *nativeRun) makes() (made ActResult) {
	r.t.Helper()
	must(r.t, r.attempt().run(r.host.Acts.RunTools, RunInput{Act: r.act(), Calls: 1}, &made))
	r.head = made.Head
	return made
}

// play carries out the whole session, one call at a time.
func (r *nativeRun) play() SessionResult {
	r.t.Helper()
	r.open()
	kind, text := agent.Completed, ""
session:
	for range r.model.answers {
		asked := r.turn(0)
		r.leads()
		for range asked.Calls {
			var made ActResult
			in := RunInput{Act: r.act(), Calls: 1, Left: "[left: $1.00]"}
			if err := r.attempt().run(r.host.Acts.RunTools, in, &made); err != nil { // a call may end what runs it; the server tries again
				must(r.t, r.attempt().run(r.host.Acts.RunTools, in, &made))
			}
			if r.head = made.Head; made.Kind != "" {
				kind, text = made.Kind, made.Text
				break session
			}
			r.leads()
			if made.Ended {
				break session
			}
		}
	}
	var res SessionResult
	must(r.t, r.attempt().run(r.host.Acts.EndSession, EndInput{Act: r.act(), Kind: kind, Text: text}, &res))
	r.leads()
	return res
}

// leads checks that what is on disk leads to the conversation that the session has.
func (r *nativeRun) leads() {
	r.t.Helper()
	folder := transcript.Folder(sessionDir(r.Data, r.in.TaskID, r.in.ID))
	head, err := folder.Head()
	if err != nil || head != r.head {
		r.t.Errorf("the folder leads to %.10s, %v, and the session is at %.10s", head, err, r.head)
	}
	if about, err := folder.About(); err != nil || about.N != r.in.N || about.Role != r.in.Role || about.Prompt.Deliverable == nil != (r.in.Prompt.Deliverable == nil) {
		r.t.Errorf("the folder is about %+v, %v", about, err)
	}
}

// results are what the model was told of its calls, in order.
func (r *nativeRun) results() (list []transcript.Result) {
	r.t.Helper()
	c, err := r.host.Acts.store(Act{Ref: r.in.Ref, Session: r.in.ID}).Load(r.head)
	must(r.t, err)
	for _, e := range c.Entries {
		if e.Results != nil {
			list = append(list, e.Results.List...)
		}
	}
	return list
}

const reportsDone = `{"id":"FIX-001","status":"passed","text":"fix: the sum"}`

// TestNativeSession does the work of a deliverable and reports it; what was asked for once is not asked for again.
func TestNativeSession(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	r := b.begins(task.Implementer,
		[]transcript.Call{calling("read_file", `{"path":"calc.go"}`), calling("run_command", `{"command":"echo out; echo err >&2; exit 3"}`)},
		[]transcript.Call{calling("write_file", `{"path":"new/file.txt","content":"hello\n"}`), calling("note_save", `{"text":"noted"}`)},
		[]transcript.Call{calling("deliverable_set_status", reportsDone)})
	res := r.play()
	if res.Kind != agent.Completed || res.Report.Kind != task.ReportProgress || res.Report.Text != "fix: the sum" || !slices.Contains(res.Report.Notes, "noted") {
		t.Errorf("%+v", res)
	}
	if text, err := os.ReadFile(b.work() + "/new/file.txt"); err != nil || string(text) != "hello\n" {
		t.Errorf("the file is %q, %v", text, err)
	}
	got := r.results()
	if len(got) != 5 || !strings.Contains(got[1].Content, `"exit_code":3`) || !strings.Contains(got[1].Content, `out\nerr`) || !got[1].Failed {
		t.Errorf("results %+v", got)
	}
	var again SessionResult
	must(t, r.attempt().run(r.host.Acts.EndSession, EndInput{Act: r.act(), Kind: agent.Errored}, &again))
	if again.Kind != agent.Completed {
		t.Errorf("the kept result is %+v", again)
	}
	if out := r.open(); out.Done == nil || out.Done.Report.Text != "fix: the sum" || r.model.asked.Load() != 3 {
		t.Errorf("an ended ask begins again: %+v, asked %d times", out, r.model.asked.Load())
	}
}

// TestNativeActIsKept: an act that comes again, also after the death of the worker, has the result that it had.
func TestNativeActIsKept(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	r := b.begins(task.Implementer, []transcript.Call{calling("run_command", `{"command":"echo x >> ran.txt"}`)})
	r.open()
	ask := AskInput{Act: r.act()}
	for range 3 {
		var asked ActResult
		must(t, r.attempt().run(r.host.Acts.AskModel, ask, &asked))
		r.head = asked.Head
		b.start() // as a worker that was killed
	}
	run := RunInput{Act: r.act(), Calls: 1}
	for range 3 {
		var made ActResult
		must(t, r.attempt().run(r.host.Acts.RunTools, run, &made))
		b.start()
	}
	if text, _ := os.ReadFile(b.work() + "/ran.txt"); string(text) != "x\n" || r.model.asked.Load() != 1 {
		t.Errorf("ran %q, asked %d times", text, r.model.asked.Load())
	}
}

// TestNativeActIsShown: people see an act that takes a moment long before heartbeats are due, with what the whole session has done.
func TestNativeActIsShown(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	r := b.begins(task.Implementer, []transcript.Call{calling("list_dir", `{"path":"."}`), calling("run_command", `{"command":"until [ -e seen ]; do sleep 0.05; done"}`)})
	began := b.Now()
	r.open()
	r.turn(1)
	a := r.attempt()
	a.heartbeat = time.Hour
	go func() {
		details := await(t, a.beats, "a heartbeat")
		if beat, ok := details[0].(signals.Heartbeat); !ok || beat.Session != r.in.ID || !strings.HasPrefix(beat.Activity, "run_command until") || beat.Tools != 2 ||
			beat.Started.Before(began) || beat.Started.After(b.Now().Add(-shownAfter)) {
			t.Errorf("the heartbeat says %+v", details)
		}
		if err := os.WriteFile(b.work()+"/seen", nil, 0o600); err != nil {
			t.Error(err)
		}
	}()
	var made ActResult
	must(t, a.run(r.host.Acts.RunTools, RunInput{Act: r.act(), Calls: 1}, &made))
	if got := r.results(); made.Head == r.head || len(got) != 1 {
		t.Errorf("the act came to %+v, after %+v", made, got)
	}
}

// TestNativeCommandIsNotRunTwice tells the model of a command that was cut off, with its output, and does not run it again.
func TestNativeCommandIsNotRunTwice(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	ends := b.logs()
	r := b.begins(task.Implementer, []transcript.Call{calling("run_command", `{"command":"echo half; echo x >> ran.txt; sleep 100","timeout":200}`)})
	r.open()
	r.turn(0)
	run := RunInput{Act: r.act(), Calls: 1}
	first := r.attempt()
	go func() {
		eventually(t, "the command runs", func() bool { return made(b.work()+"/ran.txt") != "" })
		close(first.stop)
	}()
	if app := applicationError(t, first.run(r.host.Acts.RunTools, run, nil)); app.Type() != string(fault.Stopping) {
		t.Fatalf("the act that was cut off ended with %v", app)
	}
	b.start()
	var made ActResult
	must(t, r.attempt().run(r.host.Acts.RunTools, run, &made))
	r.head = made.Head
	got := r.results()
	if len(got) != 1 || !got[0].Failed || !strings.Contains(got[0].Content, `"interrupted":true`) || !strings.Contains(got[0].Content, "half") {
		t.Errorf("the model is told %+v", got)
	}
	if text, _ := os.ReadFile(b.work() + "/ran.txt"); string(text) != "x\n" {
		t.Errorf("ran %q", text)
	}
	if got := ends(); got != "-1" {
		t.Errorf("the command log has the ends %s", got)
	}
}

// A fault of ours in one call ends that call, and not the worker with all its sessions.
func TestNativeCallThatPanics(t *testing.T) {
	b := newBench(t, map[string]agent.Agent{})
	b.prepare()
	b.Confine.Box = panicking{}
	r := b.begins(task.Implementer, []transcript.Call{calling("run_command", `{"command":"true"}`)})
	r.open()
	r.turn(0)
	err := r.attempt().run(r.host.Acts.RunTools, RunInput{Act: r.act(), Calls: 1}, nil)
	if app := applicationError(t, err); app.Type() != string(fault.Internal) || !strings.Contains(app.Message(), "the act panicked: out of order") {
		t.Errorf("%v", err)
	}
}

// A command that could not be started is started by the next try. The model is not told of a worker that was replaced.
func TestNativeCommandThatCannotStart(t *testing.T) {
	for name, arguments := range map[string]string{
		"to its end": `{"command":"echo x >> ran.txt"}`, "in the background": `{"command":"echo x >> ran.txt","background":true}`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]agent.Agent{})
			b.prepare()
			box := &failingOnce{Box: b.Confine.Box}
			b.Confine.Box = box
			ends := b.logs()
			r := b.begins(task.Implementer, []transcript.Call{calling("run_command", arguments)})
			r.open()
			r.turn(0)
			box.fails.Store(true)
			err := r.attempt().run(r.host.Acts.RunTools, RunInput{Act: r.act(), Calls: 1}, nil)
			if app := applicationError(t, err); app.Type() != string(fault.Infra) {
				t.Fatalf("%v", err)
			}
			r.makes()
			if got := r.results(); len(got) != 1 || got[0].Failed || strings.Contains(got[0].Content, "replaced") {
				t.Errorf("the model is told %+v", got)
			}
			eventually(t, "the command has run", func() bool { text, _ := os.ReadFile(b.work() + "/ran.txt"); return string(text) == "x\n" })
			eventually(t, "both tries have ended in the command log", func() bool { return ends() == "-1 0" })
		})
	}
}

// failingOnce is a box that can't start one command.
type failingOnce struct {
	Box
	fails atomic.Bool
	then  func() // what happens meanwhile; nil for nothing
}

func (f *failingOnce) failure() error {
	if f.then != nil {
		f.then()
	}
	return fault.New(fault.Infra, "fork: no processes are left")
}

func (f *failingOnce) Run(ctx context.Context, s process.Spec, l process.Limits, c sandbox.Spec) (process.Result, error) {
	if f.fails.CompareAndSwap(true, false) {
		return process.Result{}, f.failure()
	}
	return f.Box.Run(ctx, s, l, c)
}

func (f *failingOnce) Start(ctx context.Context, s process.Spec, c sandbox.Spec) (*process.Process, error) {
	if f.fails.CompareAndSwap(true, false) {
		return nil, f.failure()
	}
	return f.Box.Start(ctx, s, c)
}

// panicking is a box with a fault of ours.
type panicking struct{ Box }

func (panicking) Run(context.Context, process.Spec, process.Limits, sandbox.Spec) (process.Result, error) {
	panic("out of order")
}

// TestNativeOddAnswers: whatever the model sends, each call has one result, and the session goes on.
func TestNativeOddAnswers(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	must(t, os.WriteFile(b.work()+"/binary", []byte{0, 1, 2, 255}, 0o600))
	must(t, os.WriteFile(b.work()+"/latin1.txt", []byte("caf\xe9"), 0o600))
	odd := []transcript.Call{
		calling("no_such_tool", `{}`), calling("", `{}`), calling("read_file", `{}`), calling("read_file", `[]`), calling("read_file", `null`),
		calling("read_file", `{"path":1}`), calling("read_file", `{"path":"calc.go","more":true}`), calling("read_file", `{"path":"../../etc/passwd"}`),
		calling("read_file", `{"path":"/etc/passwd"}`), calling("read_file", `{"path":"binary"}`), calling("read_file", `{"path":"latin1.txt"}`),
		calling("run_command", `{"command":""}`), calling("run_command", `{"command":"true","timeout":301}`), calling("run_command", `{"command":"true","cwd":".."}`),
		calling("run_command", `{"command":"true","cwd":"calc.go"}`), calling("edit_file", `{"path":"calc.go","old":"","new":"x"}`),
		calling("write_file", `{"path":".git/config","content":"x"}`), calling("write_file", `{"path":"`+strings.Repeat("a", 5000)+`","content":"x"}`),
		calling("deliverable_set_status", `{"id":"FIX-002","status":"passed","text":"x"}`), calling("plan_submit", `{}`), calling("review_submit", `{"verdict":"approved","text":"x"}`),
		calling("complete_run", `{}`), calling("search", `{"pattern":"("}`),
	}
	for range 8 {
		odd = append(odd, calling("list_dir", `{}`))
	}
	r := b.begins(task.Implementer, odd[:23], []transcript.Call{calling("run_command", `{"command":"head -c 3000000 /dev/zero | tr '\\0' 'x'; printf '\\377\\376'"}`)},
		[]transcript.Call{calling("complete_run", `{"summary":"fix: the sum"}`)})
	res := r.play()
	if res.Kind != agent.Completed || res.Report.Text != "fix: the sum" {
		t.Errorf("%+v", res)
	}
	got := r.results()
	if len(got) != 25 {
		t.Fatalf("%d results", len(got))
	}
	for n, g := range got[:23] {
		var answer struct {
			Success *bool
			Error   string
		}
		if err := json.Unmarshal([]byte(g.Content), &answer); err != nil || answer.Success == nil || *answer.Success || len(answer.Error) < 10 || !g.Failed {
			t.Errorf("%s %.60s: %.300s", odd[n].Tool, odd[n].Arguments, g.Content)
		}
	}
	if n := len(got[23].Content); n > 6<<10 || !strings.Contains(got[23].Content, "bytes left out") || !json.Valid([]byte(got[23].Content)) {
		t.Errorf("of 3 MB the model is shown %d bytes: %.200s", n, got[23].Content)
	}
}

// TestNativeReadsOnly: a role that reads has no tool that writes, and its commands write nothing.
func TestNativeReadsOnly(t *testing.T) {
	for _, role := range []task.Role{task.Planner, task.Reviewer} {
		b := newBench(t, nil)
		b.prepare()
		r := b.begins(role, []transcript.Call{calling("write_file", `{"path":"by-write","content":"x"}`), calling("edit_file", `{"path":"calc.go","old":"a","new":"b"}`),
			calling("run_command", `{"command":"echo x > by-command"}`), calling("apply_patch", `{"patch":"x"}`)})
		res := r.play()
		if made(b.work()+"/by-write", b.work()+"/by-command") != "" {
			t.Errorf("%s: %+v", role, res)
		}
		for _, name := range r.tools() {
			if strings.Contains(name, "write") || strings.Contains(name, "edit") || strings.Contains(name, "apply") || strings.Contains(name, "create") {
				t.Errorf("%s is offered %s", role, name)
			}
		}
	}
}

func (r *nativeRun) tools() (names []string) {
	for _, t := range r.model.last.Load().Start.Tools {
		names = append(names, t.Name)
	}
	return names
}

// TestNativeRules holds file tools to the task's rules for paths, whatever way leads to a file.
func TestNativeRules(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	must(t, os.MkdirAll(b.work()+"/private", 0o700))
	must(t, os.WriteFile(b.work()+"/private/key.txt", []byte("the hidden text\n"), 0o600))
	must(t, os.Symlink("private/key.txt", b.work()+"/link"))
	must(t, os.Symlink("README.md", b.work()+"/readme-link"))
	r := b.begins(task.Implementer, []transcript.Call{
		calling("read_file", `{"path":"private/key.txt"}`), calling("read_lines", `{"path":"private/../private/key.txt","from":1,"to":2}`),
		calling("read_file", `{"path":"link"}`), calling("search", `{"pattern":"hidden"}`), calling("list_dir", `{"recursive":true}`),
		calling("list_dir", `{"path":"private"}`), calling("find_files", `{"pattern":"**/*.txt"}`), calling("get_file_outline", `{"path":"private/key.txt"}`),
		calling("search", `{"pattern":"hidden","path":"private"}`),
		calling("write_file", `{"path":"README.md","content":"changed"}`), calling("edit_file", `{"path":"readme-link","old":"Calc","new":"Evil"}`),
		calling("apply_patch", `{"patch":"--- a/calc.go\n+++ b/calc.go\n@@ -1 +1 @@\n-package calc\n+package evil\n--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-Calc\n+Evil\n"}`),
		calling("write_file", `{"path":".longshift/deliverables.json","content":"{}"}`), calling("write_file", `{"path":".GIT/hooks/pre-commit","content":"x"}`),
	})
	r.in.Paths = task.PathSettings{ReadOnly: []string{"README.md"}, Ignore: []string{"private/**"}}
	before, err := os.ReadFile(b.work() + "/calc.go")
	must(t, err)
	r.play()
	for n, g := range r.results() {
		if strings.Contains(g.Content, "the hidden text") || strings.Contains(g.Content, "key.txt\",\"type") {
			t.Errorf("call %d: %s", n, g.Content)
		}
	}
	after, err := os.ReadFile(b.work() + "/calc.go")
	must(t, err)
	readme, err := os.ReadFile(b.work() + "/README.md")
	must(t, err)
	if string(readme) != "Calc\n" || string(after) != string(before) || made(b.work()+"/.longshift/deliverables.json", b.work()+"/.git/hooks/pre-commit") != "" {
		t.Errorf("README.md is %q, calc.go %q", readme, after)
	}
}

// TestNativeLoopEnds ends a session that makes the same call again and again.
func TestNativeLoopEnds(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	var answers [][]transcript.Call
	for range 8 {
		answers = append(answers, []transcript.Call{calling("read_file", `{"path":"calc.go"}`)})
	}
	r := b.begins(task.Implementer, answers...)
	if res := r.play(); res.Kind != agent.Looped || r.model.asked.Load() != 5 {
		t.Errorf("%s after %d answers: %s", res.Kind, r.model.asked.Load(), res.Error)
	}
}

// TestNativeKeepsPaths: the model is told what a file says, also where that is a folder of this machine, and with its brackets as they are.
func TestNativeKeepsPaths(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	must(t, os.WriteFile(b.work()+"/routes.txt", []byte("serve <"+b.Data+"> && go\n"), 0o600))
	r := b.begins(task.Implementer, []transcript.Call{calling("read_file", `{"path":"routes.txt"}`), calling("run_command", `{"command":"cat routes.txt"}`)})
	r.open()
	r.turn(2)
	for _, g := range r.results() {
		for _, content := range []string{g.Content, withWarning(g.Content, "enough")} {
			if !strings.Contains(content, "serve <"+b.Data+"> && go") {
				t.Errorf("the model reads %s", content)
			}
		}
	}
}

// TestNativeAnswerIsCutOff: a call of which an answer that was cut off has only the beginning is not made, and the model is told why.
func TestNativeAnswerIsCutOff(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	r := b.begins(task.Implementer)
	b.Model = answering(transcript.Answer{Cut: true, Calls: []transcript.Call{calling("list_dir", `{}`), calling("write_file", `{}`)}})
	b.start()
	r.open()
	r.turn(2)
	if got := r.results(); got[0].Failed || !got[1].Failed || !strings.Contains(got[1].Content, "reached its limit of 32000 tokens") {
		t.Errorf("%+v", got)
	}
}

// TestNativeIsThrottled: an API that asks for patience is asked again, and after some attempts the quota counts as used up.
func TestNativeIsThrottled(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	r := b.begins(task.Implementer)
	b.Model = throttling{}
	b.start()
	r.open()
	for number, quota := range map[int32]bool{1: false, mostThrottled: false, mostThrottled + 1: true} {
		a := r.attempt()
		a.number = number
		var asked ActResult
		err := a.run(r.host.Acts.AskModel, AskInput{Act: r.act()}, &asked)
		if quota != (err == nil && asked.Kind == agent.Quota && !asked.Reset.IsZero()) || !quota && applicationError(t, err).NextRetryDelay() != 7*time.Second {
			t.Errorf("attempt %d: %+v, %v", number, asked, err)
		}
	}
}

// throttling is a model whose API asks for patience.
type throttling struct{}

func (throttling) Answer(context.Context, agent.Endpoint, transcript.Query) (transcript.Answer, error) {
	return transcript.Answer{}, &agent.Throttled{Err: &fault.Later{After: 7 * time.Second, Err: fault.New(fault.Infra, "too many requests")}}
}

// answering is a model that always gives the same answer.
type answering transcript.Answer

func (m answering) Answer(context.Context, agent.Endpoint, transcript.Query) (transcript.Answer, error) {
	raw, err := json.Marshal(m.Calls)
	m.Raw = raw
	return transcript.Answer(m), err
}

// TestNativeHidesSecrets keeps secrets out of what the model is told, of the log and of the file with a command's output.
func TestNativeHidesSecrets(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	must(t, os.WriteFile(b.work()+"/leak.txt", []byte("key "+secret+"\n"), 0o600))
	r := b.begins(task.Implementer, []transcript.Call{calling("read_file", `{"path":"leak.txt"}`), calling("run_command", `{"command":"cat leak.txt; seq 1 3000"}`)},
		[]transcript.Call{calling("deliverable_set_status", fmt.Sprintf(`{"id":"FIX-001","status":"passed","text":"fix: %s"}`, secret))})
	res := r.play()
	b.leaks("the result", res)
	err := filepath.WalkDir(filepath.Join(b.Data, "tasks", b.ref.TaskID), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "/work/") || strings.Contains(path, "/git/") {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), secret) && !strings.Contains(path, "/conversation/") {
			t.Errorf("%s has the secret", path)
		}
		return err
	})
	must(t, err)
}

// TestNativeWriteIsMadeOnce: a change whose result was lost with the worker is not made again, and one that was made by half is told.
func TestNativeWriteIsMadeOnce(t *testing.T) {
	const patch = "--- a/calc.go\n+++ b/calc.go\n@@ -1 +1 @@\n-package calc\n+package sums\n--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-Calc\n+Sums\n"
	arguments, err := json.Marshal(map[string]string{"patch": patch})
	must(t, err)
	for name, c := range map[string]struct {
		lost func(b *bench) // what the attempt that was cut off has done
		want string
	}{
		"made": {func(b *bench) {
			b.rewrite("calc.go", "package calc", "package sums")
			b.rewrite("README.md", "Calc", "Sums")
		}, `"success":true`},
		"by half": {func(b *bench) { b.rewrite("calc.go", "package calc", "package sums") }, "calc.go is changed, README.md is not"},
		"not":     {func(*bench) {}, `"success":true`},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			b.prepare()
			r := b.begins(task.Implementer, []transcript.Call{calling("apply_patch", string(arguments))})
			r.open()
			r.turn(0)
			var made ActResult
			run := RunInput{Act: r.act(), Calls: 1}
			before, after := b.files("calc.go", "README.md"), ""
			must(t, r.attempt().run(r.host.Acts.RunTools, run, &made))
			after = b.files("calc.go", "README.md")
			b.loseResult(r, before)
			c.lost(b)
			must(t, r.attempt().run(r.host.Acts.RunTools, run, &made))
			r.head = made.Head
			if got := r.results(); len(got) != 1 || !strings.Contains(got[0].Content, c.want) {
				t.Errorf("the model is told %+v", got)
			}
			if now := b.files("calc.go", "README.md"); name != "by half" && now != after {
				t.Errorf("the files are %q", now)
			}
			if left, _ := filepath.Glob(b.work() + "/.longshift-tmp-*"); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// loseResult takes the kept results of the session's acts away, as if the worker had died before it kept them, and the files back.
func (b *bench) loseResult(r *nativeRun, before string) {
	b.t.Helper()
	acts, err := filepath.Glob(filepath.Join(b.Data, "tasks", b.ref.TaskID, "sessions", r.in.ID, "acts", "*-run.json"))
	must(b.t, err)
	for _, f := range acts {
		var kept keptAct
		must(b.t, readJSON(f, &kept))
		kept.Result = nil
		must(b.t, writeJSON(f, kept))
	}
	calc, readme, _ := strings.Cut(before, "\x00")
	must(b.t, os.WriteFile(b.work()+"/calc.go", []byte(calc), 0o644))
	must(b.t, os.WriteFile(b.work()+"/README.md", []byte(readme), 0o644))
	must(b.t, os.WriteFile(b.work()+"/.longshift-tmp-x", []byte("half"), 0o644))
	b.start()
}

func (b *bench) files(a, c string) string {
	b.t.Helper()
	one, err := os.ReadFile(b.work() + "/" + a)
	must(b.t, err)
	two, err := os.ReadFile(b.work() + "/" + c)
	must(b.t, err)
	return string(one) + "\x00" + string(two)
}

func (b *bench) rewrite(file, old, now string) {
	b.t.Helper()
	text, err := os.ReadFile(b.work() + "/" + file)
	must(b.t, err)
	must(b.t, os.WriteFile(b.work()+"/"+file, []byte(strings.Replace(string(text), old, now, 1)), 0o644))
}
