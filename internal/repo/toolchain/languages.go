package toolchain

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

var workUse = regexp.MustCompile(`(?m)^\s*(?:use\s+)?(\./[\w./@+-]*|\.)\s*$`)

func golang(f files, file string) Chain {
	all := "./..."
	if work := f.text("go.work"); work != "" { // ./... covers only the folder's own module
		var each []string
		for _, m := range workUse.FindAllStringSubmatch(work, -1) {
			each = append(each, strings.TrimSuffix(m[1], "/")+"/...")
		}
		if each != nil {
			file, all = "go.work", strings.Join(each, " ")
		}
	}
	c := Chain{File: file, Check: []string{"go vet " + all, "go test " + all}}
	if !f.has("vendor/modules.txt") {
		c.Setup = []string{"go mod download"}
	}
	return c
}

func rust(f files, file string) Chain {
	c := Chain{Setup: []string{"cargo fetch"}, Check: []string{"cargo test"}, Makes: "target"}
	if f.has("Cargo.lock") {
		c.Setup = []string{"cargo fetch --locked"}
	}
	if f.mentions("[workspace]", file) {
		c.Check = []string{"cargo test --workspace"}
	}
	return c
}

func ruby(f files, _ string) Chain {
	c := Chain{Setup: []string{"bundle install"}}
	switch {
	case f.has("bin/rails") && f.folder("test"):
		c.Check = []string{"bin/rails test"}
	case f.has(".rspec") || f.folder("spec"):
		c.Check = []string{"bundle exec rspec"}
	case f.has("Rakefile") && f.folder("test"):
		c.Check = []string{"bundle exec rake test"}
	case f.has("Rakefile"):
		c.Check = []string{"bundle exec rake"}
	}
	return c
}

func php(f files, file string) Chain {
	var m struct {
		Scripts map[string]json.RawMessage `json:"scripts"`
	}
	c := Chain{Setup: []string{"composer install --no-interaction"}, Makes: "vendor",
		Notes: []string{"composer downloads packages" + fromGitHub("api.github.com,codeload.github.com")}}
	if json.Unmarshal([]byte(f.text(file)), &m) != nil {
		return Chain{}
	}
	names := slices.Collect(maps.Keys(m.Scripts))
	if c.Check = targets("composer run", names); c.Check == nil && f.has("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml") {
		c.Check = []string{"vendor/bin/phpunit"}
	}
	return c
}

// fromGitHub ends a note about downloads. It gives the setting whole, because a list without default replaces the listed registries.
func fromGitHub(hosts string) string {
	return " from GitHub, whose hosts also take uploads, so none is a listed registry: a worker needs LONGSHIFT_REGISTRIES=default," + hosts
}

// elixir installs rebar too, which dependencies from Erlang are built with: mix would ask for it.
func elixir(files, string) Chain {
	setup := []string{"mix local.hex --force", "mix local.rebar --force", "mix deps.get"}
	return Chain{Setup: setup, Check: []string{"mix test"}, Makes: "_build"}
}

// jvm has no setup: both tools fetch dependencies during the build and have no command that only fetches them.
func jvm(_ files, file string) Chain {
	switch file {
	case "gradlew":
		return Chain{Check: []string{"./gradlew check"}, Makes: "build", Notes: []string{"gradlew downloads Gradle" +
			fromGitHub("github.com,objects.githubusercontent.com,release-assets.githubusercontent.com") + ", unless distributionUrl names a mirror"}}
	case "mvnw":
		return Chain{Check: []string{"./mvnw -B verify"}, Makes: "target"}
	case "pom.xml":
		return Chain{Check: []string{"mvn -B verify"}, Makes: "target"}
	}
	return Chain{Check: []string{"gradle check"}, Makes: "build"}
}

// cmake has no setup: it would prepare only for its own check, and a Makefile target that checks everything does not need it.
func cmake(f files, file string) Chain {
	c := Chain{Check: []string{"cmake -S . -B build", "cmake --build build"}, Makes: "build"}
	if text := f.text(file); strings.Contains(text, "enable_testing") || strings.Contains(text, "include(CTest)") {
		c.Check = append(c.Check, "ctest --test-dir build --output-on-failure")
	}
	return c
}
