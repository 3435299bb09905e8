package policy

import (
	"path"
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// manifests are files that builds and tests take their commands from. All names are in lower case.
var manifests = nameSet(`
	makefile gnumakefile package.json cargo.toml build.rs conftest.py setup.py setup.cfg noxfile.py tox.ini pytest.ini pyproject.toml
	rakefile gemfile pom.xml build.xml cmakelists.txt ctestcustom.cmake justfile .justfile taskfile.yml taskfile.yaml composer.json build.gradle build.gradle.kts
	settings.gradle settings.gradle.kts gradle.properties gradlew mvnw magefile.go build.zig meson.build wscript sconstruct dune-project stack.yaml
	.rspec .mocharc.js .mocharc.json .babelrc .babelrc.js .eslintrc.js .eslintrc.cjs nx.json turbo.json lerna.json deno.json deno.jsonc
	rust-toolchain rust-toolchain.toml manage.py phpunit.xml pnpm-workspace.yaml go.work directory.build.props directory.build.targets tasks.py
	build.ninja dodo.py fabfile.py procfile vagrantfile invoke.yaml ecosystem.config.js lefthook.yml
	fastfile podfile dockerfile gulpfile.js gruntfile.js mix.exs rebar.config build.sbt project.clj deps.edn
`)

// manifest tells whether a file is one that a build or a test obeys.
func manifest(name string) bool {
	low := strings.ToLower(name)
	if manifests[low] || strings.HasSuffix(low, ".mk") || strings.HasSuffix(low, ".gradle") || strings.HasSuffix(low, ".csproj") {
		return true
	}
	return strings.Contains(low, ".config.") || strings.HasSuffix(low, ".cmake")
}

// testFile is a file that a test runner finds and runs by its name.
var testFile = regexp.MustCompile(`(?i)^(test_.*|.*_test)\.(py|go|rb|rs|exs?|js|ts|c|cc|cpp|dart)$|\.(test|spec)\.[cm]?[jt]sx?$|_spec\.rb$|(Test|Tests|Spec)\.(php|java|kt|cs|scala|groovy|swift)$`)

// begun notes a file whose whole content comes from this script.
func (j *judge) begun(w grammar.Word, st *state) {
	for _, p := range j.resolve(w, st) {
		if j.fresh == nil {
			j.fresh = map[string]bool{}
		}
		j.fresh[p.path] = true
	}
}

// notPrepared refuses to run code of the repository when the script has written what says how.
func (j *judge) notPrepared(m *grammar.Match, st *state) {
	if j.p.c.Boxed {
		j.lookedAt(st)
		return
	}
	for i, f := range j.made {
		name := path.Base(f.path)
		generates := (i < j.own[0] || i >= j.own[1]) && ((m.Rule == "go.generate" || m.Rule == "go.run") && strings.HasSuffix(name, ".go") || m.Rule == "cargo.run" && strings.HasSuffix(name, ".rs"))
		own := i >= j.own[0] && i < j.own[1]
		if manifest(name) || generates || !own && testFile.MatchString(name) && j.fresh[f.path] || f.all && inside(j.p.c.Root, f.path) {
			j.ask("made.run", "%s is written and obeyed by %s in one go, so nobody can look at it in between; run that in a later step",
				part(name), strings.ReplaceAll(m.Rule, ".", " "))
			return
		}
	}
}
