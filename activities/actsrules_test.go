package activities

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/prompt"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/task"
)

// newFilePatch is a patch that makes one file.
func newFilePatch(path string) transcript.Call {
	text := fmt.Sprintf("--- /dev/null\n+++ b/%s\n@@ -0,0 +1 @@\n+x\n", path)
	arguments, _ := json.Marshal(map[string]string{"patch": text})
	return calling("apply_patch", string(arguments))
}

// TestNativePatchIsJudgedByItsFiles: no tool writes what write_file may not.
func TestNativePatchIsJudgedByItsFiles(t *testing.T) {
	closed := []string{"locked/a.txt", "hidden/x.txt", ".github/workflows/ci.yml", ".longshift.yaml", "other/y.txt"}
	for _, path := range closed {
		b := newBench(t, nil)
		b.prepare()
		arguments, _ := json.Marshal(map[string]any{"path": path, "content": "x"})
		r := b.begins(task.Implementer, []transcript.Call{newFilePatch(path), calling("write_file", string(arguments)), calling("write_source_file", string(arguments)),
			calling("create_workspace", `{"path":"`+strings.Split(path, "/")[0]+`-new","createReadme":true}`)})
		r.in.Paths = task.PathSettings{ReadOnly: []string{"locked/**"}, Ignore: []string{"hidden/**"}, Write: []string{"src/**"}}
		r.play()
		if made := made(b.work()+"/"+path, b.work()+"/"+strings.Split(path, "/")[0]+"-new"); made != "" {
			t.Error(made)
		}
	}
}

// TestNativeEditQuotesNothingHidden: the error of an edit shows no file that may not be read.
func TestNativeEditQuotesNothingHidden(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	must(t, os.WriteFile(b.work()+"/.env", []byte("DB_PASSWORD=hunter2hunter2\n"), 0o600))
	r := b.begins(task.Implementer, []transcript.Call{calling("edit_file", `{"path":".env","old":"DB_PASSWORD=xxxx","new":"y"}`),
		calling("preview_patch", `{"patch":"--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-DB_PASSWORD=x\n+y\n"}`)})
	r.play()
	for _, g := range r.results() {
		if strings.Contains(g.Content, "hunter2") {
			t.Errorf("%s", g.Content)
		}
	}
}

// TestNativeReadingIsNoLoop: other searches and other lines are other calls.
func TestNativeReadingIsNoLoop(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	var answers [][]transcript.Call
	for n := range 8 {
		answers = append(answers, []transcript.Call{calling("search", fmt.Sprintf(`{"pattern":"func %d"}`, n)),
			calling("read_lines", fmt.Sprintf(`{"path":"calc.go","from":1,"to":%d}`, n+1))})
	}
	r := b.begins(task.Implementer, append(answers, []transcript.Call{calling("complete_run", `{"summary":"fix: it"}`)})...)
	if res := r.play(); res.Kind != agent.Completed {
		t.Errorf("%s: %s", res.Kind, res.Error)
	}
}

// TestNativeReadingAtOnceIsNoLoop: neither are calls of one answer that are made side by side.
func TestNativeReadingAtOnceIsNoLoop(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	var calls []transcript.Call
	for n := range 8 {
		calls = append(calls, calling("read_lines", fmt.Sprintf(`{"path":"calc.go","from":1,"to":%d}`, n+1)))
	}
	r := b.begins(task.Implementer, calls)
	r.open()
	r.turn(0)
	var made ActResult
	must(t, r.attempt().run(r.host.Acts.RunTools, RunInput{Act: r.act(), Calls: len(calls)}, &made))
	if made.Kind != "" || len(made.Lines) != len(calls) {
		t.Errorf("%s: %s, %d results", made.Kind, made.Text, len(made.Lines))
	}
}

