package sensitive

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// runners are the settings of test runners: they decide which tests run, and what counts as passed.
var runners = []string{"jest.config.*", "vitest.config.*", "vitest.workspace.*", "karma.conf.*", ".mocharc*", "playwright.config.*",
	"cypress.config.*", "ava.config.*", ".nycrc*", ".c8rc*", "pytest.ini", ".pytest.ini", "tox.ini", "noxfile.py", ".coveragerc",
	"phpunit.xml*", ".rspec", "nextest.toml", "testng.xml", ".testcaferc*", "web-test-runner.config.*"}

var runnerLines = []lineRule{
	line(Tests, `\b(?:addopts|testpaths|norecursedirs|python_(?:files|classes|functions)|collect_ignore\w*|deselect|fail_under|xfail_strict)\b`+
		`|--(?:ignore|deselect)\b`, "chooses which tests run", "pyproject.toml", "setup.cfg", "conftest.py"),
	line(Tests, `^\s*(?:test|doctest|autotests|harness)\s*=\s*false`, "chooses which tests run", "cargo.toml"),
	line(Tests, `skipTests|maven\.test\.skip|testFailureIgnore|<skip>|<excludes?>|<groups>|excludedGroups`,
		"chooses which tests run", "pom.xml"),
	line(Tests, `\bignoreFailures\b|\bexcludeTest|\bincludeTest|\bexclude(?:Tags|s)?\b|\benabled\s*=?\s*false|\bfailFast\b`,
		"chooses which tests run", "*.gradle", "*.gradle.kts"),
	line(Tests, `\|\|\s*(?:true|:|exit 0|echo)\b|^\s*set \+e\b|^\s*exit 0\b|;\s*(?:true|exit 0)\s*$`, "may hide a failure",
		append([]string{"*test*.sh", "*check*.sh", "*ci*.sh", "*verify*.sh", "taskfile.y*ml"}, recipes...)...),
}

// recipes are files with targets that run commands.
var recipes = []string{"makefile", "gnumakefile", "*.mk", "justfile"}

// ConfiguresTests reports whether a file has the settings of a test runner, by its name.
func ConfiguresTests(path string) bool { return matchesAny(fold(path), runners) }

// HasRecipes reports whether a file has targets that run commands, such as a Makefile, by its name.
func HasRecipes(path string) bool { return matchesAny(fold(path), recipes) }

// checking matches the names of targets and scripts that judge a project.
var checking = regexp.MustCompile(`(?i)^(?:\w+[-:_.])?(?:pre|post)?` +
	`(?:tests?|checks?|lint|verify|ci|validate|typecheck|coverage|unit|e2e|spec|vet)(?:[-:_.]\w+)*$`)

// runners checks what decides which tests run.
func (i *inspection) runners() {
	switch {
	case i.there() && matchesAny(i.new, runners):
		i.add(Tests, "chooses which tests run: %s", i.how())
	case i.was() && matchesAny(i.old, runners):
		i.addAt(Tests, i.OldPath, "chose which tests run: removed")
	}
	if !i.text() {
		return
	}
	i.matchLines(runnerLines)
	if i.was() && matchesAny(i.new, recipes) && !i.Cut {
		old, now := targets(i.Old), targets(i.New)
		for _, name := range slices.Sorted(maps.Keys(old)) {
			if checking.MatchString(name) && old[name] != now[name] {
				i.add(Tests, "changes what %s does", name)
			}
		}
	}
}

var targetLine = regexp.MustCompile(`^([\w./%-]+(?:[ \t]+[\w./%-]+)*)[ \t]*::?(?:[^=]|$)`)

// targets returns what the targets of a Makefile, or the recipes of a justfile, depend on and run, by their names.
func targets(content []byte) map[string]string {
	all, open := map[string]string{}, []string(nil)
	for line := range strings.Lines(string(content)) {
		text := strings.TrimSpace(line)
		switch {
		case text == "" || strings.HasPrefix(text, "#") || strings.HasPrefix(text, ".PHONY"):
		case line[0] == '\t' || line[0] == ' ':
			for _, name := range open {
				all[name] += text + "\n"
			}
		default:
			open = nil
			if m := targetLine.FindStringSubmatch(line); m != nil {
				for _, name := range strings.Fields(m[1]) {
					open, all[name] = append(open, name), all[name]+text+"\n"
				}
			} else if testVariable.MatchString(text) {
				all["test"] += text + "\n"
			}
		}
	}
	return all
}

// testVariable matches variables that a target for tests most likely uses.
var testVariable = regexp.MustCompile(`(?i)^(?:export\s+)?\w*(?:TEST|PKGS|PACKAGES|COVER)\w*\s*[:?+!]?=`)

// scripts checks the scripts of a package.json that judge it, and the settings of test runners in it.
func (i *inspection) scripts(old, now manifest) {
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(old.Scripts)) {
		if checking.MatchString(path.Base(name)) && !same(old.Scripts[name], now.Scripts[name]) {
			changed = append(changed, name)
		}
	}
	if len(changed) > 0 {
		i.add(Tests, "changes what its scripts run: %s", strings.Join(changed, ", "))
	}
	if !same(old.testRunners(), now.testRunners()) {
		i.add(Tests, "chooses which tests run")
	}
}
