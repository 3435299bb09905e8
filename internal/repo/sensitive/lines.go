package sensitive

import (
	"regexp"
	"slices"
	"strings"
)

// lineRule matches suspicious added lines in files that are harmless otherwise: those with one of the names, or all files without names.
type lineRule struct {
	kind  Kind
	line  *regexp.Regexp
	what  string
	names []string
}

func line(kind Kind, pattern, what string, names ...string) lineRule {
	return lineRule{kind, regexp.MustCompile(pattern), what, names}
}

var (
	workflows = []string{"/.github/workflows/", "/.gitea/workflows/", "/.forgejo/workflows/"}
	lineRules = []lineRule{
		line(CI, `\bpull_request_target\b`, "runs on pull_request_target", workflows...),
		line(CI, `\bsecrets\b`, "uses secrets", workflows...),
		line(CI, `:\s*write(-all)?\b`, "asks for the right to write", workflows...),
		line(Hooks, `(?i)core\.hookspath|^\s*hookspath\s*=`, "names a folder of git hooks"),
		line(Hooks, `\b(filter|merge|diff)=|\blinguist-generated\b|(^|\s)-diff\b|^\s*[^#\s].*\sbinary(\s|$)`,
			"chooses filters, or what a diff shows", ".gitattributes"),
		line(Install, `"(pre|post)-(install|update|autoload|root-package|create-project|package)[a-z-]*"`,
			"runs scripts when it is installed", "composer.json"),
		line(Install, `\b(build-backend|backend-path)\b`, "chooses what builds it", "pyproject.toml"),
		line(Install, `^\s*build\s*=`, "chooses what builds it", "cargo.toml"),
		line(Registries, `=>`, "replaces a module", "go.mod", "go.work"),
		line(Registries, `^\s*\[(patch|replace)\b|\b(git|registry|index)\s*=`, "takes a crate from elsewhere", "cargo.toml"),
		line(Registries, `\b(index-url|extra-index-url|find-links|git|url)\s*=|\bgit\+|\[\[?tool\.[a-z]+\.(source|index)`,
			"takes packages from elsewhere", "pyproject.toml", "pipfile"),
		line(Registries, `^\s*(-i|-f|--(extra-)?index-url|--find-links|--trusted-host)\b|\bgit\+|\b(https?|file)://`,
			"takes packages from elsewhere", "*requirements*.txt", "requirements/", "constraints*.txt"),
		line(Registries, `^\s*(source|git_source)\b|\b(git|github|path):`, "takes gems from elsewhere", "gemfile", "gems.rb"),
		line(Registries, `"repositories"`, "takes packages from elsewhere", "composer.json"),
		line(Registries, `<(plugin)?repository>|\bmaven\s*[({]|\bmavenLocal\b|\bresolvers\b`,
			"takes packages from elsewhere", "pom.xml", "*.gradle", "*.gradle.kts", "build.sbt"),
		line(Submodules, `(?i)^\s*url\s*=\s*"?(ext|file|fd)::?|^\s*url\s*=\s*"?[-/~]`,
			"with an address that runs a program or is a path of this machine", ".gitmodules"),
		line(Submodules, `(?i)^\s*update\s*=\s*"?!`, "which runs a program at its update", ".gitmodules"),
	}
)

// prose lists files that are not searched for git settings, because texts explain those.
var prose = []string{"*.md", "*.rst", "*.adoc", "*.txt", "*.html"}

// lines checks the lines that a change adds.
func (i *inspection) lines() {
	if i.text() {
		i.matchLines(lineRules)
	}
}

func (i *inspection) matchLines(rules []lineRule) {
	var fresh []string
	for _, r := range rules {
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
