package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/syntax"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
)

const nowhereTable = "testdata/nowhere.md"

// Every command of the tree, without arguments and as its first example has it, where there is no server, no repository and no input. It
// ends with a message that names the next step, in lines that fit the terminal, and succeeds only where it has printed something. Run the
// test with -update to write the table of these messages, and read what changes in it.
func TestNowhere(t *testing.T) {
	t.Parallel()
	n := newNowhere(t)
	var lines []string
	for _, c := range everyCommand(newConsole(t).factory().root()) {
		lines = append(lines, strings.Join(strings.Fields(c.CommandPath())[1:], "\x00"))
		if args := exampleOf(t, c); args != nil {
			lines = append(lines, strings.Join(args, "\x00"))
		}
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	rows := make([]string, len(lines))
	var all sync.WaitGroup
	places := make(chan struct{}, 16) // most of the time they wait for a server
	for i, line := range lines {
		args := strings.Split(line, "\x00")
		if line == "" {
			args = []string{}
		}
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			rows[i] = n.row(t, args)
		})
	}
	all.Wait()
	got := "| command | exit | message | next step |\n|---|---|---|---|\n" + strings.Join(rows, "")
	if *update {
		if err := os.WriteFile(nowhereTable, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(nowhereTable)
	if err != nil || got != string(want) {
		t.Errorf("%s differs from what the commands say (%v); run `go test ./internal/cli -run TestNowhere -update` and read the difference:\n%s",
			nowhereTable, err, got)
	}
}

// nowhere is an environment without anything.
type nowhere struct {
	path, port string
}

func newNowhere(t *testing.T) *nowhere {
	port, err := clitest.UnusedPort()
	if err != nil {
		t.Fatal(err)
	}
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	n := &nowhere{path: t.TempDir(), port: fmt.Sprint(port)}
	if err := os.Symlink(git, filepath.Join(n.path, "git")); err != nil {
		t.Fatal(err)
	}
	return n
}

// run runs a command on a terminal with so many columns, or by pipe for 0.
func (n *nowhere) run(t *testing.T, columns int, args ...string) (code int, out, errs string) {
	c := newConsole(t, "PATH="+n.path, "TEMPORAL_ADDRESS=127.0.0.1:"+n.port, "LONGSHIFT_DEVSERVER=/nowhere/server", "TERM=dumb",
		"LONGSHIFT_WORKER=/nowhere/worker", "GIT_CEILING_DIRECTORIES=/")
	c.Columns = columns
	s := c.Streams()
	s.OutTTY, s.ErrTTY = columns > 0, columns > 0
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	f := newFactory(s.Colored(c.Environ().Get), c.Environ(), testWiring())
	defer f.close()
	code = f.main(ctx, args)
	if ctx.Err() != nil {
		t.Errorf("%q does not end", args)
	}
	known := strings.NewReplacer(n.port, "PORT", c.Dir, "DIR", c.Environ().Get("HOME"), "HOME")
	return code, known.Replace(c.Out.String()), known.Replace(c.Errs.String())
}

// row runs a command everywhere, and returns its row in the table.
func (n *nowhere) row(t *testing.T, args []string) string {
	code, out, errs := n.run(t, 0, args...)
	if strings.Contains(out+errs, "\x1b") {
		t.Errorf("%q sends control sequences through a pipe", args)
	}
	for _, columns := range []int{60, 80, 200} {
		again, out, errs := n.run(t, columns, args...)
		if again != code {
			t.Errorf("%q ends with %d by pipe, and with %d on a terminal", args, code, again)
		}
		if code != fault.ExitOK || len(args) == 0 || !slices.Contains([]string{"completion", "man"}, args[0]) { // these are for programs
			tooWide(t, args, columns, out+errs)
		}
	}
	message, hint := "", ""
	if code == fault.ExitOK {
		message = "prints " + kindOfOutput(out)
		if strings.TrimSpace(out) == "" {
			t.Errorf("%q succeeds and has printed nothing; stderr: %s", args, errs)
		}
	} else {
		message, hint = n.failure(t, args, code)
	}
	return fmt.Sprintf("| `%s` | %d | %s | %s |\n", cell(strings.Join(append([]string{"longshift"}, args...), " ")), code, cell(message), cell(hint))
}

// failure returns message and next step of a command that fails. A command that checks several things has a step for each that is not ok.
func (n *nowhere) failure(t *testing.T, args []string, code int) (message, hint string) {
	_, out, errs := n.run(t, 0, append(slices.Clone(args), "-o", "jsonl")...)
	var report struct{ Error term.Failure }
	if err := json.Unmarshal([]byte(errs[strings.LastIndex("\n"+strings.TrimRight(errs, "\n"), "\n"):]), &report); err == nil && report.Error.Message != "" {
		if report.Error.Hint == "" {
			t.Errorf("%q fails with %q, which has no next step", args, report.Error.Message)
		}
		if report.Error.ExitCode != code {
			t.Errorf("%q says exit code %d and ends with %d", args, report.Error.ExitCode, code)
		}
		return report.Error.Message, report.Error.Hint
	}
	if out == "" {
		t.Errorf("%q fails and says neither why nor what to do: %s", args, errs)
	}
	for line := range strings.Lines(out) {
		var f struct{ Check, State, Hint string }
		if err := json.Unmarshal([]byte(line), &f); err != nil || f.State != "ok" && f.Hint == "" {
			t.Errorf("%q has no next step in %q: %v", args, line, err)
		}
	}
	return "a line for each check", "on each line that is not ok"
}

var controls = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]|\r")

// tooWide reports lines that do not fit. A word that is longer than a line can't be broken, and an example is to be copied as it is.
func tooWide(t *testing.T, args []string, columns int, text string) {
	examples := false
	for line := range strings.Lines(controls.ReplaceAllString(text, "")) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "Examples:":
			examples = true
		case line == "":
			examples = false
		}
		if term.Cells(line) > columns && !examples && len(strings.Fields(line)) > 1 {
			t.Errorf("%q on %d columns: %d in %q", args, columns, term.Cells(line), line)
		}
	}
}

func kindOfOutput(out string) string {
	switch {
	case strings.Contains(out, "\nUsage:\n"):
		return "its help"
	case strings.HasPrefix(strings.TrimSpace(out), "{"), strings.HasPrefix(strings.TrimSpace(out), "["):
		return "JSON"
	}
	return "what was asked for"
}

func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ").Replace(text)
}

// everyCommand gives every command of the tree, hidden ones too.
func everyCommand(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		all = append(all, everyCommand(sub)...)
	}
	return all
}

// exampleOf returns the arguments of a command's first example, nil for none.
func exampleOf(t *testing.T, c *cobra.Command) (args []string) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(c.Example), "")
	if err != nil {
		t.Fatalf("%s: %v", c.CommandPath(), err)
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		call, ok := node.(*syntax.CallExpr)
		if ok && args == nil && len(call.Args) > 1 && call.Args[0].Lit() == "longshift" {
			if args, err = shellWords(call.Args[1:]); err != nil {
				t.Fatalf("%s: %v", c.CommandPath(), err)
			}
		}
		return args == nil
	})
	return args
}
