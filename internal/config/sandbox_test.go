package config

import (
	"strings"
	"testing"
)

func TestSandboxMistakes(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"LONGSHIFT_PROFILES", "go,cobol", `LONGSHIFT_PROFILES="cobol": unknown tool chain`},
		{"LONGSHIFT_SENSITIVE", "ci=refuse, hook=ask", `LONGSHIFT_SENSITIVE="hook=ask": unknown kind; give all, ci, hooks, `},
		{"LONGSHIFT_SENSITIVE", "ci", `LONGSHIFT_SENSITIVE="ci": unknown action; give allow, name, ask or refuse, such as ci=ask`},
		{"LONGSHIFT_SANDBOX_WITHOUT", "seccomp,all", `LONGSHIFT_SANDBOX_WITHOUT="all": unknown layer`},
		{"LONGSHIFT_READABLE", "opt/go", `LONGSHIFT_READABLE="opt/go": not an absolute folder`},
		{"LONGSHIFT_READABLE", "/", `LONGSHIFT_READABLE="/": not an absolute folder`},
		{"LONGSHIFT_READABLE", "/data/x/tasks", "lies in the worker's own data"},
		{"LONGSHIFT_READABLE", "/opt/go,/data/x", "lies in the worker's own data"},
		{"LONGSHIFT_REGISTRIES", "none,default", `LONGSHIFT_REGISTRIES="none": is given with others`},
		{"LONGSHIFT_POLICY", "rules.yaml", `LONGSHIFT_POLICY="rules.yaml": not an absolute path`},
		{"LONGSHIFT_CACHE", "cache", `LONGSHIFT_CACHE="cache": not an absolute path`},
		{"LONGSHIFT_CACHE", "/", "holds the worker's own data"},
		{"LONGSHIFT_CACHE", "/data", "holds the worker's own data"},
		{"LONGSHIFT_CACHE", "/data/x/", "holds the worker's own data"},
		{"LONGSHIFT_CACHE", "/srv/../data", "holds the worker's own data"},
		{"LONGSHIFT_AUDIT_KEEP", "-1h", "negative"},
	} {
		env := map[string]string{"LONGSHIFT_DATA": "/data/x", c.name: c.value}
		_, err := Load(func(name string) (string, bool) { v, ok := env[name]; return v, ok })
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s=%s: %v, want %q", c.name, c.value, err, c.want)
		}
	}
	for name, value := range map[string]string{"LONGSHIFT_CACHE": "/data/x/caches", "LONGSHIFT_READABLE": "/data/x2,/data,/opt/go", "LONGSHIFT_PROFILES": "none"} {
		env := map[string]string{"LONGSHIFT_DATA": "/data/x", name: value}
		if _, err := Load(func(name string) (string, bool) { v, ok := env[name]; return v, ok }); err != nil {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
}
