package compose_test

import (
	"path/filepath"
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
