package activities

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/objectstore"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

// handsOver has the bench's host bring the work away after each act, with an object store or without.
func (b *bench) handsOver(store bool) {
	b.t.Helper()
	b.Handover = Handover{}
	if store {
		s, err := objectstore.Open(b.t.Context(), "file://"+b.t.TempDir())
		must(b.t, err)
		b.t.Cleanup(func() { s.Close() })
		b.Objects = s
	}
}

// moves has another host take the task, with nothing of this one's disk.
func (r *nativeRun) moves() {
	r.t.Helper()
	gateway, model, handover, redactor := r.Gateway, r.Model, r.Handover, r.Redact
	r.startOn(r.t.TempDir(), nil)
	r.Gateway, r.Model, r.Handover, r.Redact = gateway, model, handover, redactor
	r.start()
	r.ref.Fence++
	r.prepare()
	r.in.Fence = r.ref.Fence
}

func (r *nativeRun) ends(kind agent.OutcomeKind) (res SessionResult) {
	r.t.Helper()
	must(r.t, r.attempt().run(r.host.Acts.EndSession, EndInput{Act: r.act(), Kind: kind}, &res))
	return res
}

// said is what the model was told beside results.
func (r *nativeRun) said() (list []string) {
	r.t.Helper()
	c, err := r.host.Acts.store(Act{Ref: r.in.Ref, Session: r.in.ID}).Load(r.head)
	must(r.t, err)
	for _, e := range c.Entries {
		if e.Said != nil && e.Said.Text != "" {
			list = append(list, e.Said.Text)
		}
	}
	return list
}

// TestNativeHostIsLost goes on with the conversation and the work tree of a host that is gone with its disk.
func TestNativeHostIsLost(t *testing.T) {
	for _, store := range []bool{true, false} {
		name := "work tree alone"
		if store {
			name = "conversation too"
		}
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			b.handsOver(store)
			b.prepare()
			r := b.begins(task.Implementer,
				[]transcript.Call{calling("write_file", `{"path":"one.txt","content":"1\n"}`), calling("note_save", `{"text":"noted"}`)},
				[]transcript.Call{calling("run_command", `{"command":"echo 2 > two.txt"}`), calling("run_command", `{"command":"echo 3 > three.txt"}`)},
				[]transcript.Call{calling("deliverable_set_status", reportsDone)})
			r.open()
			r.turn(2)
			r.turn(1) // the second command is open, and may be under way
			asked := r.model.asked.Load()
			at := r.head
			r.moves()
			r.in.Head = at
			out := r.open()
			for file, want := range map[string]string{"one.txt": "1\n", "two.txt": "2\n", "three.txt": ""} {
				if got, _ := os.ReadFile(b.work() + "/" + file); string(got) != want {
					t.Errorf("%s is %q", file, got)
				}
			}
			if !store {
				if said := r.said(); len(said) != 1 || said[0] != lostConversation || len(r.results()) != 0 {
					t.Errorf("a conversation without its host: told %q", said)
				}
				return
			}
			if said := r.said(); len(said) != 1 || said[0] != lostHost || len(out.Calls) != 0 || r.model.asked.Load() != asked {
				t.Errorf("goes on with %+v, told %q", out, said)
			}
			got := r.results()
			if last := got[len(got)-1]; len(got) != 4 || !last.Failed || !strings.Contains(last.Content, "lost before this call had a result") || r.head == at {
				t.Errorf("results %+v", got)
			}
			again := r.open() // an attempt that is made again, and an ask that follows, go on where this one stands
			r.in.Ask++
			if later := r.open(); again.Head != out.Head || later.Head != out.Head {
				t.Errorf("opened again: %+v, and later %+v", again, later)
			}
			r.turn(1)
			res := r.ends(agent.Completed)
			if res.Report.Text != "fix: the sum" || len(res.Report.Notes) != 1 || res.Report.Notes[0] != "noted" || r.model.asked.Load() != asked+1 {
				t.Errorf("ends with %+v", res)
			}
			must(t, r.attempt().run(r.host.Cleaner.CleanUp, CleanInput{r.in.Ref}, nil))
			if _, err := b.Objects.Get(t.Context(), objectOf(r.in.TaskID, r.in.ID, at)); !errors.Is(err, objectstore.ErrMissing) {
				t.Errorf("the conversation is left in the object store: %v", err)
			}
		})
	}
}

