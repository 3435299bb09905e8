package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/inbound/command"
	"github.com/longshift/longshift/task"
)

func read(t *testing.T, parts ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{"..", ".."}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestManifestInDocs holds the manifest that people paste to the one that Slack's leaf is tested with.
func TestManifestInDocs(t *testing.T) {
	_, rest, ok := strings.Cut(read(t, "docs", "channels.md"), "```yaml\n")
	pasted, _, closed := strings.Cut(rest, "```\n")
	if !ok || !closed {
		t.Fatal("docs/channels.md has no block of YAML")
	}
	if want := read(t, "internal", "channel", "slack", "testdata", "manifest.yaml"); pasted != want {
		t.Errorf("the manifest in docs/channels.md is\n%s\nand that of the tests is\n%s", pasted, want)
	}
}

// written are the files that people follow word for word.
func written(t *testing.T) []string {
	t.Helper()
	files := []string{"README.md", "docker-compose.temporal.yml"}
	for _, pattern := range []string{"docs/*.md", "deploy/*.md", "deploy/*.yml", "examples/*"} {
		found, err := filepath.Glob(filepath.Join("..", "..", pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		for _, f := range found {
			if filepath.Ext(f) != "" { // not a folder
				files = append(files, strings.TrimPrefix(filepath.ToSlash(f), "../../"))
			}
		}
	}
	return files
}

var variable = regexp.MustCompile(`LONGSHIFT_[A-Z0-9_]*\*?`)

// TestVariablesInDocs holds every variable that is written down to those that the programs read. A star stands for some of them.
func TestVariablesInDocs(t *testing.T) {
	var known []string
	for _, v := range config.Variables() {
		known = append(known, v.Name)
	}
	found := map[string]bool{}
	for _, file := range written(t) {
		for _, name := range variable.FindAllString(read(t, file), -1) {
			found[name] = true
			fits := func(v string) bool { return v == name }
			if prefix, all := strings.CutSuffix(strings.TrimSuffix(name, "*"), "_"); all { // LONGSHIFT_GITHUB_*, LONGSHIFT_…_FILE
				fits = func(v string) bool { return strings.HasPrefix(v, prefix) }
			}
			if !slices.ContainsFunc(known, fits) {
				t.Errorf("%s names %s, which nothing reads", file, name)
			}
		}
	}
	for _, name := range []string{"LONGSHIFT_SLACK_APP_TOKEN", "LONGSHIFT_LISTEN", "LONGSHIFT_GITHUB_WEBHOOK_SECRET"} {
		if !found[name] {
			t.Errorf("%s was not found in the docs: the search finds nothing", name)
		}
	}
}

// TestVerbsInDocs holds the page about chats to the verbs and the options that there are.
func TestVerbsInDocs(t *testing.T) {
	page := read(t, "docs", "channels.md")
	_, table, _ := strings.Cut(page, "| verb | does | list |")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, verb := range command.Verbs() {
		if !regexp.MustCompile("`" + verb + "[ `]").MatchString(table) {
			t.Errorf("docs/channels.md does not name the verb %q", verb)
		}
	}
	_, options, ok := strings.Cut(page, "For `run`: `")
	options, _, closed := strings.Cut(options, "`")
	if !ok || !closed {
		t.Fatal("docs/channels.md has lost the options of run")
	}
	for option := range strings.FieldsSeq(options) {
		if _, err := command.Parse("run x " + option + " 1"); err != nil && strings.Contains(err.Error(), "unknown option") {
			t.Errorf("docs/channels.md: %v", err)
		}
	}
}

// TestPullRequestKeysInDocs holds the page about pull requests to the keys that there are.
func TestPullRequestKeysInDocs(t *testing.T) {
	page := read(t, "docs", "pull-requests.md")
	var keys []string
	for _, k := range task.ConfigKeys() {
		keys = append(keys, k.Path)
	}
	named := regexp.MustCompile("`(pullRequest\\.[A-Za-z]+)").FindAllStringSubmatch(page, -1)
	if len(named) < 4 {
		t.Fatalf("%d keys are named", len(named))
	}
	for _, m := range named {
		if !slices.Contains(keys, m[1]) {
			t.Errorf("docs/pull-requests.md names %s, which is no key", m[1])
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)#\s]*)(?:#([^)\s]*))?\)`)

// TestLinksInDocs holds every link between our pages to a file and a heading that are there.
func TestLinksInDocs(t *testing.T) {
	files := append(written(t), "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md")
	checked := 0
	for _, file := range files {
		if filepath.Ext(file) != ".md" {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(read(t, file), -1) {
			if strings.Contains(m[1], ":") {
				continue
			}
			checked++
			target := file
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(file), m[1])
			}
			if _, err := os.Stat(filepath.Join("..", "..", target)); err != nil {
				t.Errorf("%s links to %s: %v", file, m[1], err)
			} else if m[2] != "" && !slices.Contains(anchors(read(t, target)), m[2]) {
				t.Errorf("%s links to %s#%s, which is no heading there", file, m[1], m[2])
			}
		}
	}
	if checked < 20 {
		t.Errorf("%d links found: the search finds nothing", checked)
	}
}

var notInAnchor = regexp.MustCompile(`[^\pL\pN _-]`)

// anchors gives the headings of a page as links name them.
func anchors(page string) (all []string) {
	for line := range strings.Lines(page) {
		if text, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			text = notInAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(text)), "")
			all = append(all, strings.ReplaceAll(text, " ", "-"))
		}
	}
	return all
}
