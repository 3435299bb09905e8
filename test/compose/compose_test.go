package compose_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/test/compose"
)

const stack = "docker-compose.temporal.yml"

// root is the repository's root.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func report(t *testing.T, broken []error) {
	t.Helper()
	for _, err := range broken {
		t.Error(err)
	}
}

func TestStackKeepsItsPromises(t *testing.T) {
	for name, files := range map[string][]string{
		"alone":           {stack},
		"with a login":    {stack, "deploy/claude-login.yml"},
		"with chat":       {stack, "deploy/chat.yml"},
		"with more hosts": {stack, "deploy/more-hosts.yml"},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range files {
				files[i] = filepath.Join(root(t), files[i])
			}
			s, err := compose.Load(t.Context(), root(t), files...)
			if err != nil {
				t.Fatal(err)
			}
			report(t, s.Check())
		})
	}
}

// The table of deploy/README.md is the list of what an operator may set without an override file, so it lacks nothing that the compose
// file passes, and the compose file drops nothing of it. What belongs to a profile is told where the profile is.
func TestTableOfSettings(t *testing.T) {
	file, readme := read(t, stack), read(t, "deploy/README.md")
	table := regexp.MustCompile("`([A-Z_]+)`").FindAllStringSubmatch(strings.Join(regexp.MustCompile("(?m)^\\| `.*$").FindAllString(
		section(readme, "## Settings"), -1), "\n"), -1)
	var told, passed []string
	for _, m := range table {
		told = append(told, m[1])
	}
	for _, m := range regexp.MustCompile(`\$\{(\w+)`).FindAllStringSubmatch(file, -1) {
		passed = append(passed, m[1])
	}
	for _, name := range passed {
		if !slices.Contains(told, name) && !strings.HasPrefix(name, "LONGSHIFT_LISTEN_") {
			t.Errorf("%s is passed, and not in the table of deploy/README.md", name)
		}
	}
	for _, name := range told {
		if !slices.Contains(passed, name) {
			t.Errorf("%s is in the table, and %s does not pass it", name, stack)
		}
	}
}

// section is the text below a heading, up to the next one.
func section(text, heading string) string {
	_, text, _ = strings.Cut(text, heading+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}
