package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTaskVariables(t *testing.T) {
	t.Parallel()
	env := map[string]string{"LONGSHIFT_TASK_ENV": "GOPRIVATE=github.com/acme/*,git.acme.com CC  EMPTY= MISSING\nGIT_AUTHOR_NAME=Ada NODE_OPTIONS=--max-old-space-size=4096", "CC": "clang"}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	c, err := Load(func(name string) (string, bool) {
		if name == "LONGSHIFT_DATA" {
			return "/data", true
		}
		return lookup(name)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"GOPRIVATE": "github.com/acme/*,git.acme.com", "CC": "clang", "EMPTY": "", "GIT_AUTHOR_NAME": "Ada",
		"NODE_OPTIONS": "--max-old-space-size=4096"}
	if diff := cmp.Diff(want, c.Tasks.Variables(lookup)); diff != "" {
		t.Error(diff)
	}
	for entry, says := range map[string]string{"NPM_TOKEN=x": "a secret by its name", "MY_API_KEY": "a secret by its name", "1X=y": "no name",
		"PATH=/x":       "set by Longshift",
		"HTTPS_PROXY=x": "set by Longshift", "LD_PRELOAD=x": "set by Longshift", "LONGSHIFT_DATA=x": "set by Longshift"} {
		_, err := Load(func(name string) (string, bool) {
			return map[string]string{"LONGSHIFT_DATA": "/data", "LONGSHIFT_TASK_ENV": entry}[name], name == "LONGSHIFT_DATA" || name == "LONGSHIFT_TASK_ENV"
		})
		if err == nil || !strings.Contains(err.Error(), "LONGSHIFT_TASK_ENV") || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "=x") {
			t.Errorf("%s: got %v, want %q without the value", entry, err, says)
		}
	}
}
