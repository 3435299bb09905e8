package activities

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/signals"
)

// clerk gives a test's answers to questions, and records the questions.
type clerk struct {
	mu     sync.Mutex
	asked  []signals.Question
	answer func(q signals.Question, n int) signals.Answer // n counts from 1
}

func (k *clerk) put(_ context.Context, q signals.Question) (signals.Answer, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked = append(k.asked, q)
	return k.answer(q, len(k.asked)), nil
}

func once(signals.Question, int) signals.Answer {
	return signals.Answer{Verdict: signals.Yes, By: "maria", Expires: time.Now().Add(time.Hour)}
}

// bindings makes an enforcer over a tree that holds files, and the clerk that it asks.
func bindings(t *testing.T, files map[string]string) (*enforcer, *clerk) {
	t.Helper()
	k := &clerk{answer: once}
	w := asks(t, k.put)
	for name, text := range files {
		write(t, w, name, text)
	}
	return w, k
}

func write(t *testing.T, w *enforcer, name, text string) {
	t.Helper()
	path := filepath.Join(w.root, name)
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o755))
}

// An approval holds for the script that the person saw: when its content changes, the same command is another question.
func TestAnApprovalIsBoundToTheFilesOfACommand(t *testing.T) {
	t.Parallel()
	for command, file := range map[string]string{
		"terraform init; sh deploy.sh":                       "deploy.sh",
		"terraform init && ./deploy.sh":                      "deploy.sh",
		"terraform init; bash -c 'cd ops && sh ./deploy.sh'": "ops/deploy.sh",
		"cat deploy.sh | nosuchshell":                        "deploy.sh",
		"nosuchshell < deploy.sh":                            "deploy.sh",
		"terraform init; source env.sh":                      "env.sh",
		"make deploy":                                        "Makefile",
		"make -C ops deploy":                                 "ops/Makefile",
		"terraform init; npm run deploy":                     "package.json",
		"terraform init; python3 tools/x.py":                 "tools/x.py",
		"nosuchshell -fsite.yml":                             "site.yml",
		"nosuchshell tools/*.py":                             "tools/x.py",
		"x=deploy.sh; nosuchshell --file=$x":                 "deploy.sh",
		"nosuchshell link.sh":                                "deploy.sh",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			w, k := bindings(t, map[string]string{"deploy.sh": "echo 1", "ops/deploy.sh": "echo 1", "env.sh": "A=1", "Makefile": "deploy:\n\techo 1\n",
				"ops/Makefile": "deploy:\n\techo 1\n",
				"package.json": "{}", "tools/x.py": "print(1)", "site.yml": "a: 1", "other.txt": "1"})
			must(t, os.Symlink("deploy.sh", filepath.Join(w.root, "link.sh")))
			ask := func() signals.Question {
				t.Helper()
				c := bash(w, command, "")
				q, hurdle := w.question(t.Context(), c, w.judge(c))
				if d := w.judge(c); d.Verdict != "ask" || hurdle != "" {
					t.Fatalf("%+v, %s", d, hurdle)
				}
				return q
			}
			first := ask()
			write(t, w, "other.txt", "2")
			if again := ask(); again.ID != first.ID {
				t.Errorf("another question though nothing has changed: %+v, then %+v", first, again)
			}
			write(t, w, file, "rm -rf everything")
			second := ask()
			if second.ID == first.ID || second.Text() != first.Text() {
				t.Errorf("the approval still holds after %s was changed: %+v", file, second)
			}
			if text := first.Bound(); !strings.Contains(text, " (") || strings.Contains(text, "echo") || len(k.asked) > 0 {
				t.Errorf("people are told %q", text)
			}
			must(t, os.Remove(filepath.Join(w.root, file)))
			if third := ask(); third.ID == first.ID || third.ID == second.ID {
				t.Errorf("the approval still holds after %s was removed: %+v", file, third)
			}
		})
	}
}

// The file is read again after the answer, right before the call is allowed.
func TestAFileThatChangesWhileAPersonThinksIsAskedAnew(t *testing.T) {
	t.Parallel()
	w, k := bindings(t, map[string]string{"deploy.sh": "echo 1"})
	k.answer = func(q signals.Question, n int) signals.Answer {
		if n == 1 {
			write(t, w, "deploy.sh", "rm -rf everything")
			return once(q, n)
		}
		return signals.Answer{Verdict: signals.No, By: "maria"}
	}
	if d := w.permit(t.Context(), bash(w, "nosuchshell deploy.sh", "")); d.Allow {
		t.Errorf("it runs with what nobody has seen: %+v", d)
	}
	if len(k.asked) != 2 || k.asked[0].ID == k.asked[1].ID {
		t.Errorf("asked %+v", k.asked)
	}
	n := 0
	k.asked, k.answer = nil, func(q signals.Question, _ int) signals.Answer {
		n++
		write(t, w, "restless.sh", strings.Repeat("#", n))
		return once(q, n)
	}
	write(t, w, "restless.sh", "")
	if d := w.permit(t.Context(), bash(w, "nosuchshell restless.sh", "")); d.Allow || d.End != "" ||
		!strings.Contains(d.Reason, "change all the time") || n != mostAnew {
		t.Errorf("after %d questions: %+v", n, d)
	}
}

