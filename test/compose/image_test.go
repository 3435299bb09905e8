package compose_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/test/compose"
)

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root(t), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func image(t *testing.T, dockerfile, ignore string) *compose.Image {
	t.Helper()
	i, err := compose.ParseImage(root(t), []byte(dockerfile), []byte(ignore))
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func realImage(t *testing.T) *compose.Image {
	t.Helper()
	return image(t, read(t, "deploy/Dockerfile"), read(t, ".dockerignore"))
}

func TestImageKeepsItsPromises(t *testing.T) {
	i := realImage(t)
	report(t, i.Check())
	s, err := compose.Load(t.Context(), root(t), filepath.Join(root(t), stack))
	if err != nil {
		t.Fatal(err)
	}
	report(t, compose.CheckFit(s, i))
}

func TestAgentsArePinned(t *testing.T) {
	report(t, compose.CheckAgents([]byte(read(t, "test/agents/package.json")), []byte(read(t, "test/agents/package-lock.json"))))
}

// What .dockerignore lets through is enough: Go finds every package and every embedded file of both programs in it.
func TestBuildContextIsComplete(t *testing.T) {
	dir := t.TempDir()
	packages, err := realImage(t).CopyContext(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) != 2 {
		t.Fatalf("the Dockerfile builds %v, want two programs", packages)
	}
	if out, err := list(t, dir, packages); err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
}

func list(t *testing.T, dir string, packages []string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-deps"}, packages...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false", "CGO_ENABLED=0", "GOTOOLCHAIN=local")
	var complaints strings.Builder
	cmd.Stderr = &complaints
	err := cmd.Run()
	return complaints.String(), err
}

// Each change to the real Dockerfile or .dockerignore breaks one promise, and only that one is reported.
func TestBrokenImages(t *testing.T) {
	for _, c := range []struct{ name, file, old, new, want string }{
		{"base that moves", "deploy/Dockerfile", "debian:trixie-20260918-slim", "debian:trixie-slim", `tag "trixie-slim" can move`},
		{"base without a tag", "deploy/Dockerfile", "debian:trixie-20260918-slim", "debian", "has no tag"},
		{"another Go", "deploy/Dockerfile", "golang:1.26.8-bookworm", "golang:1.25.3-bookworm", "not the release that go.mod names"},
		{"source that is not there", "deploy/Dockerfile", "COPY workflows workflows", "COPY workflow workflows", "workflow"},
		{"source that is ignored", ".dockerignore", "!deploy/worker-health.sh\n", "", "leaves out deploy/worker-health.sh"},
		{"unknown stage", "deploy/Dockerfile", "--from=claude", "--from=clade", "no earlier stage"},
		{"ADD", "deploy/Dockerfile", "COPY worker worker", "ADD worker worker", "use COPY"},
		{"newest package", "deploy/Dockerfile", "npm ci --no-fund --no-audit", "npm install @anthropic-ai/claude-code", "npm install"},
		{"download", "deploy/Dockerfile", "npm ci --no-fund --no-audit", "curl -fsSO https://example.com/claude", "nothing pins"},
		{"shell mistake", "deploy/Dockerfile", "rm -rf /var/lib/apt/lists/*", "(rm -rf /var/lib/apt/lists/*", "RUN"},
		{"secret argument", "deploy/Dockerfile", `ARG EXTRA_PACKAGES=""`, `ARG GITHUB_TOKEN=""`, "history would keep"},
		{"secret in the image", "deploy/Dockerfile", "LANG=C.UTF-8", "LONGSHIFT_GITHUB_TOKEN=x", "keep a secret"},
		{"unknown variable", "deploy/Dockerfile", "LONGSHIFT_DATA=/data", "LONGSHIFT_DATADIR=/data", "does not read"},
		{"root", "deploy/Dockerfile", "USER 10001:10001", "USER 0:0", "USER"},
		{"user by name", "deploy/Dockerfile", "USER 10001:10001", "USER longshift", "USER"},
		{"no health check", "deploy/Dockerfile", `CMD ["longshift-worker-health"]`, `CMD longshift-worker-health`, "HEALTHCHECK"},
		{"health check of a missing program", "deploy/Dockerfile", `CMD ["longshift-worker-health"]`, `CMD ["longshift-health"]`, "runs longshift-health"},
		{"entry point in a shell", "deploy/Dockerfile", `ENTRYPOINT ["/usr/bin/tini", "--", "longshift-worker"]`, "ENTRYPOINT longshift-worker", "ENTRYPOINT"},
		{"other entry point", "deploy/Dockerfile", `"--", "longshift-worker"]`, `"--", "bash"]`, "does not start longshift-worker"},
		{"worker not copied", "deploy/Dockerfile", "/out/longshift /out/longshift-worker /usr", "/out/longshift /usr", "runs longshift-worker and does not copy it"},
		{"history in the context", ".dockerignore", "*\n!go.mod", "!go.mod", ".dockerignore lets"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"deploy/Dockerfile": read(t, "deploy/Dockerfile"), ".dockerignore": read(t, ".dockerignore")}
			changed := strings.Replace(files[c.file], c.old, c.new, 1)
			if changed == files[c.file] {
				t.Fatalf("%s does not hold %q: the case breaks nothing", c.file, c.old)
			}
			files[c.file] = changed
			only(t, image(t, files["deploy/Dockerfile"], files[".dockerignore"]).Check(), c.want)
		})
	}
}

func TestBrokenAgents(t *testing.T) {
	manifest, lock := read(t, "test/agents/package.json"), read(t, "test/agents/package-lock.json")
	for _, c := range []struct{ name, manifest, lock, want string }{
		{"range", strings.Replace(manifest, `code": "`, `code": "^`, 1), strings.ReplaceAll(lock, `"version": "2.`, `"version": "^2.`), "is not exact"},
		{"no agent", `{}`, lock, "names no agent"},
		{"not locked", manifest, `{}`, "locked is"},
		{"without hashes", manifest, strings.ReplaceAll(lock, `"integrity"`, `"other"`), "with a hash"},
		{"no program for ARM", manifest, strings.Replace(lock, `"node_modules/@anthropic-ai/claude-code-linux-arm64"`, `"x"`, 1), "-linux-arm64"},
	} {
		t.Run(c.name, func(t *testing.T) { only(t, compose.CheckAgents([]byte(c.manifest), []byte(c.lock)), c.want) })
	}
}

// A context that lacks a folder or an embedded file does not pass for a complete one.
func TestIncompleteContextIsFound(t *testing.T) {
	for _, lacks := range []string{"internal/config", "internal/gateway/prices.json"} {
		dir := t.TempDir()
		packages, err := image(t, read(t, "deploy/Dockerfile"), read(t, ".dockerignore")+lacks+"\n").CopyContext(dir)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := list(t, dir, packages); err == nil || !strings.Contains(out, filepath.Base(lacks)) {
			t.Errorf("go list: %v\n%s\nwant a complaint about %s", err, out, lacks)
		}
	}
}

// only wants at least one error, and none but the wanted.
func only(t *testing.T, broken []error, want string) {
	t.Helper()
	if len(broken) == 0 {
		t.Fatalf("nothing reported, want %q", want)
	}
	for _, err := range broken {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("reported %q, want only %q", err, want)
		}
	}
}
