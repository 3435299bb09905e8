package toolchain

import (
	"strings"
	"testing"
	"testing/fstest"
)

// If the top folder has no project, the folders in it are examined, and then a Makefile without a check.
func TestBelowTheTop(t *testing.T) {
	t.Parallel()
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	for name, c := range map[string]struct {
		files        fstest.MapFS
		setup, check string
	}{
		"two folders": {fstest.MapFS{"api/go.mod": file("module x\n"), "web app/Makefile": file("test:\n\ttrue\n"), "web app/package.json": file("{}"), "docs/package.json": file(`{"scripts":{"test":"x"}}`)},
			"(cd api && go mod download)", "(cd api && go vet ./...); (cd api && go test ./...); (cd 'web app' && make test)"},
		"a runner in a folder": {fstest.MapFS{"api/Makefile": file("test:\n\tpytest\n"), "api/requirements.txt": file("pytest\n")},
			"(cd api && python3 -m venv .venv); (cd api && .venv/bin/pip install -r requirements.txt)", "(cd api && . .venv/bin/activate && make test)"},
		"folders with runners": {fstest.MapFS{"api/Makefile": file("test:\n\tpytest\n"), "api/requirements.txt": file("pytest\n"), "api/go.mod": file(""), "web/Makefile": file("test:\n\tx\n"), "web/package.json": file(`{"dependencies":{"x":"1"}}`), "web/pom.xml": file("")},
			"(cd api && go mod download); (cd api && python3 -m venv .venv); (cd api && .venv/bin/pip install -r requirements.txt); (cd web && npm install --no-package-lock)",
			"(cd api && . .venv/bin/activate && make test); (cd web && make test)"},
		"the top tells":    {fstest.MapFS{"go.mod": file("module x\n"), "web/package.json": file(`{"scripts":{"test":"x"}}`)}, "go mod download", "go vet ./...; go test ./..."},
		"only made":        {fstest.MapFS{"Makefile": file("all: x\n\tcc x.c\n"), "src/x.c": file("")}, "", "make"},
		"configured":       {fstest.MapFS{"configure": file("#!/bin/sh\n"), "Makefile.in": file("")}, "./configure", "make; make check"},
		"nothing anywhere": {fstest.MapFS{"README.md": file("x")}, "", ""},
	} {
		var setup, check []string
		for _, chain := range Detect(c.files).Chains {
			setup, check = append(setup, chain.Setup...), append(check, chain.Check...)
		}
		if got := strings.Join(setup, "; "); got != c.setup {
			t.Errorf("%s: setup %q, want %q", name, got, c.setup)
		}
		if got := strings.Join(check, "; "); got != c.check {
			t.Errorf("%s: check %q, want %q", name, got, c.check)
		}
	}
}

// What is left out is neither set up nor checked, and no command uses its environment.
func TestMost(t *testing.T) {
	t.Parallel()
	runner, npm := "Makefile=test:\n\tx\n", `package.json={"dependencies":{"x":"1"}}`
	for name, tt := range map[string]struct {
		tree              []string
		check, left, last string // last is the last chain
	}{
		"at the top": {[]string{"go.mod", "Cargo.toml", npm, "requirements.txt=pytest\n", runner},
			"make test", "python", "node by package.json: npm install --no-package-lock | "},
		"in folders": {[]string{"a/go.mod", "b/go.mod", "c/go.mod", "c/" + npm, "c/requirements.txt=pytest\n", "c/" + runner, "d/" + npm, "d/" + runner, "e/" + runner},
			"", "node in c, python in c, node in d, make in e", "go by c/go.mod and Makefile: (cd c && go mod download) | (cd c && make test)"},
	} {
		got := Detect(tree(tt.tree...))
		if check := strings.Join(got.Runner.Check, " && "); check != tt.check {
			t.Errorf("%s: check %q, want %q", name, check, tt.check)
		}
		if left := strings.Join(got.Left, ", "); left != tt.left {
			t.Errorf("%s: left %q, want %q", name, left, tt.left)
		}
		if last := written(got.Chains[len(got.Chains)-1]); len(got.Chains) != Most || last != tt.last {
			t.Errorf("%s: %d chains, the last is %s, want %s", name, len(got.Chains), last, tt.last)
		}
	}
}