// A yes holds for one run. A yes for the task holds for the text, whatever the files contain.
func TestAnApprovalCountsOnceOrForTheTask(t *testing.T) {
	t.Parallel()
	w, k := bindings(t, map[string]string{"deploy.sh": "echo 1"})
	run := func(want int) {
		t.Helper()
		if d := w.permit(t.Context(), bash(w, "nosuchshell deploy.sh", "")); !d.Allow || len(k.asked) != want {
			t.Errorf("%+v after %d questions, want %d", d, len(k.asked), want)
		}
	}
	run(1)
	run(2)
	k.answer = func(signals.Question, int) signals.Answer {
		write(t, w, "deploy.sh", "echo 2") // also while the person thinks
		return signals.Answer{Verdict: signals.Yes, By: "maria", ForTask: true}
	}
	run(3)
	write(t, w, "deploy.sh", "echo 3")
	run(3)
	w, _ = bindings(t, map[string]string{"deploy.sh": ""})
	looks := 0
	w.ask = func(context.Context, signals.Question) (signals.Answer, error) {
		looks++
		write(t, w, "deploy.sh", strings.Repeat("#", looks))
		return signals.Answer{Verdict: signals.Yes, ForTask: true}, nil
	}
	if d := w.permit(t.Context(), bash(w, "nosuchshell deploy.sh", "")); !d.Allow || looks != 1 {
		t.Errorf("%+v after %d looks", d, looks)
	}
}

// Calls with the same text ask one after the other: a task applies its yes to all questions that wait at that moment.
func TestCallsOfTheSameTextAskOneAfterTheOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		open, total := 0, 0
		p := newPeople(func(context.Context, signals.Question) (signals.Answer, error) {
			open, total = open+1, total+1
			<-release
			open--
			return once(signals.Question{}, 0), nil
		})
		for _, id := range []string{"a", "b", "b"} {
			go func() {
				if a, err := p.ask(t.Context(), signals.Question{ID: id, TextID: "text"}); err != nil || a.Verdict != signals.Yes {
					t.Errorf("got %+v, %v", a, err)
				}
			}()
		}
		for n := 1; n <= 3; n++ {
			if synctest.Wait(); open != 1 || total != n {
				t.Errorf("%d questions are on their way, %d in all, want 1 and %d", open, total, n)
			}
			release <- struct{}{}
		}
	})
}

// Files that an approval can't cover are named and block nothing: a pipe, a link that leads out, a file in the box's own /tmp, a large
// file.
func TestWhatAnApprovalCanNotBeBoundToIsSaid(t *testing.T) {
	t.Parallel()
	w, k := bindings(t, map[string]string{"plain.sh": "echo 1"})
	must(t, syscall.Mkfifo(filepath.Join(w.root, "pipe"), 0o600))
	must(t, os.Symlink("/etc/hostname", filepath.Join(w.root, "out")))
	must(t, os.Truncate(filepath.Join(w.root, touched(t, w, "large")), mostBoundSize+1))
	if d := w.permit(t.Context(), bash(w, "nosuchshell pipe out large plain.sh /tmp/~x.sh none.sh "+strings.Repeat("n", 400), "")); !d.Allow {
		t.Fatalf("got %+v", d)
	}
	if got := k.asked[0].Bound(); !strings.Contains(got, "It can't be bound to the content of large, out, pipe, /tmp/~x.sh.") ||
		!strings.Contains(got, "to the content of plain.sh (") || strings.Contains(got, "n.sh,") {
		t.Errorf("people are told %q", got)
	}
	if d := w.permit(t.Context(), agent.Call{Tool: "Write", ID: "w", Dir: w.root, Input: []byte(`{"file_path":"CLAUDE.md","content":"x"}`)}); !d.Allow ||
		len(k.asked[1].Files) > 0 {
		t.Errorf("a file tool: %+v, asked %+v", d, k.asked[1:])
	}
	for i := range mostBound + 1 {
		touched(t, w, "many/"+strings.Repeat("f", i+1))
	}
	if d := w.permit(t.Context(), bash(w, "nosuchshell many/*", "")); d.Allow || !strings.Contains(d.Reason, "more files than") {
		t.Errorf("got %+v", d)
	}
}

func touched(t *testing.T, w *enforcer, name string) string {
	t.Helper()
	write(t, w, name, "")
	return name
}
