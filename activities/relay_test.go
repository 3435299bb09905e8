package activities

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/task"
)

// going is an agent whose process can go on from one session to the next.
type going struct {
	*warmer
	fail  error                    // of Clear
	gone  bool                     // the process ends before the next Run
	kept  map[string]bool          // processes that wait for another session, by the one that has ended
	clear map[string]agent.Session // by the session that has ended
	runs  []agent.Session
}

func (k *going) Run(ctx context.Context, s agent.Session, emit func(agent.Event)) (agent.Outcome, error) {
	k.mu.Lock()
	gone := k.gone
	if k.gone = false; !gone {
		k.runs = append(k.runs, s)
	}
	k.mu.Unlock()
	if gone {
		k.warmer.Cool(s.ID)
		return agent.Outcome{}, agent.ErrGone
	}
	out, err := k.warmer.Run(ctx, s, emit)
	if out.Kept = s.Keep && out.Kind == agent.Completed && err == nil; out.Kept {
		k.mu.Lock()
		k.kept[s.ID] = true
		k.mu.Unlock()
	}
	return out, err
}

func (k *going) Clear(_ context.Context, ended string, s agent.Session) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.clear[ended] = s
	if k.fail != nil {
		return k.fail
	}
	if !k.kept[ended] {
		return errors.New("nothing is kept")
	}
	delete(k.kept, ended)
	k.warm[s.ID] = s
	return nil
}

func (k *going) Cool(id string) {
	k.mu.Lock()
	delete(k.kept, id)
	k.mu.Unlock()
	k.warmer.Cool(id)
}

// newRelay makes a host with such an agent, whose sessions ask the model once and say the text.
func newRelay(t *testing.T, text string) (*bench, *going) {
	t.Helper()
	k := &going{warmer: newWarmer(nil), kept: map[string]bool{}, clear: map[string]agent.Session{}}
	k.play = func(ctx context.Context, s agent.Session, emit func(agent.Event)) (agent.Outcome, error) {
		if status, err := askModel(ctx, s); err != nil || status != 200 {
			return agent.Outcome{}, errors.Join(errors.New("the model does not answer"), err)
		}
		emit(agent.Event{Kind: agent.Text, Text: text})
		return agent.Outcome{Kind: agent.Completed}, nil
	}
	b := newBench(t, map[string]agent.Agent{"script": k})
	b.useModel(replies)
	b.prepare()
	return b, k
}

// TestSessionsGoOnWithOneProcess: each session has the addresses and the state folder of the one before, and a ledger and a record of its own.
func TestSessionsGoOnWithOneProcess(t *testing.T) {
	t.Parallel()
	b, k := newRelay(t, "<PROGRESS>a</PROGRESS>")
	all := []SessionInput{b.session(task.Implementer, "script"), b.session(task.Implementer, "script"), b.session(task.Implementer, "script")}
	all[0].Next, all[1].Next = &all[1], &all[2]
	for i, in := range all {
		if i > 0 {
			if status, err := askModel(t.Context(), k.clear[all[i-1].ID]); err != nil || status != http.StatusPaymentRequired {
				t.Errorf("before session %d begins the model answers with %d, %v", i, status, err)
			}
		}
		res, err := b.attempt().session(b.Sessions, in)
		must(t, err)
		if res.Usage.Calls != 1 {
			t.Errorf("session %d: usage %+v", i, res.Usage)
		}
		rec, err := openRecord(b.Data, in)
		must(t, err)
		first, s := k.runs[0], k.runs[i]
		if s.ID != in.ID || s.BaseURL != first.BaseURL || s.Token != first.Token || s.StateDir != first.StateDir || rec.stateDir() != s.StateDir || (rec.state.Mark == all[0].ID) != (i > 0) || s.Keep != (i < 2) {
			t.Errorf("session %d ran as %+v after %+v, its record is in %s", i, s, first, rec.stateDir())
		}
		if i == 2 {
			break
		}
		e := b.prestarted(all[i+1].ID)
		if e == nil || e.ends == nil || e.ends.caller.Load().Session != all[i+1].ID {
			t.Fatalf("nothing waits for session %d", i+1)
		}
		if c := k.clear[in.ID]; c.ID != all[i+1].ID || c.StateDir != first.StateDir || c.Start == nil {
			t.Errorf("session %d: cleared for %+v", i, c)
		}
	}
	if n, _, wrong := k.counts(); n != 0 || len(wrong) > 0 || len(k.kept) > 0 || len(k.warm) > 0 {
		t.Errorf("%d fresh processes, kept %v, waiting %v; %v", n, k.kept, k.warm, wrong)
	}
	b.free(all[2])
}