// TestNativeWorkIsBroughtAway: not more often than it has to be, at the latest when the session waits, and never a secret.
func TestNativeWorkIsBroughtAway(t *testing.T) {
	b := newBench(t, nil)
	b.handsOver(false)
	var now time.Time
	b.Every, b.Now = 30*time.Second, func() time.Time { return now }
	now = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	b.prepare()
	write := func(n, content string) transcript.Call {
		return calling("write_file", `{"path":"`+n+`.txt","content":"`+content+`"}`)
	}
	const secret = "a-value-that-this-host-holds"
	b.Redact = redact.New(secret)
	r := b.begins(task.Implementer, []transcript.Call{write("one", "1"), write("two", "2"), calling("read_file", `{"path":"one.txt"}`), write("three", "3"), write("four", secret)})
	pushed := func() string { return gittest.Git(t, b.remote, "for-each-ref", "refs/longshift-fence") }
	r.open()
	before := pushed()
	r.turn(1)
	if pushed() != before {
		t.Error("brought away within seconds")
	}
	now = now.Add(31 * time.Second)
	r.makes()
	first := pushed()
	now = now.Add(31 * time.Second)
	r.makes() // reads
	if first == before || pushed() != first {
		t.Error("a call that wrote was not brought away, or one that only read was")
	}
	now = now.Add(-20 * time.Second)
	r.makes()
	if pushed() != first {
		t.Error("brought away again within 30 s")
	}
	now = now.Add(time.Minute)
	if made := r.makes(); pushed() != first || len(made.Lines) != 2 || !strings.Contains(made.Lines[1], "four.txt line 1") || strings.Contains(made.Lines[1], secret) {
		t.Errorf("work with a secret: %q", made.Lines)
	}
	must(t, os.Remove(b.work()+"/four.txt"))
	r.ends(agent.Quota)
	if pushed() == first {
		t.Error("a session that waits has not brought its work away")
	}
}

// TestNoSnapshotBesideACommand: git reads the work tree outside of the sandbox, so it waits until nothing in there can write.
func TestNoSnapshotBesideACommand(t *testing.T) {
	b := newBench(t, nil)
	b.handsOver(false)
	b.prepare()
	r := b.begins(task.Implementer, []transcript.Call{calling("run_command", `{"command":"sleep 300","background":true}`),
		calling("write_file", `{"path":"one.txt","content":"1"}`), calling("manage_process", `{"action":"kill","process":"p1"}`),
		calling("write_file", `{"path":"two.txt","content":"2"}`)})
	pushed := func() string { return gittest.Git(t, b.remote, "for-each-ref", "refs/longshift-fence") }
	r.open()
	before := pushed()
	r.turn(2)
	if pushed() != before {
		t.Error("brought away while a command runs in the background")
	}
	r.makes()
	<-r.host.Acts.processes.of(r.in.ID)[0].running.Done()
	r.makes()
	if pushed() == before {
		t.Error("not brought away when it has ended")
	}
}

// TestObjectStoreIsDown: the session goes on, people are told, and the store is not asked at each act.
func TestObjectStoreIsDown(t *testing.T) {
	b := newBench(t, nil)
	b.handsOver(true)
	down := &downObjects{}
	b.Objects, b.Every = down, 30*time.Second
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	b.Now = func() time.Time { return now }
	b.prepare()
	r := b.begins(task.Planner, []transcript.Call{calling("list_dir", `{}`), calling("read_file", `{"path":"calc.go"}`)})
	r.open()
	now = now.Add(time.Minute)
	r.turn(0)
	if made := r.makes(); len(made.Lines) != 1 || down.asked != 1 {
		t.Errorf("lines %q, asked %d times", made.Lines, down.asked)
	}
	now = now.Add(time.Minute)
	if made := r.makes(); len(made.Lines) != 2 || !strings.Contains(made.Lines[1], "no route to it") {
		t.Errorf("lines %q", made.Lines)
	}
}

type downObjects struct {
	Objects
	asked int
}

func (d *downObjects) Put(context.Context, string, []byte) error {
	d.asked++
	return fault.New(fault.Infra, "no route to it")
}
