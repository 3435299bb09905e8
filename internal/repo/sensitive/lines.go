package sensitive

import (
	"regexp"
	"slices"
	"strings"
)

// lineRules match suspicious added lines in files that are harmless otherwise.
var lineRules = []struct {
	kind  Kind
	names []string
	line  *regexp.Regexp
	what  string
}{
	{CI, []string{"/.github/workflows/", "/.gitea/workflows/", "/.forgejo/workflows/"}, regexp.MustCompile(`\bpull_request_target\b`), "runs on pull_request_target"},
	{CI, []string{"/.github/workflows/", "/.gitea/workflows/", "/.forgejo/workflows/"}, regexp.MustCompile(`\bsecrets\b`), "uses secrets"},
	{CI, []string{"/.github/workflows/", "/.gitea/workflows/", "/.forgejo/workflows/"}, regexp.MustCompile(`:\s*write(-all)?\b`), "asks for the right to write"},
	{Hooks, nil, regexp.MustCompile(`(?i)core\.hookspath|^\s*hookspath\s*=`), "names a folder of git hooks"},
	{Hooks, []string{".gitattributes"}, regexp.MustCompile(`\b(filter|merge|diff)=|\blinguist-generated\b|(^|\s)-diff\b`), "chooses filters, or what a diff shows"},
	{Install, []string{"composer.json"}, regexp.MustCompile(`"(pre|post)-(install|update|autoload|root-package|create-project|package)[a-z-]*"`), "runs scripts when it is installed"},
	{Install, []string{"pyproject.toml"}, regexp.MustCompile(`\b(build-backend|backend-path)\b`), "chooses what builds it"},
	{Install, []string{"cargo.toml"}, regexp.MustCompile(`^\s*build\s*=`), "chooses what builds it"},
	{Registries, []string{"go.mod", "go.work"}, regexp.MustCompile(`=>`), "replaces a module"},
	{Registries, []string{"cargo.toml"}, regexp.MustCompile(`^\s*\[(patch|replace)\b|\b(git|registry|index)\s*=`), "takes a crate from elsewhere"},
	{Registries, []string{"pyproject.toml", "pipfile"}, regexp.MustCompile(`\b(index-url|extra-index-url|find-links|git|url)\s*=|\bgit\+|\[\[?tool\.[a-z]+\.(source|index)`), "takes packages from elsewhere"},
	{Registries, []string{"*requirements*.txt", "requirements/", "constraints*.txt"}, regexp.MustCompile(`^\s*(-i|-f|--(extra-)?index-url|--find-links|--trusted-host)\b|\bgit\+|\b(https?|file)://`), "takes packages from elsewhere"},
	{Registries, []string{"gemfile", "gems.rb"}, regexp.MustCompile(`^\s*(source|git_source)\b|\b(git|github|path):`), "takes gems from elsewhere"},
	{Registries, []string{"composer.json"}, regexp.MustCompile(`"repositories"`), "takes packages from elsewhere"},
	{Registries, []string{"pom.xml", "*.gradle", "*.gradle.kts", "build.sbt"}, regexp.MustCompile(`<(plugin)?repository>|\bmaven\s*[({]|\bmavenLocal\b|\bresolvers\b`), "takes packages from elsewhere"},
	{Submodules, []string{".gitmodules"}, regexp.MustCompile(`(?i)^\s*url\s*=\s*"?(ext|file|fd)::?|^\s*url\s*=\s*"?[-/~]`), "with an address that runs a program or is a path of this machine"},
	{Submodules, []string{".gitmodules"}, regexp.MustCompile(`(?i)^\s*update\s*=\s*"?!`), "which runs a program at its update"},
}

// prose lists files that are not searched for git settings, because texts explain those.
var prose = []string{"*.md", "*.rst", "*.adoc", "*.txt", "*.html"}

// lines checks the lines that a change adds.
func (i *inspection) lines() {
	if !i.text() {
		return
	}
	var fresh []string
	for _, r := range lineRules {
		if r.names != nil && !matchesAny(i.new, r.names) || r.names == nil && matchesAny(i.new, prose) {
			continue
		}
		if i.Cut && r.names != nil {
			i.add(r.kind, "too large to look into")
			continue
		}
		if fresh == nil {
			fresh = added(i.Old, i.New)
		}
		if slices.ContainsFunc(fresh, r.line.MatchString) {
			i.add(r.kind, "%s", r.what)
		}
	}
}

// added returns the new lines, each as often as it was added.
func added(old, now []byte) []string {
	had := map[string]int{}
	if !binary(old) {
		for line := range strings.Lines(string(old)) {
			had[strings.TrimRight(line, "\r\n")]++
		}
	}
	fresh := []string{}
	for line := range strings.Lines(string(now)) {
		if line = strings.TrimRight(line, "\r\n"); had[line] > 0 {
			had[line]--
		} else {
			fresh = append(fresh, line)
		}
	}
	return fresh
}
