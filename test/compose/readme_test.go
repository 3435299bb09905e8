package compose_test

import (
	"regexp"
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