// TestFreshProcess: what can't go on with the process gets one of its own, with addresses and a folder of its own.
func TestFreshProcess(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*SessionInput, *going){
		"another box":         func(next *SessionInput, _ *going) { next.Paths.HideFromImplementer = []string{"README.md"} },
		"it can't be cleared": func(_ *SessionInput, k *going) { k.fail = errors.New("it goes on with the same conversation") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, k := newRelay(t, "<PROGRESS>a</PROGRESS>")
			in, next := b.session(task.Implementer, "script"), b.session(task.Implementer, "script")
			change(&next, k)
			in.Next = &next
			_, err := b.attempt().session(b.Sessions, in)
			must(t, err)
			b.prestarted(next.ID)
			if _, waits := k.waits(next.ID); !waits || len(k.kept) > 0 {
				t.Errorf("a process waits: %v; kept: %v", waits, k.kept)
			}
			_, err = b.attempt().session(b.Sessions, next)
			must(t, err)
			one, two := k.runs[0], k.runs[1]
			if one.BaseURL == two.BaseURL || one.Token == two.Token || one.StateDir == two.StateDir {
				t.Errorf("%+v follows %+v", two, one)
			}
			b.free(next)
		})
	}
}

// TestNothingOfTheOther: a session that turns out to be of another role, or that comes when the process has ended, has nothing of the one before.
func TestNothingOfTheOther(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*bench, *going, *SessionInput){
		"a reviewer":            func(_ *bench, _ *going, next *SessionInput) { next.Role = task.Reviewer },
		"the process has ended": func(b *bench, _ *going, next *SessionInput) { b.prestarter.drop(next.ID) },
		"it ends meanwhile":     func(_ *bench, k *going, _ *SessionInput) { k.gone = true },
		".git is made anew": func(b *bench, _ *going, next *SessionInput) {
			must(t, os.RemoveAll(filepath.Join(b.work(), ".git")))
			must(t, os.WriteFile(filepath.Join(b.work(), "work.txt"), nil, 0o644))
			tree, err := b.Workspaces.Open(t.Context(), next.TaskID, next.Fence)
			must(t, err)
			defer tree.Close()
			_, err = tree.Commit(t.Context(), workspace.CommitSpec{Key: "1", Message: "Work"})
			must(t, err)
		},
		"another box": func(_ *bench, _ *going, next *SessionInput) {
			next.Paths.HideFromImplementer = []string{"README.md"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, k := newRelay(t, "<PROGRESS>a</PROGRESS>")
			in, next := b.session(task.Implementer, "script"), b.session(task.Implementer, "script")
			in.Next = &next
			_, err := b.attempt().session(b.Sessions, in)
			must(t, err)
			b.prestarted(next.ID)
			change(b, k, &next)
			_, err = b.attempt().session(b.Sessions, next)
			must(t, err)
			rec, err := openRecord(b.Data, next)
			must(t, err)
			one, two := k.runs[0], k.runs[1]
			if two.Resume || one.Token == two.Token || one.StateDir == two.StateDir || rec.stateDir() != two.StateDir || rec.state.Mark != "" || len(k.warm)+len(k.kept) > 0 {
				t.Errorf("%+v follows %+v", two, one)
			}
			b.free(next)
		})
	}
}

// TestNothingIsKept: a process waits only where the next session likely takes it over.
func TestNothingIsKept(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text   string
		change func(in, next *SessionInput)
	}{
		"no report":     {"Well.", nil},
		"blocked":       {"<BLOCKED>a</BLOCKED>", nil},
		"another role":  {"<PROGRESS>a</PROGRESS>", func(_, next *SessionInput) { next.Role = task.Reviewer }},
		"another model": {"<PROGRESS>a</PROGRESS>", func(_, next *SessionInput) { next.Model = "haiku" }},
		"all is done":   {"<DONE>a</DONE>", nil},
		"the last one":  {"<PROGRESS>a</PROGRESS>", func(in, _ *SessionInput) { in.Next = nil }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, k := newRelay(t, c.text)
			in, next := b.session(task.Implementer, "script"), b.session(task.Implementer, "script")
			if in.Next = &next; c.change != nil {
				c.change(&in, &next)
			}
			_, err := b.attempt().session(b.Sessions, in)
			must(t, err)
			b.prestarted(next.ID)
			b.prestarter.drop(next.ID)
			if len(k.kept) > 0 || len(k.clear) > 0 {
				t.Errorf("kept: %v, cleared: %v", k.kept, k.clear)
			}
			b.free(in)
		})
	}
}

// TestReapOfMark: what a killed worker has left of a process that had gone on from another session is found by that one's mark.
func TestReapOfMark(t *testing.T) {
	t.Parallel()
	rec := &record{dir: t.TempDir(), state: recordState{Mark: uuid.NewString()}}
	p, err := process.Start(context.Background(), process.Spec{Path: "/bin/sleep", Args: []string{"1000"}, Session: rec.state.Mark})
	must(t, err)
	must(t, rec.reap(t.Context()))
	select {
	case <-p.Done(): // the guard says so a moment after the process is gone
	case <-time.After(10 * time.Second):
		t.Error("the process runs")
		p.Stop()
	}
	if !slices.Contains([]string{"SIGTERM", "SIGKILL"}, p.Wait().Signal) {
		t.Errorf("it ended by itself: %s", p.Wait())
	}
}
