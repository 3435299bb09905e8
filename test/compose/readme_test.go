package compose_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// block returns the shell block of deploy/README.md below a heading that contains a text.
func block(t *testing.T, heading, contains string) string {
	t.Helper()
	for _, m := range regexp.MustCompile("(?ms)^ *```sh\n(.*?)^ *```$").FindAllStringSubmatch(section(read(t, "deploy/README.md"), heading), -1) {
		if strings.Contains(m[1], contains) {
			return m[1]
		}
	}
	t.Fatalf("no block below %q of deploy/README.md contains %q", heading, contains)
	return ""
}

// A host on another machine gets the operator's settings, which hold only where they are set.
func TestHostElsewhereGetsTheSettings(t *testing.T) {
	if run := block(t, "## Scale hosts", "docker run"); !strings.Contains(run, "--env-file .env ") {
		t.Errorf("the settings are not passed:\n%s", run)
	}
}

// A restore begins when PostgreSQL answers, and one that fails starts nothing: Temporal would make the databases anew, and look healthy
// without a task.
func TestRestore(t *testing.T) {
	restore := block(t, "## Back up and restore", "pg_restore")
	for failing, want := range map[string]string{"nothing": "up -d", "up -d --wait postgres": "up -d --wait postgres", "exec -T postgres createdb": "exec -T postgres createdb",
		"exec -T postgres pg_restore": "exec -T postgres pg_restore", "no dump": "exec -T postgres createdb"} {
		t.Run(failing, func(t *testing.T) {
			dir := t.TempDir()
			files := map[string]string{"docker": "#!/bin/sh\nshift; echo \"$*\" >>calls\ncase \"$*\" in \"" + failing + "\"*) exit 1;; esac\n"}
			if failing != "no dump" {
				files["temporal.dump"], files["temporal_visibility.dump"] = "", ""
			}
			for name, content := range files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.CommandContext(t.Context(), "bash", "-c", restore)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
			if out, err := cmd.CombinedOutput(); (err != nil) != (failing != "nothing") {
				t.Errorf("ended with %v\n%s", err, out)
			}
			calls, err := os.ReadFile(filepath.Join(dir, "calls"))
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(string(calls)), "\n")
			if last := lines[len(lines)-1]; !strings.HasPrefix(last, want) || !slices.Contains(lines, "up -d --wait postgres") {
				t.Errorf("ended with %q, want %q, after\n%s", last, want, calls)
			}
		})
	}
}

// The linker says nothing of a variable that is not there, so the image stamps the one that make does, whose programs a test asks.
func TestImageIsStamped(t *testing.T) {
	stamp := regexp.MustCompile(`-X (\S+)=`)
	built, image := stamp.FindStringSubmatch(read(t, "Makefile")), stamp.FindStringSubmatch(read(t, "deploy/Dockerfile"))
	if built == nil || image == nil || built[1] != image[1] {
		t.Errorf("make stamps %q, the image %q", built, image)
	}
	describe := regexp.MustCompile(`git describe( --\S+\b)+`)
	command := describe.FindString(read(t, "Makefile"))
	for _, name := range []string{"deploy/README.md", "docker-compose.temporal.yml"} {
		all := describe.FindAllString(read(t, name), -1)
		if command == "" || len(all) == 0 || slices.ContainsFunc(all, func(c string) bool { return c != command }) {
			t.Errorf("%s: %q, and make takes %q: equal sources would have two versions", name, all, command)
		}
	}
}
