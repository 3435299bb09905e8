package cli

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

func TestForgeScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/forge/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range scripts {
		hub := forgetest.NewGitHub(t)
		bare := gittest.NewBare(t, map[string]string{"README.md": "# web\n"})
		hub.AddRepository(forgetest.Repository{Name: "acme/web", GitDir: bare})
		hub.AddRepository(forgetest.Repository{Name: "acme/read", GitDir: bare, ReadOnly: true})
		hub.AddRepository(forgetest.Repository{Name: "acme/forked", GitDir: bare, ReadOnly: true})
		hub.AddRepository(forgetest.Repository{Name: "longshift-bot/forked", GitDir: bare, ForkedFrom: "acme/forked"})
		testscript.Run(t, testscript.Params{
			Files:               []string{file},
			RequireExplicitExec: true,
			Setup: func(e *testscript.Env) error {
				port, err := clitest.UnusedPort() // nobody listens there
				e.Setenv("TEMPORAL_ADDRESS", fmt.Sprintf("127.0.0.1:%d", port))
				e.Setenv("LONGSHIFT_GITHUB_URL", hub.URL)
				e.Setenv("GITHUB", hub.URL)
				e.Setenv("TOKEN", forgetest.Token)
				e.Setenv("BARE", bare)
				e.Setenv("HOME", e.WorkDir+"/home")
				return err
			},
		})
	}
}

func TestNameOn(t *testing.T) {
	for _, c := range []struct{ host, address, want string }{
		{"github.com", "https://github.com/acme/web", "acme/web"},
		{"github.com", "https://github.com/acme/web.git/", "acme/web"},
		{"github.com", "https://ann:secret@GitHub.com/acme/web.js.git", "acme/web.js"},
		{"github.com", "git@github.com:acme/web.git", "acme/web"},
		{"github.com", "github.com:/acme/web", "acme/web"},
		{"github.com", "git@github.com:ada_acme/web.git", "ada_acme/web"},
		{"github.com", "ssh://git@github.com/acme/web", "acme/web"},
		{"github.com", "ssh://git@ssh.github.com:443/acme/web.git", "acme/web"},
		{"github.com", "git://github.com/acme/web", "acme/web"},
		{"ghe.example.com:8443", "https://ghe.example.com:8443/acme/web", "acme/web"},
		{"ghe.example.com:8443", "git@ghe.example.com:acme/web", "acme/web"},
		{"ghe.example.com:8443", "https://ghe.example.com/acme/web", ""},
		{"github.com", "https://github.com.evil.example/acme/web", ""},
		{"github.com", "https://github.com@evil.example/acme/web", ""},
		{"github.com", "https://evil.example/github.com/web", ""},
		{"github.com", "git@evil.example:github.com/web", ""},
		{"github.com", "https://github.com/acme", ""},
		{"github.com", "https://github.com/acme/web/tree/main", ""},
		{"github.com", "git@github.com:acme/../web", ""},
		{"github.com", "/srv/git/web.git", ""},
		{"github.com", "../github.com:acme/web", ""},
		{"github.com", "file:///srv/git/acme/web", ""},
	} {
		if got := place(c.address).on(c.host); got != c.want {
			t.Errorf("%s on %s: %q, want %q", c.address, c.host, got, c.want)
		}
	}
}
