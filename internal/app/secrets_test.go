package app

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/longshift/longshift/task"
)

// A pattern names a repository however the task has named it, and no other one that looks alike.
func TestGrantsByRepository(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ pattern, repository, enterprise string }{
		{"acme/web", "acme/web", ""}, {"acme/web", "Acme/Web", ""}, {"acme/*", "acme/web", ""}, {"acme/web", "https://github.com/acme/web.git", ""},
		{"acme/web", "git@github.com:acme/web.git", ""}, {"github.com/acme/*", "acme/web", ""}, {"*", "acme/web", ""}, {"*", "/srv/web", ""},
		{"git.acme.com/team/*", "https://git.acme.com/team/web", ""}, {"git.acme.com/*/*/web", "https://git.acme.com/group/team/web", ""},
		{"acme/web", "https://ghe.acme.com/acme/web", "https://ghe.acme.com"}, {"/srv/*", "/srv/web", ""}, {"/srv/web/", "/srv/web", ""}, {"/srv/web", "/srv/x/../web", ""},
	} {
		if !granted(t, c.pattern, c.repository, c.enterprise) {
			t.Errorf("%s is not granted to %s", c.pattern, c.repository)
		}
	}
	for _, c := range []struct{ pattern, repository, enterprise string }{
		{"acme/web", "acme/web2", ""}, {"acme/web", "acme2/web", ""}, {"acme/*", "acme2/web", ""}, {"acme/web", "https://git.evil.com/acme/web", ""},
		{"acme/web", "http://github.com/acme/web", ""}, {"*", "http://github.com/acme/web", ""}, {"acme/web", "https://github.com:8443/acme/web", ""},
		{"acme/web", "https://github.com/acme/web", "https://ghe.acme.com"}, {"git.acme.com/*/*", "https://git.acme.com/group/team/web", ""},
		{"/srv/*", "/srv/x/web", ""}, {"/srv/web", "/srv/web2", ""}, {"/web", "https://github.com/web", ""}, {"srv/web", "/srv/web", ""}, {"*/web", "/web", ""},
	} {
		if granted(t, c.pattern, c.repository, c.enterprise) {
			t.Errorf("%s is granted to %s", c.pattern, c.repository)
		}
	}
}

func granted(t *testing.T, pattern, repository, enterprise string) bool {
	t.Helper()
	r, err := task.ParseRepository(repository)
	must(t, err)
	return grantedTo(load(t, "LONGSHIFT_GITHUB_URL="+enterprise), pattern, r)
}

// Each part gets what is granted to it, in its value of now; what the worker does not have is left out.
func TestTaskSecrets(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key")
	must(t, os.WriteFile(file, []byte("first-value"), 0o600))
	secrets := taskSecrets(load(t, "LONGSHIFT_TASK_SECRETS=NPM_TOKEN@acme/* DEPLOY:agent@acme/web NONE@* OTHER@acme/other",
		"NPM_TOKEN_FILE="+file, "DEPLOY=deploy-value", "OTHER=other-value"))
	web, err := task.ParseRepository("acme/web")
	must(t, err)
	for part, want := range map[string][]string{"setup": {"NPM_TOKEN"}, "check": {"NPM_TOKEN"}, "agent": {"DEPLOY"}, "trial": nil} {
		got, err := secrets(web, part)
		must(t, err)
		if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, want) {
			t.Errorf("%s gets %v, want %v", part, names, want)
		}
	}
	must(t, os.WriteFile(file, []byte("second-value"), 0o600))
	if got, err := secrets(web, "check"); err != nil || got["NPM_TOKEN"] != "second-value" {
		t.Errorf("a secret that was changed on disk: %v", err)
	}
	must(t, os.Remove(file))
	if _, err := secrets(web, "check"); err == nil {
		t.Error("a secret that can't be read passes for none")
	}
}
