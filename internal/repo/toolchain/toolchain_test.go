package toolchain

import (
	"strings"
	"testing"
	"testing/fstest"
)

// tree makes a repository of "name" or "name=content"; a name that ends in a slash is a folder.
func tree(entries ...string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for _, e := range entries {
		name, content, _ := strings.Cut(e, "=")
		if folder, is := strings.CutSuffix(name, "/"); is {
			name = folder + "/x"
		}
		fsys[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return fsys
}

// written formats a chain on one line.
func written(c Chain) string {
	return c.Name + " by " + c.File + ": " + strings.Join(c.Setup, " && ") + " | " + strings.Join(c.Check, " && ")
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		tree []string
		want string // chains, joined by " ; "
	}{
		{"nothing", []string{"README.md", "src/"}, ""},
		{"go", []string{"go.mod=module x\n"}, "go by go.mod: go mod download | go vet ./... && go test ./..."},
		{"go with its modules", []string{"go.mod", "vendor/modules.txt"}, "go by go.mod:  | go vet ./... && go test ./..."},
		{"go workspace", []string{"go.work=go 1.26\n\nuse (\n\t./api\n\t./web/\n)\nuse ./tools\n"}, "go by go.work: go mod download | go vet ./api/... ./web/... ./tools/... && go test ./api/... ./web/... ./tools/..."},
		{"rust", []string{"Cargo.toml=[package]\n", "Cargo.lock"}, "rust by Cargo.toml: cargo fetch --locked | cargo test"},
		{"rust workspace", []string{"Cargo.toml=[workspace]\n"}, "rust by Cargo.toml: cargo fetch | cargo test --workspace"},
		{"npm", []string{`package.json={"scripts":{"test":"jest","lint":"eslint .","dev":"vite"}}`, "package-lock.json"},
			"node by package.json and package-lock.json: npm ci | npm run lint && npm test"},
		{"npm without a lock", []string{`package.json={"scripts":{"test":"jest"},"devDependencies":{"jest":"1"}}`}, "node by package.json: npm install --no-package-lock | npm test"},
		{"npm, nothing to install", []string{`package.json={"scripts":{"test":"node --test"}}`}, "node by package.json:  | npm test"},
		{"npm, the test of npm init", []string{`package.json={"scripts":{"test":"echo \"Error: no test specified\" && exit 1","build":"tsc"}}`, "package-lock.json"},
			"node by package.json and package-lock.json: npm ci | npm run build"},
		{"a test that never ends", []string{`package.json={"scripts":{"test":"vitest --watch","test:unit":"vitest run","typecheck":"tsc"}}`, "package-lock.json"},
			"node by package.json and package-lock.json: npm ci | npm run typecheck && npm run test:unit"},
		{"a test that is told not to watch", []string{`package.json={"scripts":{"test":"react-scripts test --watchAll=false","lint":"ng lint --watch false"}}`, "yarn.lock"},
			"node by package.json and yarn.lock: yarn install --frozen-lockfile | yarn run lint && yarn test"},
		{"a check that tests", []string{`package.json={"scripts":{"check":"npm run lint && npm test","lint":"x","test":"y"}}`, "pnpm-lock.yaml"},
			"node by package.json and pnpm-lock.yaml: pnpm install --frozen-lockfile | pnpm run check"},
		{"pnpm by name", []string{`package.json={"packageManager":"pnpm@9.1.0","dependencies":{"x":"1"},"scripts":{"test":"y"}}`}, "node by package.json: pnpm install | pnpm test"},
		{"an unknown manager", []string{`package.json={"packageManager":"rush@5","dependencies":{"x":"1"},"scripts":{"test":"y"}}`}, ""},
		{"old yarn", []string{`package.json={"scripts":{"test":"y"}}`, "yarn.lock"}, "node by package.json and yarn.lock: yarn install --frozen-lockfile | yarn test"},
		{"new yarn", []string{`package.json={"packageManager":"yarn@4.5.0","scripts":{"test":"y"}}`, "yarn.lock"}, "node by package.json and yarn.lock: yarn install --immutable | yarn test"},
		{"bun", []string{`package.json={"scripts":{"lint":"x"}}`, "bun.lock"}, "node by package.json and bun.lock: bun install --frozen-lockfile | bun run lint"},
		{"bun with tests of its own", []string{`package.json={}`, "bun.lockb"}, "node by package.json and bun.lockb: bun install --frozen-lockfile | bun test"},
		{"a broken package.json", []string{`package.json={`, "package-lock.json"}, ""},
		{"deno", []string{"deno.json={}"}, "deno by deno.json: deno install | deno lint && deno test"},
		{"deno with tasks, beside a package.json", []string{"deno.jsonc={ // c\n\"tasks\": {\"test\": \"deno test -A\"}}", "deno.lock", "package.json={}"}, "deno by deno.jsonc: deno install --frozen | deno task test"},
		{"uv", []string{"uv.lock", "pyproject.toml=[dependency-groups]\ndev = [\"pytest>=8\", 'ruff']\n"}, "python by uv.lock: uv sync --locked | uv run ruff check && uv run pytest"},
		{"poetry", []string{"poetry.lock", "pyproject.toml=[tool.poetry.group.dev.dependencies]\npytest = \"^8\"\n"}, "python by poetry.lock: poetry install | poetry run pytest"},
		{"pdm and pipenv", []string{"pdm.lock", "conftest.py"}, "python by pdm.lock: pdm sync | pdm run pytest"},
		{"django with pipenv", []string{"Pipfile.lock", "manage.py"}, "python by Pipfile.lock: pipenv sync --dev | pipenv run python manage.py test"},
		{"requirements", []string{"requirements.txt=flask\n", "requirements-dev.txt=pytest\n"},
			"python by requirements.txt: python3 -m venv .venv && .venv/bin/pip install -r requirements.txt -r requirements-dev.txt | .venv/bin/python -m pytest"},
		{"a package with extras", []string{"pyproject.toml=[build-system]\n[project]\nname = \"x\"\n[project.optional-dependencies]\ndocs = []\ndev = [\"pytest\"]\n"},
			"python by pyproject.toml: python3 -m venv .venv && .venv/bin/pip install -e '.[dev]' | .venv/bin/python -m pytest"},
		{"pytest that nobody names", []string{"setup.py", "pytest.ini"}, "python by setup.py: python3 -m venv .venv && .venv/bin/pip install -e . pytest | .venv/bin/python -m pytest"},
		{"pytest that only a file of another tool names", []string{"requirements.txt=flask\n", "tox.ini=[testenv]\ndeps = pytest\n"},
			"python by requirements.txt: python3 -m venv .venv && .venv/bin/pip install -r requirements.txt pytest | .venv/bin/python -m pytest"},
		{"pytest in several extras", []string{"pyproject.toml=[project]\nname = \"x\"\n[project.optional-dependencies]\nall = [\"torch\"]\ntest = [\"pytest\"]\nlint = [\"ruff==0.4\"]\ndev = [\"x\"]\n"},
			"python by pyproject.toml: python3 -m venv .venv && .venv/bin/pip install -e '.[dev,lint,test]' | .venv/bin/python -m ruff check && .venv/bin/python -m pytest"},
		{"pytest in a group", []string{"pyproject.toml=[build-system]\n[project]\nname = \"x\"\n[dependency-groups]\ndev = [{include-group = \"test\"}, \"ruff==0.4\", \"black\"]\ntest = [\"pytest>=8\", \"pytest-cov\"]\n"},
			"python by pyproject.toml: python3 -m venv .venv && .venv/bin/pip install -e . 'ruff==0.4' 'pytest>=8' pytest-cov | .venv/bin/python -m ruff check && .venv/bin/python -m pytest"},
		{"ruff that nothing installs", []string{"requirements.txt=pytest\n", "pyproject.toml=[tool.hatch.envs.lint]\ndependencies = [\"ruff\"]\n"},
			"python by pyproject.toml: python3 -m venv .venv && .venv/bin/pip install -r requirements.txt | .venv/bin/python -m pytest"},
		{"uv with extras and groups", []string{"uv.lock", "pyproject.toml=[project]\nname = \"x\"\n[project.optional-dependencies]\ntest = [\"pytest\"]\nplots = [\"matplotlib\"]\n[dependency-groups]\nlint = [\"ruff\"]\ndev = [\"x\"]\n"},
			"python by uv.lock: uv sync --locked --extra test --group lint | uv run ruff check && uv run pytest"},
		{"poetry with an extra", []string{"poetry.lock", "pyproject.toml=[tool.poetry.extras]\ntests = [\"pytest\"]\n"}, "python by poetry.lock: poetry install --extras tests | poetry run pytest"},
		{"extras and groups that are no names", []string{"uv.lock", "pyproject.toml=[project.optional-dependencies]\n\"a; touch x\" = [\"pytest\"]\n\"-x\" = [\"pytest\"]\n[dependency-groups]\n\"$(id)\" = [\"ruff\"]\n\"a.b_c-1\" = [\"ruff\"]\n"},
			"python by uv.lock: uv sync --locked --group a.b_c-1 | uv run ruff check && uv run pytest"},
		{"an extra with a quote", []string{"pyproject.toml=[project]\nname = \"x\"\n[project.optional-dependencies]\n\"it's\" = [\"pytest\"]\n"},
			"python by pyproject.toml: python3 -m venv .venv && .venv/bin/pip install pytest | .venv/bin/python -m pytest"},
		{"django without anything", []string{"pyproject.toml=", "manage.py"}, "python by pyproject.toml:  | python3 manage.py test"},
		{"tox", []string{"setup.py", "tox.ini=[tox]\n"}, "python by tox.ini:  | tox"},
		{"tools configured only", []string{"pyproject.toml=[tool.black]\n"}, ""},
		{"ruby", []string{"Gemfile", "spec/"}, "ruby by Gemfile: bundle install | bundle exec rspec"},
		{"rails", []string{"Gemfile", "bin/rails", "test/", "Rakefile"}, "ruby by Gemfile: bundle install | bin/rails test"},
		{"rake", []string{"Gemfile", "Rakefile"}, "ruby by Gemfile: bundle install | bundle exec rake"},
		{"php", []string{`composer.json={"scripts":{"test":["a","b"]}}`}, "php by composer.json: composer install --no-interaction | composer run test"},
		{"phpunit", []string{`composer.json={}`, "phpunit.xml.dist"}, "php by composer.json: composer install --no-interaction | vendor/bin/phpunit"},
		{"elixir", []string{"mix.exs"}, "elixir by mix.exs: mix local.hex --force && mix local.rebar --force && mix deps.get | mix test"},
		{"gradle", []string{"gradlew", "build.gradle.kts"}, "jvm by gradlew:  | ./gradlew check"},
		{"gradle without a wrapper", []string{"build.gradle"}, "jvm by build.gradle:  | gradle check"},
		{"maven", []string{"pom.xml"}, "jvm by pom.xml:  | mvn -B verify"},
		{"maven with a wrapper", []string{"pom.xml", "mvnw"}, "jvm by mvnw:  | ./mvnw -B verify"},
		{"cmake", []string{"CMakeLists.txt=enable_testing()\n"}, "cpp by CMakeLists.txt:  | cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure"},
		{"dotnet", []string{"App.sln", "README.md"}, "dotnet by App.sln: dotnet restore | dotnet test --no-restore"},
		{"one project", []string{"App.csproj"}, "dotnet by App.csproj: dotnet restore | dotnet test --no-restore"},
		{"several, in their order", []string{`package.json={"scripts":{"test":"x"}}`, "go.mod"},
			"go by go.mod: go mod download | go vet ./... && go test ./... ; node by package.json:  | npm test"},
		{"a folder with the name of a file", []string{"go.mod/"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, c := range Detect(tree(tt.tree...)).Chains {
				got = append(got, written(c))
			}
			if s := strings.Join(got, " ; "); s != tt.want {
				t.Errorf("got  %s\nwant %s", s, tt.want)
			}
		})
	}
}

func TestDetectRunner(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ file, want string }{
		{"Makefile=.PHONY: check test\ncheck: lint test\n\tgo test\n", "make by Makefile:  | make check"},
		{"Makefile=lint fmt:\n\tx\ntest :: a b\r\n", "make by Makefile:  | make lint && make test"},
		{"Makefile=test:\n", "make by Makefile:  | make test"},
		{"GNUmakefile=check::\n", "make by GNUmakefile:  | make check"},
		{"Makefile=check := a\ntest ::= b\nlint:\n# check:\n\tcheck: no\n", ""},
		{"justfile=@lint:\n  x\ntest: lint\n  y\n", "just by justfile:  | just lint && just test"},
		{"justfile=check := 'a'\ntest name:\n  x\nlint:\n", ""},
	} {
		name, _, _ := strings.Cut(tt.file, "=")
		content := strings.TrimPrefix(tt.file, name+"=")
		got := ""
		if r := Detect(fstest.MapFS{name: {Data: []byte(content)}}).Runner; r.Name != "" {
			got = written(r)
		}
		if got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.file, got, tt.want)
		}
	}
}

