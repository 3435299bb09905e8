package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// mostFiles bounds the answer of Files: each is looked up by the caller.
const mostFiles = 2000

// Files names the files that a command takes code or input from, as far as its text says which: scripts and programs that it
// runs, what programs read, what is redirected into them, and what builds take their commands from. Of a program that no table
// knows, and of code on the command line, each word counts. The paths are absolute and clean; one may be a pattern of a shell, and
// many name nothing. It is false when there are too many to tell.
func (p *Policy) Files(r Request) ([]string, bool) {
	found := map[string]bool{}
	p.decide(r, nil, func(file string) {
		if len(found) <= mostFiles {
			found[file] = true
		}
	})
	all := make([]string, 0, len(found))
	for f := range found {
		all = append(all, f)
	}
	slices.Sort(all)
	return all, len(all) <= mostFiles
}

// takes notes that something takes code or input from a file.
func (j *judge) takes(w grammar.Word, st *state) {
	if text, ok := pathText(w); ok {
		j.takesText(text, st)
	}
}

func (j *judge) takesText(text string, st *state) {
	if j.file == nil || text == "" || strings.ContainsRune(text, hole) {
		return
	}
	for _, at := range j.under(text, st, false) {
		if !at.below && (j.p.within(at.path) || inside(at.path, "/tmp") || j.p.c.Home != "" && inside(at.path, j.p.c.Home)) {
			j.file(at.path) // what lies elsewhere the box can't write
		}
	}
}

// takesAll notes that a command of which nothing is known may take code or input from all that its words name.
func (j *judge) takesAll(words []grammar.Word, st *state) {
	if j.file == nil {
		return
	}
	j.takesAny(words, st)
	j.takesObeyed(path.Base(words[0].Prefix()), st)
}

// takesAny notes what may be named in words, however they are put together.
func (j *judge) takesAny(words []grammar.Word, st *state) {
	for _, w := range words {
		j.takes(w, st)
		text := knownText(w)
		for piece := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\n;|&<>()[]{}'\"`=@,:+", r) }) {
			j.takesText(piece, st)
		}
		if len(text) > 2 && text[0] == '-' && text[1] != '-' {
			j.takesText(text[2:], st) // -fdeploy.yml
		}
	}
}

// takesBy notes what a program takes by its table.
func (j *judge) takesBy(m *grammar.Match, st *state) {
	if j.file == nil {
		return
	}
	if m.Loose || len(m.Refused) > 0 || m.Class == grammar.Ask || m.Class == grammar.Deny {
		j.takesAny(m.Words, st) // the table has not read all there is, or takes text for code
	}
	for _, u := range m.Uses {
		if u.Kind == grammar.Code || u.Kind == grammar.Read {
			j.takes(u.Word, st)
		}
	}
	program, _, _ := strings.Cut(m.Rule, ".")
	j.takesObeyed(program, j.folders(m, st))
}

// takesObeyed notes what a program takes commands from without being told its name.
func (j *judge) takesObeyed(program string, st *state) {
	for _, at := range st.cwd {
		for dir := at.path; !at.below && j.p.within(dir); dir = path.Dir(dir) { // most of them look upwards
			for _, name := range obeyed[program] {
				j.file(path.Join(dir, name))
			}
		}
	}
}

// obeyed are those files, by the programs.
var obeyed = func() map[string][]string {
	all := map[string][]string{}
	for programs, files := range map[string]string{
		"make gmake": "GNUmakefile makefile Makefile", "just": "justfile Justfile .justfile", "rake": "Rakefile rakefile Rakefile.rb rakefile.rb",
		"task":                        "Taskfile.yml taskfile.yml Taskfile.yaml taskfile.yaml Taskfile.dist.yml Taskfile.dist.yaml",
		"npm pnpm yarn yarnpkg bun":   "package.json .npmrc .yarnrc.yml .yarnrc .pnpmfile.cjs pnpm-workspace.yaml bunfig.toml",
		"npx bunx pnpx node turbo nx": "package.json nx.json turbo.json", "deno": "deno.json deno.jsonc package.json",
		"cargo": "Cargo.toml build.rs .cargo/config.toml .cargo/config", "go": "go.mod go.work", "mage": "magefile.go", "ninja": "build.ninja", "meson": "meson.build",
		"gradle gradlew": "build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties", "mvn mvnw": "pom.xml .mvn/extensions.xml .mvn/jvm.config .mvn/maven.config",
		"ant": "build.xml", "sbt": "build.sbt", "cmake ctest": "CMakeLists.txt CMakePresets.json CMakeUserPresets.json", "composer": "composer.json", "mix": "mix.exs",
		"bundle": "Gemfile", "rails": "Gemfile Rakefile config/application.rb", "dotnet": "Directory.Build.props Directory.Build.targets",
		"tox": "tox.ini pyproject.toml setup.cfg", "nox": "noxfile.py", "invoke inv": "tasks.py", "fab": "fabfile.py", "pytest": "conftest.py pytest.ini pyproject.toml tox.ini setup.cfg",
		"python python3 uv poetry pdm hatch": "pyproject.toml setup.py setup.cfg", "docker docker-compose podman": "compose.yaml compose.yml docker-compose.yaml docker-compose.yml Dockerfile",
	} {
		for _, p := range strings.Fields(programs) {
			all[p] = strings.Fields(files)
		}
	}
	return all
}()
