package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
)

// questionKeys are the keys that setup asks about, in the order of its questions.
var questionKeys = []string{"specs", "iterations", "setup", "check", "commits", "approval.mode", "approval.after", "budget.cost", "budget.time",
	"pullRequest.follow", "notify.planReady", "notify.progress", "notify.complete", "notify.error"}

// settingsRepository makes a work tree with settings.
func settingsRepository(t *testing.T, settings string) (dir, file string) {
	t.Helper()
	dir = t.TempDir()
	if out, err := exec.Command("git", "init", "--quiet", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file = filepath.Join(dir, ".longshift.yaml")
	if err := os.WriteFile(file, []byte(settings), 0o640); err != nil {
		t.Fatal(err)
	}
	return dir, file
}

func content(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// answer goes through the questions of a form. What is not in keys is left as it is.
func answerForm(w *terminal, keys map[string]string) {
	for i, key := range questionKeys {
		typed, ok := keys[key]
		if !ok {
			typed = "\r"
		}
		w.waits(fmt.Sprintf("%d/%d %s", i+1, len(questionKeys), key), typed)
	}
}

func TestSetupForm(t *testing.T) {
	dir, file := settingsRepository(t, "check: |\n  make lint\n  make test\nsetup: npm ci # with the lock\niterations: 7\n")
	w := startTerminal(t, dir, "xterm-256color", "setup")
	down := "\x1b[B"
	w.waits("1/14 specs", "\r")
	w.waits("2/14 iterations", "\x7f0\r")
	w.waits("iterations is 0; give a whole number from 1 to 1000", "\x7f12\r")
	w.waits("3/14 setup", " --audit\r")
	w.waits("empty keeps make lint make test", "\r")
	w.waits("5/14 commits", down+"\r")
	for i, key := range questionKeys[5:] {
		w.waits(fmt.Sprintf("%d/14 %s", i+6, key), "\r")
	}
	w.waits("Write this into", "y")
	if code := w.code(); code != fault.ExitOK {
		t.Errorf("code %d: %q", code, w.shown())
	}
	want := "check: |\n  make lint\n  make test\nsetup: npm ci --audit # with the lock\niterations: 12\ncommits: single\n"
	if got := content(t, file); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, text := range []string{"-iterations: 7", "+iterations: 12", "Wrote iterations, setup, commits to"} {
		if !strings.Contains(w.shown(), text) {
			t.Errorf("%q is not shown: %q", text, w.shown())
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".longshift.yaml?*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

func TestSetupFormIsLeft(t *testing.T) {
	for name, tt := range map[string]struct {
		term string
		act  func(w *terminal)
		code int
	}{
		"Ctrl-C at a question": {"xterm", func(w *terminal) { w.waits("1/14 specs", "x\r"); w.waits("2/14 iterations", "\x03") }, fault.ExitInterrupt},
		"Ctrl-C at the end": {"xterm", func(w *terminal) {
			answerForm(w, map[string]string{"specs": "x\r"})
			w.waits("Write this into", "\x03")
		}, fault.ExitInterrupt},
		"a no at the end": {"xterm", func(w *terminal) { answerForm(w, map[string]string{"specs": "x\r"}); w.waits("Write this into", "n") }, fault.ExitOK},
		"Ctrl-C at a line": {"dumb", func(w *terminal) {
			w.waits("1/14 specs: ", "x\n")
			w.waits("2/14 iterations: ", "\x03")
		}, fault.ExitInterrupt},
		"a no at the last line": {"dumb", func(w *terminal) {
			w.waits("1/14 specs: ", "x\n")
			w.waits("2/14 iterations: ", "many\n")
			w.waits(`iterations is the text "many"; give`, strings.Repeat("\n", len(questionKeys)-1))
			w.waits("[Y/n]:", "what?\nNo\n")
		}, fault.ExitOK},
	} {
		t.Run(name, func(t *testing.T) {
			const settings = "setup: a # b\n"
			dir, file := settingsRepository(t, settings)
			w := startTerminal(t, dir, tt.term, "setup")
			tt.act(w)
			if code := w.code(); code != tt.code {
				t.Errorf("code %d, want %d: %q", code, tt.code, w.shown())
			}
			if got := content(t, file); got != settings {
				t.Errorf("written: %q", got)
			}
			if tt.code == fault.ExitOK && !strings.Contains(w.shown(), "Nothing was written to") {
				t.Errorf("shown %q", w.shown())
			}
		})
	}
}

// Somebody else's change is not overwritten.
func TestSetupFileChangedMeanwhile(t *testing.T) {
	dir, file := settingsRepository(t, "setup: a\n")
	w := startTerminal(t, dir, "xterm", "setup")
	answerForm(w, map[string]string{"specs": "x\r"})
	w.waits("Write this into", "")
	if err := os.WriteFile(file, []byte("setup: b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.waits("Write this into", "y")
	if code := w.code(); code != fault.ExitConflict || !strings.Contains(strings.Join(strings.Fields(w.out.String()), " "), "has been changed meanwhile") || content(t, file) != "setup: b\n" {
		t.Errorf("code %d: %q", code, w.shown())
	}
}