// TestNativeFolderOfACommand: a command runs in the folder that was judged, wherever links lead.
func TestNativeFolderOfACommand(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	must(t, os.MkdirAll(b.work()+"/vault/deep", 0o755))
	must(t, os.WriteFile(b.work()+"/vault/a.txt", []byte("VAULT\n"), 0o644))
	must(t, os.Symlink("vault/deep", b.work()+"/d"))
	r := b.begins(task.Implementer, []transcript.Call{calling("run_command", `{"command":"cat a.txt","cwd":"d/.."}`), calling("run_command", `{"command":"grep -r VAUL","cwd":"vault"}`)})
	r.in.Paths = task.PathSettings{Ignore: []string{"vault/**", "vault"}}
	r.play()
	for _, g := range r.results() {
		if strings.Contains(g.Content, "VAULT") {
			t.Errorf("%s", g.Content)
		}
	}
}

// TestNativeOutputIsOutOfReach: a command can't lead the worker elsewhere by the file with its output, and the model reads all of it.
func TestNativeOutputIsOutOfReach(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	must(t, os.WriteFile(b.work()+"/x.sh", []byte("rm -rf $HOME/output; ln -s /tmp $HOME/output; seq 1 3000\n"), 0o644))
	r := b.begins(task.Implementer, []transcript.Call{calling("run_command", `{"command":"bash x.sh"}`)})
	r.open()
	r.turn(1)
	var result struct {
		File string `json:"output_file"`
	}
	must(t, json.Unmarshal([]byte(r.results()[0].Content), &result))
	r.model.answers = append(r.model.answers, []transcript.Call{calling("command_output", `{"file":"`+result.File+`","from":2000,"to":2001}`),
		calling("command_output", `{"file":"../started.json","from":1,"to":2}`)})
	r.turn(0)
	var made ActResult
	must(t, r.attempt().run(r.host.Acts.RunTools, RunInput{Act: r.act(), Calls: 2}, &made))
	r.head = made.Head
	got := r.results()
	if !strings.Contains(got[1].Content, "L2000: 2000") || !got[2].Failed {
		t.Errorf("the model reads %+v", got[1:])
	}
}

// TestNativeCountsWhatIsLeftOut: the model is told how much of an output it does not see, also of one that the worker has not kept whole.
func TestNativeCountsWhatIsLeftOut(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	r := b.begins(task.Implementer, []transcript.Call{calling("run_command", `{"command":"printf %010000d 0"}`),
		calling("run_command", `{"command":"printf %03000000d 0"}`)})
	r.open()
	r.turn(2)
	for n, size := range []int{10_000, 3_000_000} {
		if want, got := fmt.Sprintf("[%d bytes left out]", size-shownOutput), r.results()[n].Content; !strings.Contains(got, want) {
			_, says, _ := strings.Cut(got, "[")
			t.Errorf("of %d bytes: %.30s, want %s", size, says, want)
		}
	}
}

// TestNativeWaitsForASlot: a session holds its slot between acts, another waits, and a worker that stops hands the wait back.
func TestNativeWaitsForASlot(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	b.Slots = 1
	r := b.begins(task.Implementer, []transcript.Call{calling("list_dir", `{}`)})
	r.open()
	other := b.session(task.Planner, task.AgentNative)
	waiting := b.attempt()
	go func() {
		eventually(t, "the other session waits", func() bool { b.slots.mu.Lock(); defer b.slots.mu.Unlock(); return len(b.slots.queue) == 1 })
		close(waiting.stop)
	}()
	if app := applicationError(t, waiting.run(b.host.Acts.OpenSession, OpenInput{SessionInput: other}, nil)); app.Type() != string(fault.Stopping) {
		t.Errorf("the wait ended with %v", app)
	}
	var res SessionResult
	must(t, r.attempt().run(r.host.Acts.EndSession, EndInput{Act: r.act(), Kind: agent.Interrupted}, &res))
	var out Opened
	must(t, b.attempt().run(b.host.Acts.OpenSession, OpenInput{SessionInput: other}, &out))
	if out.Head == "" {
		t.Errorf("opened %+v", out)
	}
}

