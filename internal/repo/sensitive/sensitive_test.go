package sensitive

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/longshift/longshift/task"
)

const file = "100644"

// change is a change of a text file: an empty old text is a new file, an empty new one a removed file.
func change(p, old, now string) Change {
	c := Change{Path: p, OldPath: p, OldMode: file, NewMode: file, OldID: "a" + old, NewID: "b" + now, Old: []byte(old), New: []byte(now)}
	if old == "" {
		c.OldMode = ""
	}
	if now == "" {
		c.NewMode = ""
	}
	return c
}

func moved(from, to, text string) Change {
	c := change(to, text, text)
	c.OldPath = from
	return c
}

func withModes(c Change, old, now string) Change {
	c.OldMode, c.NewMode = old, now
	return c
}

func linkTo(p, target string) Change {
	return Change{Path: p, OldPath: p, NewMode: link, NewID: "c", New: []byte(target)}
}

func says(all []task.Finding) (lines []string) {
	for _, f := range all {
		lines = append(lines, f.String())
	}
	return lines
}

// Each kind has names that match and names that do not. An empty want means no finding.
func TestInspect(t *testing.T) {
	for _, c := range []struct {
		name   string
		change Change
		want   string
	}{
		{"a source file", change("calc.go", "", "package calc\n"), ""},
		{"documentation", change("docs/github/workflows.md", "", "set core.hooksPath\n"), ""},
		{"a Makefile", change("Makefile", "", "all:\n"), ""},

		{"a workflow", change(".github/workflows/x.yml", "", "on: push\n"), "ci .github/workflows/x.yml: new"},
		{"one that reaches for secrets", change(".github/workflows/x.yml", "on: push\n", "on: pull_request_target\nenv:\n  A: ${{ secrets.A }}\npermissions:\n  contents: write\n"),
			"ci .github/workflows/x.yml: changed\nci .github/workflows/x.yml: runs on pull_request_target\nci .github/workflows/x.yml: uses secrets\nci .github/workflows/x.yml: asks for the right to write"},
		{"one that did already", change(".github/workflows/x.yml", "on: pull_request_target\n", "on: pull_request_target\nname: x\n"), "ci .github/workflows/x.yml: changed"},
		{"another case", change(".GitHub/Workflows/X.YML", "", "on: push\n"), "ci .GitHub/Workflows/X.YML: new"},
		{"a character nobody sees", change(".git\u200bhub/workflows/x.yml", "", "on: push\n"), `ci .git\u{200b}hub/workflows/x.yml: new` + "\n" + `names .git\u{200b}hub/workflows/x.yml: new, and its name has characters that nobody sees`},
		{"a dot at the end", change(".github./workflows/x.yml", "", "a: 1\n"), "ci .github./workflows/x.yml: new"},
		{"a template of a project", change("template/.github/workflows/x.yml", "", "on: push\n"), ""},
		{"moved into place", moved("ci/x.yml", ".github/workflows/x.yml", "on: push\n"), "ci .github/workflows/x.yml: renamed from ci/x.yml"},
		{"moved away", moved(".github/workflows/x.yml", "ci/x.yml", "on: push\n"), "ci .github/workflows/x.yml: moved to ci/x.yml"},
		{"removed", change(".github/workflows/x.yml", "on: push\n", ""), "ci .github/workflows/x.yml: removed"},
		{"a link in its place", linkTo(".github/workflows", "../ci"), "ci .github/workflows: new"},
		{"an action anywhere", change("tools/release/action.yml", "", "runs:\n"), "ci tools/release/action.yml: new"},
		{"GitLab", change(".gitlab-ci.yml", "", "a: 1\n"), "ci .gitlab-ci.yml: new"},
		{"GitLab, included", change("web/build.gitlab-ci.yml", "", "a: 1\n"), "ci web/build.gitlab-ci.yml: new"},
		{"Circle", change(".circleci/config.yml", "", "a: 1\n"), "ci .circleci/config.yml: new"},
		{"Jenkins in a monorepo", change("services/web/Jenkinsfile", "", "x\n"), "ci services/web/Jenkinsfile: new"},
		{"Azure", change("azure-pipelines.release.yml", "", "a: 1\n"), "ci azure-pipelines.release.yml: new"},
		{"Buildkite", change(".buildkite/pipeline.yml", "", "a: 1\n"), "ci .buildkite/pipeline.yml: new"},
		{"a preview that a push builds", change("site/netlify.toml", "", "a = 1\n"), "ci site/netlify.toml: new"},

		{"husky", change("web/.husky/pre-commit", "", "x\n"), "hooks web/.husky/pre-commit: new"},
		{"lefthook", change("lefthook-local.yml", "", "x\n"), "hooks lefthook-local.yml: new"},
		{"pre-commit", change(".pre-commit-config.yaml", "a\n", "b\n"), "hooks .pre-commit-config.yaml: changed"},
		{"a folder of hooks", change(".githooks/pre-push", "", "x\n"), "hooks .githooks/pre-push: new"},
		{"core.hooksPath in a script", change("bin/setup", "", "git config Core.HooksPath .g\n"), "hooks bin/setup: names a folder of git hooks"},
		{"what a diff shows", change(".gitattributes", "", "src/** linguist-generated=true\n"), "hooks .gitattributes: chooses filters, or what a diff shows"},
		{"a hidden diff", change(".gitattributes", "", "*.go binary\n"), "hooks .gitattributes: chooses filters, or what a diff shows"},
		{"line ends", change(".gitattributes", "", "# no binary files\nbinary/** text\n* text=auto -binary\n"), ""},

		{"agent settings", change("web/.claude/settings.json", "", "{}\n"), "agents web/.claude/settings.json: new"},
		{"orders for agents", change("pkg/AGENTS.md", "", "x\n"), "agents pkg/AGENTS.md: new"},
		{"tool servers", change(".mcp.json", "", "{}\n"), "agents .mcp.json: new"},
		{"Cursor", change(".cursor/rules/x.mdc", "", "x\n"), "agents .cursor/rules/x.mdc: new"},
		{"Codex", change(".codex/config.toml", "", "x\n"), "agents .codex/config.toml: new"},
		{"Copilot", change(".github/copilot-instructions.md", "", "x\n"), "agents .github/copilot-instructions.md: new"},
		{"tasks of an editor", change("web/.vscode/tasks.json", "", "{}\n"), "agents web/.vscode/tasks.json: new"},
		{"a container of an editor", change(".devcontainer/devcontainer.json", "", "{}\n"), "agents .devcontainer/devcontainer.json: new"},

		{"setup.py", change("lib/setup.py", "a\n", "b\n"), "install lib/setup.py: changed"},
		{"build.rs", change("crates/a/build.rs", "", "fn main() {}\n"), "install crates/a/build.rs: new"},
		{"binding.gyp", change("binding.gyp", "", "{}\n"), "install binding.gyp: new"},
		{"a .pth file", change("src/x.pth", "", "import os\n"), "install src/x.pth: new"},
		{"a release of yarn", change(".yarn/releases/yarn-4.cjs", "", "x\n"), "install .yarn/releases/yarn-4.cjs: new"},
		{"composer's scripts", change("composer.json", "{}\n", `{"scripts": {"post-install-cmd": "x"}}`), "install composer.json: runs scripts when it is installed"},

		{"npm's settings", change("web/.npmrc", "", "registry=https://x\n"), "registries web/.npmrc: new"},
		{"cargo's settings", change("crates/.cargo/config.toml", "", "x\n"), "registries crates/.cargo/config.toml: new"},
		{"pip's settings", change("pip.conf", "", "x\n"), "registries pip.conf: new"},
		{"a replaced module", change("go.mod", "module x\n", "module x\n\nreplace a => ../a\n"), "registries go.mod: replaces a module"},
		{"a required module", change("go.mod", "module x\n", "module x\n\nrequire a v1.0.0\n"), ""},
		{"an index of pip", change("requirements-dev.txt", "", "--extra-index-url https://x\n"), "registries requirements-dev.txt: takes packages from elsewhere"},
		{"a version of pip", change("requirements.txt", "", "requests==2.0\n"), ""},
		{"a patched crate", change("Cargo.toml", "", "[patch.crates-io]\n"), "registries Cargo.toml: takes a crate from elsewhere"},

		{"a lock file", change("web/package-lock.json", "{}\n", "{ }\n"), "locks web/package-lock.json: changed"},
		{"go.sum", change("go.sum", "", "x\n"), "locks go.sum: new"},

		{"a submodule", withModes(Change{Path: "lib", OldPath: "lib", NewID: "0123456789abcdef"}, "", submodule), "submodules lib: new, at 0123456789"},
		{"one that goes", withModes(change("lib", "a", ""), submodule, ""), "submodules lib: removed"},
		{"a file in its place", withModes(change("lib", "", "x\n"), submodule, file), "submodules lib: removed"},
		{"an address that runs", change(".gitmodules", "", "[submodule \"x\"]\n\turl = ext::sh -c x\n"), "submodules .gitmodules: new\nsubmodules .gitmodules: with an address that runs a program or is a path of this machine"},
		{"an update that runs", change(".gitmodules", "", "[submodule \"x\"]\n\turl = https://x/y\n\tupdate = !sh\n"), "submodules .gitmodules: new\nsubmodules .gitmodules: which runs a program at its update"},

		{"an absolute link", linkTo("a/keys", "/etc/passwd"), "links a/keys: leads to /etc/passwd, which is an absolute path"},
		{"a link out", linkTo("a/keys", "../../x"), "links a/keys: leads to ../../x, which is outside of the repository"},
		{"a link out for Windows", linkTo("keys", `..\..\x`), `links keys: leads to ..\..\x, which is outside of the repository`},
		{"a drive", linkTo("keys", `C:\x`), `links keys: leads to C:\x, which is an absolute path`},
		{"a link into git's folder", linkTo("x", ".GIT/hooks"), "links x: leads to .GIT/hooks, which is git's own folder"},
		{"a link within", linkTo("a/b", "../c/d"), ""},

		{"a program", withModes(change("run", "x\n", "x\n"), file, executable), "executables run: may be run as a program now"},
		{"one that was", withModes(change("run", "x\n", "y\n"), executable, executable), ""},
		{"a binary", change("logo.png", "", "\x89PNG\x00\x01"), "binaries logo.png: new, with content that is no text"},
		{"one that goes", change("logo.png", "\x89PNG\x00\x01", ""), ""},

		{"right to left", change("src/\u202egnp.exe.go", "", "package x\n"), `names src/\u{202e}gnp.exe.go: new, and its name has characters that nobody sees`},
		{"bytes that are no text", change("a\xff.go", "", "x\n"), `names a\xff.go: new, and its name has characters that nobody sees`},
		{"a wide blank", change("a\u00a0b.go", "", "x\n"), `names a\u{a0}b.go: new, and its name has characters that nobody sees`},
		{"other scripts and blanks", change("docs/Übersicht für alle 日本.txt", "", "x\n"), ""},
		{"one that had it already", change("a\u200b.go", "x\n", "y\n"), ""},

		{"our settings", change(".longshift.yaml", "a\n", "b\n"), "settings .longshift.yaml: changed"},
		{"our prompts", change(".longshift/prompts/reviewer.md", "", "x\n"), "settings .longshift/prompts/reviewer.md: new"},
		{"owners", change("docs/CODEOWNERS", "a\n", ""), "owners docs/CODEOWNERS: removed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(says(Inspect(c.change)), "\n"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestInspectPackages(t *testing.T) {
	for _, c := range []struct{ name, old, now, want string }{
		{"a test script", `{"scripts":{"test":"x"}}`, `{"scripts":{"test":"y"}}`, "tests package.json: changes what its scripts run: test"},
		{"a test script that goes", `{"scripts":{"test:unit":"x"}}`, `{"scripts":{}}`, "tests package.json: changes what its scripts run: test:unit"},
		{"a new check", `{"scripts":{"test":"x"}}`, `{"scripts":{"test":"x","lint":"y"}}`, ""},
		{"a script that judges nothing", `{"scripts":{"start":"x"}}`, `{"scripts":{"start":"y"}}`, ""},
		{"what jest leaves out", `{"jest":{}}`, `{"jest":{"testPathIgnorePatterns":["a"]}}`, "tests package.json: chooses which tests run"},
		{"a new script of npm's own", `{}`, `{"scripts":{"postinstall":"x","prepare":"husky"}}`, "install package.json: runs postinstall, prepare when it is installed"},
		{"a changed one", `{"scripts":{"prepare":"x"}}`, `{"scripts":{"prepare":"y"}}`, "install package.json: runs prepare when it is installed"},
		{"one that stays, behind a mark", "\uFEFF" + `{"scripts":{"prepare":"x"}}`, "\uFEFF" + `{"scripts":{"prepare":"x"}, "name":"a"}`, ""},
		{"one that goes", `{"scripts":{"prepare":"x"}}`, `{}`, ""},
		{"what npm can't read", `{}`, `{`, "install package.json: changed, and can't be read as JSON"},
		{"hooks", `{}`, `{"husky":{"hooks":{"pre-commit":"x"}}}`, "hooks package.json: sets git hooks"},
		{"whose scripts may run", `{}`, `{"pnpm":{"onlyBuiltDependencies":["x"]}}`, "install package.json: chooses whose install scripts run, or what is patched"},
		{"a manager", `{}`, `{"packageManager":"yarn@https://x"}`, "registries package.json: chooses the package manager, or where it is published"},
		{"an ordinary version", `{}`, `{"dependencies":{"a":"^1.2.3","b":"npm:c@1","d":"workspace:*","e":"latest"}}`, ""},
		{"packages from elsewhere", `{}`, `{"dependencies":{"a":"git+https://x/y"},"devDependencies":{"b":"file:../b","c":"acme/c","d":"https://x/d.tgz"}}`, "registries package.json: takes a, b, c, d from an address or a folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(says(Inspect(change("package.json", c.old, c.now))), "\n"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	cut := change("web/package.json", "{}", "{}")
	cut.Cut = true
	if got := strings.Join(says(Inspect(cut)), "\n"); got != "install web/package.json: too large to look into" {
		t.Errorf("a long one: %s", got)
	}
}

func TestInspectTests(t *testing.T) {
	for _, c := range []struct{ name, path, old, now, want string }{
		{"removed", "calc_test.go", "package x\n", "", "tests calc_test.go: removed"},
		{"no test", "calc.go", "package x\n", "", ""},
		{"data of tests", "testdata/a_test.go", "package x\n", "", ""},
		{"a helper among tests", "tests/helper.py", "x = 1\n", "", "tests tests/helper.py: removed"},
		{"a text among tests", "tests/notes.md", "x\n", "", ""},
		{"skipped in Go", "calc_test.go", "func TestA(t *testing.T) {\n}\n", "func TestA(t *testing.T) {\n\tt.Skip()\n}\n", "skips"},
		{"skipped before", "calc_test.go", "\tt.Skip()\n", "\tt.Skip()\n\tx()\n", ""},
		{"skipped in code", "calc.go", "", "\ts.Skip()\n", ""},
		{"left out of a build", "calc_test.go", "package x\n", "//go:build ignore\n\npackage x\n", "skips"},
		{"for some builds alone", "calc_test.go", "package x\n", "//go:build x\n\npackage x\n", "skips"},
		{"a new one for some builds", "calc_test.go", "", "//go:build x\n\npackage x\n", ""},
		{"only when it is asked for", "tests/test_a.py", "def test_a():\n    assert f(1)\n", "def test_a():\n    if os.environ.get('A'):\n        assert f(1)\n",
			"tests tests/test_a.py: may stop before it has judged, or hide what it found, in 1 new line"},
		{"fewer in Go", "calc_test.go", "func TestA(t *testing.T) {}\nfunc TestB(t *testing.T) {}\n", "func TestA(t *testing.T) {}\n", "tests calc_test.go: has 1 test fewer"},
		{"an assertion that goes", "a_test.py", "def test_a():\n    assert f(1) == 2\n    assert f(2) == 3\n", "def test_a():\n    assert f(1) == 2\n",
			"tests a_test.py: has 1 assertion fewer\ntests a_test.py: changes or drops 1 line of before"},
		{"an assertion as a comment", "a.test.ts", "it('a', () => {\n  expect(f(1)).toBe(2)\n})\n", "it('a', () => {\n  // expect(f(1)).toBe(2)\n})\n",
			"tests a.test.ts: has 1 assertion fewer\ntests a.test.ts: changes or drops 1 line of before"},
		{"a weaker one", "a.test.ts", "  expect(f(1)).toBe(2)\n", "  expect(f(1)).toBeDefined()\n", "tests a.test.ts: changes or drops 1 line of before"},
		{"another expectation", "a_test.go", "\t{1, 2},\n", "\t{1, 3},\n", "tests a_test.go: changes or drops 1 line of before"},
		{"a case that goes", "a_test.go", "\t{1, 2},\n\t{2, 3},\n", "\t{1, 2},\n", "tests a_test.go: changes or drops 1 line of before"},
		{"a case beside a new one", "a_test.go", "\t{1, 2},\n", "\t{1, 2, \"\"},\n\t{3, 4, \"\"},\n", ""},
		{"what is no case", "a_test.go", "\tx := start(t)\n", "\tx := begin(t)\n", ""},
		{"another indentation", "a_test.go", "\tif f(1) != 2 {\n", "\t\tif f(1) != 2 {\n", ""},
		{"another import", "a_test.go", "import \"a/b\"\n", "import \"a/c\"\n", ""},
		{"an early end", "a_test.go", "func TestA(t *testing.T) {\n\tf(1)\n}\n", "func TestA(t *testing.T) {\n\treturn\n\tf(1)\n}\n",
			"tests a_test.go: may stop before it has judged, or hide what it found, in 1 new line"},
		{"what is never true", "tests/test_a.py", "def test_a():\n    assert f(1)\n", "def test_a():\n    if False:\n        assert f(1)\n",
			"tests tests/test_a.py: may stop before it has judged, or hide what it found, in 1 new line"},
		{"what is swallowed", "tests/test_a.py", "def test_a():\n    assert f(1)\n", "def test_a():\n    try:\n        assert f(1)\n    except AssertionError:\n        pass\n",
			"tests tests/test_a.py: may stop before it has judged, or hide what it found, in 1 new line"},
		{"a new test that returns early", "a_test.go", "func TestA(t *testing.T) {}\n", "func TestA(t *testing.T) {}\nfunc TestB(t *testing.T) {\n\treturn\n}\n", ""},
		{"what runs", "jest.config.js", "a\n", "b\n", "tests jest.config.js: chooses which tests run: changed"},
		{"what ran", "web/pytest.ini", "a\n", "", "tests web/pytest.ini: chose which tests run: removed"},
		{"folders of tests", "pyproject.toml", "[tool.pytest.ini_options]\n", "[tool.pytest.ini_options]\ntestpaths = [\"a\"]\n", "tests pyproject.toml: chooses which tests run"},
		{"what make runs", "Makefile", "test: build\n\tgo test ./...\n", "test: build\n\t@true\n", "tests Makefile: changes what test does"},
		{"a prerequisite", "Makefile", "check: lint test\n", "check: lint\n", "tests Makefile: changes what check does"},
		{"a target beside it", "Makefile", "test:\n\tgo test ./...\n", "fmt:\n\tgofmt -w .\ntest:\n\tgo test ./...\n", ""},
		{"packages of a test", "Makefile", "PKGS := ./...\ntest:\n\tgo test $(PKGS)\n", "PKGS := ./a\ntest:\n\tgo test $(PKGS)\n", "tests Makefile: changes what test does"},
		{"a hidden failure", "scripts/run-tests.sh", "go test ./...\n", "go test ./... || true\n", "tests scripts/run-tests.sh: may hide a failure"},
		{"more in Go", "calc_test.go", "func TestA(t *testing.T) {}\n", "func TestA(t *testing.T) {}\nfunc TestB(t *testing.T) {}\n", ""},
		{"pytest", "tests/test_a.py", "def test_a(): pass\n", "@pytest.mark.skip\ndef test_a(): pass\n", "skips"},
		{"unittest", "tests/test_a.py", "", "@unittest.skipIf(True, 'x')\n", "skips"},
		{"it.skip", "a.test.ts", "", "it.skip('x', () => {})\n", "skips"},
		{"xit", "a.spec.js", "", "  xit('x', f)\n", "skips"},
		{"only one", "a.test.tsx", "", "describe.only('x', f)\n", "skips"},
		{"fit of a model", "a.test.js", "", "  model.fit(x)\n", ""},
		{"JUnit", "src/test/java/ATest.java", "", "  @Disabled(\"x\")\n", "skips"},
		{"Rust beside the code", "src/lib.rs", "", "#[test]\n#[ignore = \"slow\"]\nfn a() {}\n", "skips"},
		{"xUnit", "ATests.cs", "", "[Fact(Skip = \"x\")]\n", "skips"},
		{"RSpec", "spec/a_spec.rb", "", "  xit 'adds' do\n", "skips"},
		{"PHPUnit", "tests/ATest.php", "", "$this->markTestSkipped();\n", "skips"},
		{"googletest", "a_test.cc", "", "TEST(A, DISABLED_Adds) {\n", "skips"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := strings.Join(says(Inspect(change(c.path, c.old, c.now))), "\n")
			want := c.want
			if want == "skips" {
				want = "tests " + c.path + ": skips tests, or leaves others out, in 1 new line"
			}
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
	if got := strings.Join(says(Inspect(moved("a_test.go", "a_test.go.off", "x\n"))),
		"\n"); got != "tests a_test.go: moved to a_test.go.off, where it is no test" {
		t.Errorf("moved away: %s", got)
	}
	if got := says(Inspect(moved("a_test.go", "b/a_test.go", "x\n"))); got != nil {
		t.Errorf("moved to another folder: %s", got)
	}
}

// An approval is for content: the same file with another content is another finding.
func TestInspectBindsToContent(t *testing.T) {
	one, again, other := Inspect(change(".npmrc", "", "a\n")), Inspect(change(".npmrc", "", "a\n")), Inspect(change(".npmrc", "", "b\n"))
	if one[0].ID != again[0].ID || one[0].ID == other[0].ID || len(one[0].ID) != 32 {
		t.Errorf("ids %s, %s, %s", one[0].ID, again[0].ID, other[0].ID)
	}
	program := Inspect(withModes(change(".npmrc", "", "a\n"), "", executable))
	if one[0].ID == program[0].ID {
		t.Error("another mode is the same finding")
	}
}

func TestParseRules(t *testing.T) {
	rules, mistakes := ParseRules(" all=refuse, hooks = ask ,tests=allow,")
	if len(mistakes) != 0 || rules.action(CI) != task.RefuseFinding || rules.action(Hooks) != task.AskFinding || rules.action(Tests) != task.AllowFinding {
		t.Errorf("%v, %v", rules, mistakes)
	}
	if rules, _ := ParseRules(""); rules.action(CI) != task.AskFinding || rules.action(Hooks) != task.NameFinding || Rules(nil).action(CI) != task.AskFinding {
		t.Errorf("by default: %v", rules)
	}
	if _, mistakes := ParseRules("ci,hook=ask,ci=never"); len(mistakes) != 3 || mistakes[1].Item != "hook=ask" ||
		!strings.Contains(mistakes[1].What, "ci, hooks, agents") {
		t.Errorf("mistakes %+v", mistakes)
	}
	for _, p := range places {
		if !slices.Contains(Kinds(), p.kind) {
			t.Errorf("kind %s is in no list", p.kind)
		}
	}
}

func TestApply(t *testing.T) {
	var all []task.Finding
	for _, p := range []string{"a.lock", "go.sum", ".longshift.yaml", ".github/workflows/x.yml", ".husky/x"} {
		all = append(all, Inspect(change(p, "", "runs on pull_request_target\n"))...)
	}
	rules, _ := ParseRules("locks=allow,settings=refuse")
	var got []string
	for _, f := range rules.Apply(all) {
		got = append(got, string(f.Action)+" "+f.String())
	}
	want := []string{"refuse settings .longshift.yaml: new", "ask ci .github/workflows/x.yml: new; runs on pull_request_target", "name hooks .husky/x: new"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// Many files give few findings, and every change of a file changes the id of its finding.
func TestApplyIsBounded(t *testing.T) {
	many := func(last string) []task.Finding {
		var all []task.Finding
		for n := range 100 {
			text := "x\n"
			if n == 99 {
				text = last
			}
			all = append(all, Inspect(change(".github/workflows/"+strings.Repeat("w", n)+strings.Repeat("\u202e", 50)+".yml", "", text))...)
		}
		return Rules{}.Apply(all)
	}
	one, other := many("x\n"), many("y\n")
	if len(one) != 2*(mostOfKind+1) || one[mostOfKind].What != "and 92 more" || one[mostOfKind].Path != "" {
		t.Fatalf("%d findings: %q", len(one), says(one))
	}
	if one[mostOfKind].ID == other[mostOfKind].ID || one[0].ID != other[0].ID {
		t.Error("the id of the rest does not stand for what is in it")
	}
	for _, f := range one {
		if len(f.Path) > mostPath || len(f.What) > mostWhat || !utf8.ValidString(f.Path) {
			t.Errorf("%d and %d bytes: %s", len(f.Path), len(f.What), f)
		}
	}
}
