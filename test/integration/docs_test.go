package integration

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/longshift/longshift/internal/sourcetree"
)

// example is one command of a shell block of the documentation, with the exports before it.
type example struct {
	at, text string
}

// notRun are commands that this test can't run, and why. Each pattern must fit a command.
var notRun = []struct{ pattern, why string }{
	{`docker|deploy/secrets|COMPOSE_FILE`, "test/compose checks the files; it takes a container engine"},
	{`(^|\n)make `, "it is what runs this test, or takes hours"},
	{`^temporal `, "the command is not part of what is built here; examples/http.sh sends the same, and is run"},
	{`longshift (dev|demo)|longshift-worker`, "TestStories and TestDemo start it so"},
	{`completion zsh`, "it writes a file of zsh's"},
	{`longshift watch`, "it runs until it is ended; TestWatch plays it"},
	{`longshift session show`, "it takes a session of the native agent; TestNativeAgent shows one"},
	{`longshift acts`, "nobody has done anything in a chat; the tests of chats read what they did"},
	{`longshift undo x1y2z3$`, "it asks a person; the next example answers"},
	{`chats|SLACK|LISTEN|TERMINAL`, "it takes an account of a chat"},
	{`login (github|anthropic)`, "it takes a login of gh, and calls Anthropic"},
	{`--approval required`, "it waits for a person; TestStories has one"},
	{`--issue 42|--fork`, "it takes a repository on GitHub"},
	{`ANTHROPIC_API_KEY=`, "the key is not one"},
	{`longshift setup$`, "it asks a person; the next example answers"},
	{`source linear`, "it takes a key for Linear"},
	{`push origin --delete|git ls-remote`, "it removes what other tests look at"},
	{`^rm -r ~/`, "it is the end"},
}

// TestDocs runs the commands in the shell blocks of README, docs, deploy and examples, each beside a task as it needs it.
func TestDocs(t *testing.T) {
	t.Parallel()
	w := newDocsWorld(t)
	fits, ran := map[string]int{}, 0
	for _, e := range docsExamples(t) {
		if n := skipped(e.text); n != "" {
			fits[n]++
			continue
		}
		ran++
		w.try(e)
	}
	for _, n := range notRun {
		if fits[n.pattern] == 0 {
			t.Errorf("no command fits %s: %s", n.pattern, n.why)
		}
	}
	t.Logf("%d commands ran", ran)
}

// skipped returns the pattern of notRun that a command fits, "" when it is run.
func skipped(text string) string {
	for _, n := range notRun {
		if regexp.MustCompile(n.pattern).MatchString(text) {
			return n.pattern
		}
	}
	return ""
}

var shFence = regexp.MustCompile("(?ms)^ *```sh\n(.*?)^ *```$")

// docsExamples lists the commands of all shell blocks.
func docsExamples(t *testing.T) (all []example) {
	t.Helper()
	for _, pattern := range []string{"README.md", "docs/*.md", "deploy/*.md", "examples/*.md"} {
		files, err := filepath.Glob(filepath.Join(sourcetree.Root(), pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range files {
			page, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range shFence.FindAllSubmatchIndex(page, -1) {
				where := fmt.Sprintf("%s:%d", strings.TrimPrefix(file, sourcetree.Root()+"/"), 1+bytes.Count(page[:at[2]], []byte("\n")))
				all = append(all, blockExamples(t, where, page[at[2]:at[3]])...)
			}
		}
	}
	return all
}

// blockExamples lists the commands of one block. What it exports counts for the commands after that.
func blockExamples(t *testing.T, at string, block []byte) (all []example) {
	t.Helper()
	script, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(bytes.NewReader(block), at)
	if err != nil {
		t.Fatal(err)
	}
	exports := ""
	for _, s := range script.Stmts {
		var text strings.Builder
		if err := syntax.NewPrinter().Print(&text, s); err != nil {
			t.Fatal(err)
		}
		if _, declares := s.Cmd.(*syntax.DeclClause); declares {
			exports += text.String() + "\n"
			continue
		}
		all = append(all, example{at, exports + text.String()})
	}
	return all
}