// TestNativeActThatWaitsForASlot: an act that waits ends when the server knows its attempt no more. With its task terminated, it would buy
// an answer that nobody wants. One that has begun goes on, as the next attempt may join it.
func TestNativeActThatWaitsForASlot(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	b.Slots = 1
	r := b.begins(task.Implementer, []transcript.Call{calling("run_command", `{"command":"until [ -e goes-on ]; do sleep 0.01; done"}`)})
	r.open()
	flying := func() int {
		b.host.Acts.flights.mu.Lock()
		defer b.host.Acts.flights.mu.Unlock()
		return len(b.host.Acts.all)
	}
	forgotten := func(act, in any) {
		a := r.attempt()
		a.heartbeat = beat
		a.server.answers(unknown)
		if err := a.run(act, in, nil); err == nil {
			t.Error("an attempt that the server does not know has a result")
		}
	}
	r.host.Acts.leases.end(r.in.ID)
	other := b.session(task.Planner, task.AgentNative)
	must(t, b.attempt().run(b.host.Acts.OpenSession, OpenInput{SessionInput: other}, nil))
	forgotten(r.host.Acts.AskModel, AskInput{Act: r.act()})
	if n := flying(); n != 0 {
		t.Errorf("%d acts still wait for a slot", n)
	}
	r.host.Acts.leases.end(other.ID)
	r.turn(0)
	forgotten(r.host.Acts.RunTools, RunInput{Act: r.act(), Calls: 1})
	if n := flying(); n != 1 {
		t.Errorf("%d acts run on", n)
	}
	must(t, os.WriteFile(b.work()+"/goes-on", nil, 0o600))
	r.makes()
	if got := r.results(); len(got) != 1 || got[0].Failed || r.model.asked.Load() != 1 {
		t.Errorf("asked %d times, and the model is told %+v", r.model.asked.Load(), got)
	}
}

// TestLeases: an act that ends after its session has ended frees the slot once, and not that of the next one.
func TestLeases(t *testing.T) {
	var abandoned []string
	l := &leases{slots: &slots{limit: 1}, abandoned: func(session string) { abandoned = append(abandoned, session) }}
	got := make(chan func())
	hold := func(ctx context.Context, _ string) error {
		over, err := l.hold(ctx, "s", Precedence{})
		got <- over
		return err
	}
	go func() { _ = newAttempt(t, redact.New()).run(hold, "", nil) }()
	first := <-got
	l.end("s")
	go func() { _ = newAttempt(t, redact.New()).run(hold, "", nil) }() // waits: the act of the session that has ended still runs
	eventually(t, "the next one waits", func() bool { l.slots.mu.Lock(); defer l.slots.mu.Unlock(); return len(l.slots.queue) == 1 })
	first()
	second := <-got
	if h := l.held["s"]; h == nil || h.acts != 1 || l.slots.used != 1 {
		t.Errorf("%+v, %d slots used", h, l.slots.used)
	}
	held := l.held["s"]
	l.abandon("s", held)
	if len(abandoned) != 0 || l.slots.used != 1 {
		t.Errorf("a session at work counts as abandoned: %q, %d slots used", abandoned, l.slots.used)
	}
	second()
	l.abandon("s", held)
	if l.slots.used != 0 || len(l.held) != 0 || len(abandoned) != 1 {
		t.Errorf("%d slots used, abandoned %q", l.slots.used, abandoned)
	}
}

