package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// mostFiles limits the result of Files: the caller looks up each.
const mostFiles = 2000

// Files returns the files from which a command takes code or input, as far as its text names them: scripts and programs that
// it runs, files that programs read or get by redirects, and files that say what a build does. Each word of an unknown program
// or of inline code counts. Paths are absolute and clean; one may be a shell pattern, and many do not exist. It is false when
// there are too many.
func (p *Policy) Files(r Request) ([]string, bool) {
	found := map[string]bool{}
	p.decide(r, observers{file: func(file string) {
		if len(found) <= mostFiles {
			found[file] = true
		}
	}})
	all := make([]string, 0, len(found))
	for f := range found {
		all = append(all, f)
	}
	slices.Sort(all)
	return all, len(all) <= mostFiles
}

// inputs reports the files that something takes code or input from.
type inputs struct {
	policy *Policy
	see    func(path string) // nil when nobody asks
}

// word records that something takes code or input from a file.
func (i *inputs) word(w grammar.Word, st *state) {
	if text, ok := pathText(w); ok {
		i.text(text, st)
	}
}

func (i *inputs) text(text string, st *state) {
	if i.see == nil || text == "" || strings.ContainsRune(text, hole) {
		return
	}
	for _, at := range st.under(text, false) {
		if !at.below && (i.policy.within(at.path) || inside(at.path, "/tmp") || i.policy.c.Home != "" && inside(at.path, i.policy.c.Home)) {
			i.see(at.path) // the sandbox can't write other paths
		}
	}
}

// all records every file that the words of an unknown command may name.
func (i *inputs) all(words []grammar.Word, st *state) {
	if i.see == nil {
		return
	}
	i.any(words, st)
	i.obeyed(path.Base(words[0].Prefix()), st)
}

// any records every file that may be named in a part of a word.
func (i *inputs) any(words []grammar.Word, st *state) {
	for _, w := range words {
		i.word(w, st)
		text := knownText(w)
		for piece := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\n;|&<>()[]{}'\"`=@,:+", r) }) {
			i.text(piece, st)
		}
		if len(text) > 2 && text[0] == '-' && text[1] != '-' {
			i.text(text[2:], st) // -fdeploy.yml
		}
	}
}

// matched records the files that a program reads by its table.
func (i *inputs) matched(m *grammar.Match, st *state) {
	if i.see == nil {
		return
	}
	if m.Loose || len(m.Refused) > 0 || m.Class == grammar.Ask || m.Class == grammar.Deny {
		i.any(m.Words, st) // the table has not read all words, or text may be code
	}
	for _, u := range m.Uses {
		if u.Kind == grammar.Code || u.Kind == grammar.Read {
			i.word(u.Word, st)
		}
	}
	program, _, _ := strings.Cut(m.Rule, ".")
	i.obeyed(program, folders(m, st))
}

// obeyed records the files that a program obeys without being given their names.
func (i *inputs) obeyed(program string, st *state) {
	for _, at := range st.cwd {
		for dir := at.path; !at.below && i.policy.within(dir); dir = path.Dir(dir) { // most of them look upwards
			for _, name := range obeyed[program] {
				i.see(path.Join(dir, name))
			}
		}
	}
}

// obeyed are files that programs obey without being given their names, by the programs.
var obeyed = func() map[string][]string {
	all := map[string][]string{}
	for programs, files := range map[string]string{
		"make gmake": "GNUmakefile makefile Makefile", "just": "justfile Justfile .justfile", "rake": "Rakefile rakefile Rakefile.rb rakefile.rb",
		"task":                        "Taskfile.yml taskfile.yml Taskfile.yaml taskfile.yaml Taskfile.dist.yml Taskfile.dist.yaml",
		"npm pnpm yarn yarnpkg bun":   "package.json .npmrc .yarnrc.yml .yarnrc .pnpmfile.cjs pnpm-workspace.yaml bunfig.toml",
		"npx bunx pnpx node turbo nx": "package.json nx.json turbo.json", "deno": "deno.json deno.jsonc package.json",
		"cargo": "Cargo.toml build.rs .cargo/config.toml .cargo/config", "go": "go.mod go.work", "mage": "magefile.go", "ninja": "build.ninja",
		"meson":          "meson.build",
		"gradle gradlew": "build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties",
		"mvn mvnw":       "pom.xml .mvn/extensions.xml .mvn/jvm.config .mvn/maven.config",
		"ant":            "build.xml", "sbt": "build.sbt", "cmake ctest": "CMakeLists.txt CMakePresets.json CMakeUserPresets.json",
		"composer": "composer.json", "mix": "mix.exs",
		"bundle": "Gemfile", "rails": "Gemfile Rakefile config/application.rb", "dotnet": "Directory.Build.props Directory.Build.targets",
		"tox": "tox.ini pyproject.toml setup.cfg", "nox": "noxfile.py", "invoke inv": "tasks.py", "fab": "fabfile.py",
		"pytest":                             "conftest.py pytest.ini pyproject.toml tox.ini setup.cfg",
		"python python3 uv poetry pdm hatch": "pyproject.toml setup.py setup.cfg",
		"docker docker-compose podman":       "compose.yaml compose.yml docker-compose.yaml docker-compose.yml Dockerfile",
	} {
		for _, p := range strings.Fields(programs) {
			all[p] = strings.Fields(files)
		}
	}
	return all
}()
