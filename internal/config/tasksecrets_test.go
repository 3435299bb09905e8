package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
)

func granting(t *testing.T, env ...string) (Config, error) {
	t.Helper()
	all := map[string]string{"LONGSHIFT_DATA": "/data"}
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		all[name] = value
	}
	return Load(func(name string) (string, bool) { v, ok := all[name]; return v, ok })
}

func TestGrants(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("from-a-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := granting(t, "LONGSHIFT_TASK_SECRETS=NPM_TOKEN@acme/* NPM_TOKEN:setup,agent@/srv/web\nDATABASE_URL:check@git.acme.com/acme/api LATER:setup@*",
		"NPM_TOKEN=from-a-variable", "DATABASE_URL_FILE="+file)
	if err != nil {
		t.Fatal(err)
	}
	want := []Grant{
		{Name: "NPM_TOKEN", Parts: []string{"setup", "check"}, Repository: "acme/*"},
		{Name: "NPM_TOKEN", Parts: []string{"setup", "agent"}, Repository: "/srv/web"},
		{Name: "DATABASE_URL", Parts: []string{"check"}, Repository: "git.acme.com/acme/api"},
		{Name: "LATER", Parts: []string{"setup"}, Repository: "*"},
	}
	values := []string{"from-a-variable", "from-a-variable", "from-a-file", ""}
	grants := c.Grants()
	if len(grants) != len(want) {
		t.Fatalf("%d grants, want %d", len(grants), len(want))
	}
	var told []string
	c.ReportSecrets(func(values ...string) { told = append(told, values...) })
	for i, g := range grants {
		if g.Name != want[i].Name || g.Repository != want[i].Repository || !slices.Equal(g.Parts, want[i].Parts) {
			t.Errorf("grant %d is %s %v %s", i, g.Name, g.Parts, g.Repository)
		}
		value, err := g.Read()
		if value != values[i] || (err == nil) != (value != "") {
			t.Errorf("%s reads as %q, %v", g.Name, value, err)
		}
		if value == "" && (fault.KindOf(err) != fault.Denied || !strings.Contains(fault.HintOf(err), "LATER_FILE")) {
			t.Errorf("a secret without a value: %v (%s)", err, fault.HintOf(err))
		}
		if value != "" && !slices.Contains(told, value) {
			t.Errorf("%s is not made known to be hidden", g.Name)
		}
	}
	if !slices.Contains(c.SecretFiles(), file) {
		t.Error("the file of a secret is not among those that no program of a task sees")
	}
	for _, v := range c.Describe() {
		if strings.Contains(v.Value, "from-a-") {
			t.Errorf("%s shows a secret: %s", v.Name, v.Value)
		}
	}
}

func TestWrongGrants(t *testing.T) {
	t.Parallel()
	for entry, says := range map[string]string{
		"NPM_TOKEN":                  "names no repository",
		"NPM_TOKEN@web":              "names no repository",
		"NPM_TOKEN@acme/[":           "names no repository",
		"NPM_TOKEN:@acme/web":        "no part of a task",
		"NPM_TOKEN:deploy@acme/web":  "no part of a task",
		"NPM_TOKEN=hunter22@acme/w":  "NPM_TOKEN\": holds a value",
		"hunter22-hunter22@acme/web": "no name of a variable",
		"HTTPS_PROXY@acme/web":       "set by Longshift itself",
		"ANTHROPIC_API_KEY@acme/web": "agent's own settings",
		"PLAIN@acme/web":             "LONGSHIFT_TASK_ENV too",
		"GH_TOKEN@acme/web":          "the worker itself uses",
	} {
		_, err := granting(t, "LONGSHIFT_TASK_SECRETS="+entry, "LONGSHIFT_TASK_ENV=PLAIN=1", "GH_TOKEN=ghp-of-the-worker")
		if err == nil || !strings.Contains(err.Error(), "LONGSHIFT_TASK_SECRETS") || !strings.Contains(err.Error(), says) ||
			strings.Contains(err.Error(), "hunter22") {
			t.Errorf("%s: got %v, want %q", entry, err, says)
		}
	}
	many := "LONGSHIFT_TASK_SECRETS="
	for i := range mostGrants + 1 {
		many += strings.Repeat("A", i+1) + "@* "
	}
	if _, err := granting(t, many); err == nil || !strings.Contains(err.Error(), "at most 32") {
		t.Errorf("too many secrets: %v", err)
	}
	c, err := granting(t, "LONGSHIFT_TASK_SECRETS=PIN@*", "PIN=1234567")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Grants()[0].Read(); fault.KindOf(err) != fault.Denied || strings.Contains(err.Error(), "1234567") {
		t.Errorf("a secret that can't be hidden: %v", err)
	}
}