// A runner's commands run in the environment that the setup has made.
func TestRunnerInAnEnvironment(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tree []string
		want string
	}{
		{[]string{"requirements.txt=pytest\n"}, ". .venv/bin/activate && make lint && make test"},
		{[]string{"uv.lock", "pyproject.toml="}, "uv run make lint && uv run make test"},
		{[]string{"poetry.lock", "go.mod"}, "poetry run make lint && poetry run make test"},
		{[]string{"pyproject.toml=[tool.black]\n"}, "make lint && make test"},
		{[]string{"go.mod"}, "make lint && make test"},
	} {
		if got := strings.Join(Detect(tree(append(tt.tree, "Makefile=lint test:\n\tpytest\n")...)).Runner.Check, " && "); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.tree, got, tt.want)
		}
	}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		`package.json={"scripts":{"test":"jest --watch","start":"vite --watch","test:ci":"jest --watch=false"}}`: "the script test of package.json is left out: with --watch it does not end",
		"gradlew=":         "from GitHub, whose hosts also take uploads, so none is a listed registry: a worker needs LONGSHIFT_REGISTRIES=default,github.com,objects.githubusercontent.com,release-assets.githubusercontent.com, unless distributionUrl names a mirror",
		`composer.json={}`: "a worker needs LONGSHIFT_REGISTRIES=default,api.github.com,codeload.github.com",
	} {
		var notes []string
		for _, c := range Detect(tree(file)).Chains {
			notes = append(notes, c.Notes...)
		}
		if len(notes) != 1 || !strings.HasSuffix(notes[0], want) {
			t.Errorf("%s: %q", file, notes)
		}
	}
}

func TestDetectSpecs(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{"specs/": "specs", "docs/specs/": "docs/specs", "docs/": "", "specs": ""} {
		if got := Detect(tree(file)).Specs; got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}
