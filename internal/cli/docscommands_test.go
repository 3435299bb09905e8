package cli

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/longshift/longshift/task"
)

// Every longshift command in the shell blocks of the documentation, and in the example scripts, names a command that exists, with flags
// and arguments that it takes. No command runs.
func TestCommandsInDocs(t *testing.T) {
	found := 0
	for _, pattern := range []string{"README.md", "docs/*.md", "deploy/*.md", "examples/*.md", "examples/*.sh"} {
		files, err := filepath.Glob(filepath.Join("..", "..", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			blocks := []shellBlock{{1, string(content)}}
			if filepath.Ext(file) == ".md" {
				blocks = shellBlocks(string(content))
			}
			for _, b := range blocks {
				n, mistakes := checkShell(b.text)
				found += n
				for _, m := range mistakes {
					t.Errorf("%s:%d: %v", strings.TrimPrefix(filepath.ToSlash(file), "../../"), b.line+m.line-1, m.err)
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("%d commands found: the search finds nothing", found)
	}
}

func TestCheckShell(t *testing.T) {
	for _, c := range []struct {
		text  string
		found int
		wrong string
	}{
		{`longshift run "fix it" --budget 5 -c budget.time=1h   # a comment`, 1, ""},
		{"longshift run 'fix the tests' \\\n  --time 60m --label a --label b", 1, ""},
		{"$ LONGSHIFT_KEEP=24h bin/longshift clean\nremoved 3 folders", 1, ""},
		{"longshift acts -o jsonl | jq -r .user && longshift list > all", 2, ""},
		{"longshift show $ID; longshift diff x1y2z3 -- --stat; longshift --version", 3, ""},
		{"echo longshift rnu", 0, ""},
		{"longshift policy check --jsonl < commands.jsonl", 1, ""},

		{`longshift rnu "fix it"`, 1, `1: unknown command "rnu"`},
		{"longshift version\nlongshift cron craete @daily x", 2, `2: unknown command "craete"`},
		{`longshift list --repo acme/web --bugdet 5`, 1, "1: unknown flag: --bugdet"},
		{`longshift run "fix it" --budget five`, 1, `invalid argument "five"`},
		{"longshift run fix the tests", 1, `unexpected argument "the"`},
		{"longshift approve", 1, "the task is missing"},
		{"longshift login gitlab", 1, `invalid argument "gitlab"`},
		{"longshift run x -c budgt.cost=5", 1, `unknown key "budgt.cost"`},
		{"echo \"$(longshift rnu)\"", 1, `unknown command "rnu"`},
		{"sudo -u ci true && longshift rnu", 1, `unknown command "rnu"`},
		{`longshift run "fix it`, 0, "1: 1:15: reached EOF without closing quote"},
	} {
		found, mistakes := checkShell(c.text)
		var got string
		for _, m := range mistakes {
			got += fmt.Sprintf("%d: %v\n", m.line, m.err)
		}
		if found != c.found || (got == "") != (c.wrong == "") || !strings.Contains(got, c.wrong) {
			t.Errorf("%s\nfound %d, want %d; mistakes %q, want %q", c.text, found, c.found, got, c.wrong)
		}
	}
}

func TestShellBlocks(t *testing.T) {
	got := shellBlocks("a\n```sh\none\ntwo\n```\n```yaml\nno\n```\n- item\n\n  ```sh\n  three\n  ```\n```\nno\n```\n")
	want := []shellBlock{{3, "one\ntwo\n"}, {12, "  three\n"}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// shellBlock is the text of a block and the number of its first line.
type shellBlock struct {
	line int
	text string
}

// shellBlocks returns the blocks of a Markdown page that are marked as sh.
func shellBlocks(page string) (all []shellBlock) {
	inside, shell, n := false, false, 0
	for line := range strings.Lines(page) {
		n++
		language, fence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence:
			inside = !inside
			if shell = inside && language == "sh"; shell {
				all = append(all, shellBlock{line: n + 1})
			}
		case shell:
			all[len(all)-1].text += line
		}
	}
	return all
}

type shellMistake struct {
	line int
	err  error
}

var shellPrompt = regexp.MustCompile(`(?m)^(\s*)\$ `)

// checkShell counts the longshift commands in a text for the shell, and returns what is wrong with them.
func checkShell(text string) (found int, mistakes []shellMistake) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(shellPrompt.ReplaceAllString(text, "$1")), "")
	if err != nil {
		return 0, []shellMistake{{1, err}}
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 || path.Base(call.Args[0].Lit()) != "longshift" {
			return true
		}
		found++
		args, err := shellWords(call.Args[1:])
		if err == nil {
			err = checkCommand(args)
		}
		if err != nil {
			mistakes = append(mistakes, shellMistake{int(call.Pos().Line()), err})
		}
		return true
	})
	return found, mistakes
}

// shellWords reads words as the shell does, with 1 for the value of each variable and for the output of each command.
func shellWords(words []*syntax.Word) (args []string, err error) {
	config := &expand.Config{
		Env:       expand.FuncEnviron(func(string) string { return "1" }),
		CmdSubst:  func(w io.Writer, _ *syntax.CmdSubst) error { _, err := io.WriteString(w, "1"); return err },
		ProcSubst: func(*syntax.ProcSubst) (string, error) { return "1", nil },
	}
	for _, word := range words {
		arg, err := expand.Literal(config, word)
		if err != nil {
			return nil, err
		}
		args = append(args, arg)
	}
	return args, nil
}

// checkCommand returns what the command line would refuse before it runs the command.
func checkCommand(args []string) error {
	c, rest, err := testRoot().Find(args)
	if err != nil {
		return err
	}
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	given := c.Flags().Args()
	if c.HasSubCommands() && len(given) > 0 {
		return fmt.Errorf("unknown command %q", given[0])
	}
	if err := c.ValidateArgs(given); err != nil {
		return err
	}
	if len(c.ValidArgs) > 0 {
		if err := cobra.OnlyValidArgs(c, given); err != nil {
			return err
		}
	}
	pairs, _ := c.Flags().GetStringArray("config") // fails only where there is no such flag
	for _, pair := range pairs {
		key, _, _ := strings.Cut(pair, "=")
		if _, known := task.KeyOf(key); !known {
			return fmt.Errorf("unknown key %q", key)
		}
	}
	return nil
}
