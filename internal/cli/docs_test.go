package cli

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	enumspb "go.temporal.io/api/enums/v1"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

var update = flag.Bool("update", false, "write the generated parts of docs/cli.md")

const reference = "../../docs/cli.md"

// commands gives every command of the tree, the root first.
func commands(c *cobra.Command) []*cobra.Command {
	if c.Hidden {
		return nil
	}
	all := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		all = append(all, commands(sub)...)
	}
	return all
}

func testRoot() *cobra.Command {
	root := newFactory(term.Streams{}, environ.Environ{}, testWiring()).root()
	for _, c := range commands(root) {
		c.InitDefaultHelpFlag()
	}
	return root
}

// docs/cli.md holds what the program says about itself. Run the test with -update to write it.
func TestReference(t *testing.T) {
	content, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	got := string(content)
	for name, text := range map[string]string{"commands": commandReference(), "exit codes": exitReference(), "variables": variableReference()} {
		begin, end := fmt.Sprintf("<!-- %s: generated -->\n", name), fmt.Sprintf("<!-- end of %s -->\n", name)
		i, j := strings.Index(got, begin), strings.Index(got, end)
		if i < 0 || j < i {
			t.Fatalf("%s has no section between %q and %q", reference, begin, end)
		}
		got = got[:i+len(begin)] + text + got[j:]
	}
	if got == string(content) {
		return
	}
	if !*update {
		t.Fatalf("%s differs from what the program says; run `go test ./internal/cli -run TestReference -update`", reference)
	}
	if err := os.WriteFile(reference, []byte(got), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A repository that is named may not be there: each command that takes one says that it ends with exit code 3 then. Tasks of one that is gone
// are listed.
func TestRepositoriesMayBeMissing(t *testing.T) {
	for _, c := range commands(testRoot()) {
		takes := c.Flags().Lookup("repo") != nil && c.Name() != "list"
		if takes && !strings.Contains(c.Annotations["exits"], command.ExitMeanings[fault.ExitNotFound]) {
			t.Errorf("%s takes a repository, and does not say exit code %d", c.CommandPath(), fault.ExitNotFound)
		}
	}
}

func commandReference() string {
	var b strings.Builder
	for _, c := range commands(testRoot()) {
		if c.HasParent() {
			describeCommand(&b, c)
		}
	}
	return b.String()
}

func describeCommand(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\n### %s\n\n", c.CommandPath())
	about := c.Long
	if about == "" {
		about = c.Short + "."
	}
	fmt.Fprintf(b, "%s\n\n```\n%s\n```\n\n", about, c.UseLine())
	if flags := flagTable(c); flags != "" {
		fmt.Fprintf(b, "| flag | meaning |\n|---|---|\n%s\n", flags)
	}
	fmt.Fprintf(b, "```sh\n%s\n```\n", strings.ReplaceAll(strings.TrimPrefix(c.Example, "  "), "\n  ", "\n"))
	if text := c.Annotations["exits"]; text != "" {
		var codes []string
		for line := range strings.Lines(text) {
			codes = append(codes, strings.Fields(line)[0])
		}
		fmt.Fprintf(b, "\nExit codes: %s\n", strings.Join(codes, ", "))
	}
}

func flagTable(c *cobra.Command) string {
	var rows string
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if kind != "" {
			name += " " + kind
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "0s" && f.DefValue != "[]" {
			usage += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		rows += fmt.Sprintf("| `%s` | %s |\n", name, usage)
	})
	return rows
}

func exitReference() string {
	var codes []int
	for code := range command.ExitMeanings {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	text := "| code | meaning |\n|---|---|\n"
	for _, code := range codes {
		text += fmt.Sprintf("| %d | %s |\n", code, command.ExitMeanings[code])
	}
	return text
}

func variableReference() string {
	text := "| variable | default | meaning |\n|---|---|---|\n"
	for _, v := range config.Variables() {
		value := "-"
		if v.Default != "" {
			value = "`" + v.Default + "`"
		}
		text += fmt.Sprintf("| `%s` | %s | %s |\n", v.Name, value, v.Help)
	}
	return text
}

// Every command has an example that names it, says its exit codes, and explains each of its flags in one line.
func TestCommandsExplainThemselves(t *testing.T) {
	for _, c := range commands(testRoot()) {
		if !strings.Contains(c.Example, c.CommandPath()) {
			t.Errorf("%s: no example of it", c.CommandPath())
		}
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: short help %q", c.CommandPath(), c.Short)
		}
		if c.HasParent() && !strings.Contains(c.Annotations["exits"], "  0  ") {
			t.Errorf("%s: no exit codes", c.CommandPath())
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" || strings.ContainsAny(f.Usage, "\n") || strings.HasSuffix(f.Usage, ".") {
				t.Errorf("%s --%s: help %q", c.CommandPath(), f.Name, f.Usage)
			}
			if value, _ := pflag.UnquoteUsage(f); value != "" && f.Value.Type() == "bool" {
				t.Errorf("%s --%s takes no value, and its help shows %q as one", c.CommandPath(), f.Name, value)
			}
		})
	}
}

// The examples parse: each longshift line in them names a command, with flags and arguments that it takes.
func TestExamplesParse(t *testing.T) {
	for _, c := range commands(testRoot()) {
		_, mistakes := checkShell(c.Example)
		for _, m := range mistakes {
			t.Errorf("%s: line %d of its examples: %v", c.CommandPath(), m.line, m.err)
		}
	}
}

func TestAttributesHaveKnownTypes(t *testing.T) {
	for _, a := range signals.Attributes() {
		if server.TypeOf(a) == enumspb.INDEXED_VALUE_TYPE_UNSPECIFIED || !strings.HasPrefix(a.Name, server.AttributePrefix) {
			t.Errorf("%+v", a)
		}
	}
}