// TestNativeQuestion: a question ends the ask, and has its result when the session goes on: what people have said, or that nobody has.
func TestNativeQuestion(t *testing.T) {
	const question = "Is the old format still needed?"
	for name, c := range map[string]struct {
		said   []prompt.Message
		lost   bool // the end of the first ask fails
		want   string
		failed bool
	}{
		"answered":    {[]prompt.Message{{Text: "No, drop it."}}, false, "people have answered", false},
		"resumed":     {nil, false, "nobody has answered", true},
		"asked again": {[]prompt.Message{{Text: "No, drop it."}}, true, "people have answered", false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			b.prepare()
			r := b.begins(task.Planner, []transcript.Call{calling("ask_person", asJSON(map[string]string{"question": question}))})
			r.in.Commands.Questions = task.QuestionsPerson
			res := r.play()
			if res.Kind != agent.NeedsAnswer || res.Error != question {
				t.Fatalf("%+v", res)
			}
			r.in.Ask, r.in.Head = 2, r.head
			if c.lost {
				must(t, os.Remove(transcript.Folder(sessionDir(b.Data, r.in.TaskID, r.in.ID)).Result(1)))
				r.open()
				if made := r.makes(); made.Kind != agent.NeedsAnswer || made.Text != question {
					t.Fatalf("nobody has seen the question, and the call comes to %+v", made)
				}
				must(t, r.attempt().run(r.host.Acts.EndSession, EndInput{Act: r.act(), Kind: agent.NeedsAnswer, Text: question}, nil))
				r.in.Ask = 3
			}
			r.in.Prompt.Messages = c.said
			out := r.open()
			if len(out.Calls) != 1 || (out.Said == nil) != (c.said == nil) {
				t.Errorf("goes on with %+v", out)
			}
			r.makes()
			if got := r.results(); len(got) != 1 || got[0].Failed != c.failed || !strings.Contains(got[0].Content, c.want) {
				t.Errorf("the result is %+v", got)
			}
		})
	}
	b := newBench(t, nil)
	b.prepare()
	r := b.begins(task.Implementer, []transcript.Call{calling("ask_person", `{"question":"x"}`), calling("ask_person", `{"question":" "}`),
		calling("ask_person", `{"question":"`+strings.Repeat("x", 1001)+`"}`)})
	r.play()
	for n, want := range []string{"nobody is asked in this task", "question is empty", "1001 bytes"} {
		if got := r.results()[n]; !got.Failed || !strings.Contains(got.Content, want) {
			t.Errorf("result %d is %+v", n, got)
		}
	}
}

// TestNativeChecklist tells the model with its results how much of its list is done, once it has one.
func TestNativeChecklist(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	r := b.begins(task.Implementer, []transcript.Call{calling("list_dir", `{}`)},
		[]transcript.Call{calling("checklist", `{"items":[{"text":"a","done":true},{"text":"b","done":false}]}`), calling("checklist", `{"items":"a"}`)})
	r.play()
	c, err := r.host.Acts.store(Act{Ref: r.in.Ref, Session: r.in.ID}).Load(r.head)
	must(t, err)
	var notes []string
	for _, e := range c.Entries {
		if e.Results != nil && e.Results.Note != "" {
			notes = append(notes, e.Results.Note)
		}
	}
	if want := []string{"[left: $1.00]", "[left: $1.00] [round 2, checklist: 1 of 2 done]"}; !slices.Equal(notes, want) {
		t.Errorf("notes %q, want %q", notes, want)
	}
}

// TestNativeLimits holds calls to the limits that the settings name, and tells the model of them.
func TestNativeLimits(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	must(t, os.WriteFile(b.work()+"/large.txt", bytes.Repeat([]byte("x"), 2049), 0o600))
	r := b.begins(task.Implementer, []transcript.Call{calling("read_file", `{"path":"large.txt"}`), calling("run_command", `{"command":"sleep 30"}`),
		calling("run_command", `{"command":"true","timeout":61}`)})
	r.in.Native = task.NativeSettings{ReadBytes: 2048, Timeout: task.Duration(time.Second), MaxTimeout: task.Duration(time.Minute)}
	r.play()
	for n, want := range []string{"2048", "ended after 1s", "1 to 60"} {
		if got := r.results()[n]; !got.Failed || !strings.Contains(got.Content, want) {
			t.Errorf("result %d is %+v", n, got)
		}
	}
	for _, tool := range r.model.last.Load().Start.Tools {
		if tool.Name == "run_command" && !strings.Contains(string(tool.Schema), "seconds, 1 unless given, at most 60") {
			t.Errorf("the model is told %s", tool.Schema)
		}
	}
}
