package policy

import (
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// manifests are names of files that say what builds and tests run, in lower case.
var manifests = grammar.Set(`
	makefile gnumakefile package.json cargo.toml build.rs conftest.py setup.py setup.cfg noxfile.py tox.ini pytest.ini pyproject.toml
	rakefile gemfile pom.xml build.xml cmakelists.txt ctestcustom.cmake justfile .justfile taskfile.yml taskfile.yaml composer.json
	build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties gradlew mvnw magefile.go build.zig meson.build
	wscript sconstruct dune-project stack.yaml .rspec .mocharc.js .mocharc.json .babelrc .babelrc.js .eslintrc.js .eslintrc.cjs nx.json
	turbo.json lerna.json deno.json deno.jsonc rust-toolchain rust-toolchain.toml manage.py phpunit.xml pnpm-workspace.yaml go.work
	directory.build.props directory.build.targets tasks.py build.ninja dodo.py fabfile.py procfile vagrantfile invoke.yaml
	ecosystem.config.js lefthook.yml fastfile podfile dockerfile gulpfile.js gruntfile.js mix.exs rebar.config build.sbt project.clj deps.edn
`)

// manifest reports whether a file controls a build or a test.
func manifest(name string) bool {
	low := strings.ToLower(name)
	if manifests[low] || strings.HasSuffix(low, ".mk") || strings.HasSuffix(low, ".gradle") || strings.HasSuffix(low, ".csproj") {
		return true
	}
	return strings.Contains(low, ".config.") || strings.HasSuffix(low, ".cmake")
}

// testFile is a file that a test runner finds and runs by its name.
var testFile = regexp.MustCompile(`(?i)^(test_.*|.*_test)\.(py|go|rb|rs|exs?|js|ts|c|cc|cpp|dart)$` +
	`|\.(test|spec)\.[cm]?[jt]sx?$|_spec\.rb$|(Test|Tests|Spec)\.(php|java|kt|cs|scala|groovy|swift)$`)
