package lang

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/policy/base"
	"github.com/longshift/longshift/internal/policy/grammar"
)

func TestTablesAreWellFormed(t *testing.T) {
	seen := map[string]string{}
	profiles := map[string]int{}
	for _, p := range Programs() {
		if _, err := grammar.Compile(p); err != nil {
			t.Error(err)
		}
		profiles[p.Profile]++
		for _, n := range p.Names {
			if other, twice := seen[n]; twice {
				t.Errorf("the name %q is in the table of %s and of %s", n, other, p.Names[0])
			}
			seen[n] = p.Names[0]
		}
	}
	for _, name := range []string{node, bun, python, ruby, golang, rust, php, jvm, dotnet, cpp} {
		if profiles[name] == 0 {
			t.Errorf("profile %s has no program", name)
		}
		delete(profiles, name)
	}
	if len(profiles) > 0 {
		t.Errorf("programs of unknown profiles: %v", profiles)
	}
}

// The tables that judges use are not among Programs; a malformed one would refuse everything.
func TestInnerTablesAreWellFormed(t *testing.T) {
	inner := map[string]*grammar.Table{"go test": goTestTable(), "gotestsum": gotestsumTable(), "cargo": cargoTable(), "manage.py": djangoTable(),
		"setup.py": setupTable(), "uv run": uvRunTable(), "compiler": ccTable()}
	for name, table := range pyModuleTable() {
		if why := table.Program.Why; strings.HasPrefix(why, "its table is malformed") {
			t.Errorf("python -m %s: %s", name, why)
		}
	}
	for name, table := range cmakeTables() {
		inner["cmake "+name] = table
	}
	for name, table := range inner {
		if table.Program.Class == grammar.Deny {
			t.Errorf("%s: %s", name, table.Program.Why)
		}
	}
}

// What a judge hands over to must have a table, or nothing would ever be allowed that way.
func TestHandOversHaveTables(t *testing.T) {
	names := map[string]bool{}
	for _, p := range append(base.Programs(), Programs()...) {
		for _, n := range p.Names {
			names[n] = true
		}
	}
	for module, tool := range pyModuleTools {
		if !names[tool] {
			t.Errorf("python -m %s hands over to %s, which has no table", module, tool)
		}
	}
	for pkg, tool := range nodePackages {
		if !names[tool] {
			t.Errorf("npx %s hands over to %s, which has no table", pkg, tool)
		}
	}
	for tool := range pyTools {
		if !names[tool] {
			t.Errorf("python .venv/bin/%s has no table", tool)
		}
	}
	for tool := range pyLocal {
		if !names[tool] {
			t.Errorf("uvx %s has no table", tool)
		}
	}
}

func TestNpxRunsNoManagersAndNoRuntimes(t *testing.T) {
	for _, n := range []string{"npm", "npx", "node", "pnpm", "yarn", "corepack", "husky", "vercel", "ls", "git", "curl"} {
		if nodeKnown()[n] {
			t.Errorf("npx may run %s", n)
		}
	}
	for _, n := range []string{"jest", "tsc", "eslint", "vitest", "turbo", "prettier"} {
		if !nodeKnown()[n] {
			t.Errorf("npx may not run %s", n)
		}
	}
}

func TestClassesByWhatIsRead(t *testing.T) {
	tables := map[string]*grammar.Table{}
	for _, p := range Programs() {
		table, err := grammar.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range p.Names {
			tables[n] = table
		}
	}
	for _, c := range []struct {
		line  string
		class grammar.Class
		need  grammar.Need
	}{
		{"go list ./...", grammar.Inspect, ""},
		{"go vet ./...", grammar.Inspect, ""},
		{"go test ./...", grammar.Run, ""},
		{"go mod tidy", grammar.Install, grammar.NeedRegistry},
		{"go mod edit -json", grammar.Inspect, ""},
		{"go mod edit -go=1.25", grammar.Change, ""},
		{"gofmt -l .", grammar.Inspect, ""},
		{"gofmt -w .", grammar.Change, ""},
		{"npm ls", grammar.Inspect, ""},
		{"npm run", grammar.Inspect, ""},
		{"npm test", grammar.Run, ""},
		{"npm ci", grammar.Install, grammar.NeedRegistry},
		{"npm outdated", grammar.Inspect, grammar.NeedRegistry},
		{"yarn", grammar.Install, grammar.NeedRegistry},
		{"tsc --noEmit", grammar.Inspect, ""},
		{"tsc", grammar.Change, ""},
		{"node --check a.js", grammar.Inspect, ""},
		{"node a.js", grammar.Run, ""},
		{"black --check .", grammar.Inspect, ""},
		{"black .", grammar.Change, ""},
		{"ruff check .", grammar.Inspect, ""},
		{"ruff check --fix .", grammar.Change, ""},
		{"pip show requests", grammar.Inspect, ""},
		{"pip install -e .", grammar.Install, grammar.NeedRegistry},
		{"uv sync", grammar.Install, grammar.NeedRegistry},
		{"python --version", grammar.Inspect, ""},
		{"python -m pytest", grammar.Run, ""},
		{"python -m http.server --bind 127.0.0.1", grammar.Run, grammar.NeedLoopback},
		{"ruby -c a.rb", grammar.Inspect, ""},
		{"bundle install", grammar.Install, grammar.NeedRegistry},
		{"cargo tree", grammar.Inspect, ""},
		{"cargo fmt --check", grammar.Inspect, ""},
		{"cargo fmt", grammar.Change, ""},
		{"cargo fetch", grammar.Install, grammar.NeedRegistry},
		{"php -l a.php", grammar.Inspect, ""},
		{"composer install", grammar.Install, grammar.NeedRegistry},
		{"mvn dependency:resolve", grammar.Install, grammar.NeedRegistry},
		{"dotnet restore", grammar.Install, grammar.NeedRegistry},
		{"dotnet list", grammar.Inspect, ""},
		{"clang-format -n a.c", grammar.Inspect, ""},
		{"clang-format -i a.c", grammar.Change, ""},
	} {
		ws := split(c.line)
		name, _ := ws[0].Text()
		m := tables[name].Parse(ws[1:])
		if m.Class != c.class || len(m.Refused) > 0 {
			t.Errorf("%s: class %s, refused %v; want %s", c.line, m.Class, m.Refused, c.class)
		}
		found := c.need == "" && len(m.Needs) == 0
		for _, n := range m.Needs {
			found = found || n == c.need
		}
		if !found {
			t.Errorf("%s: needs %v; want %q", c.line, m.Needs, c.need)
		}
	}
}

func TestInterpretersWithoutAFileReadCode(t *testing.T) {
	for _, p := range Programs() {
		name := p.Names[0]
		if !grammar.Set("node python ruby php tsx")[name] {
			continue
		}
		table, err := grammar.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{name, name + " -"} {
			if m := table.Parse(split(line)[1:]); !m.StdinCode {
				t.Errorf("%q reads code from standard input, and the table does not say so", line)
			}
		}
		if m := table.Parse(split(name + " a.x b")[1:]); m.StdinCode || len(m.Uses) == 0 || m.Uses[0].Kind != grammar.Code {
			t.Errorf("%s with a file: %+v", name, m.Uses)
		}
	}
}

// split makes words of a line without quotes.
func split(line string) []grammar.Word {
	var ws []grammar.Word
	for f := range strings.FieldsSeq(line) {
		ws = append(ws, grammar.Lit(f))
	}
	return ws
}
