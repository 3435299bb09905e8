// Package toolchain detects from a repository's files which tool chains it uses, and the commands that set it up and check it. The result
// is a guess for a person to review. It reads through the given file system, runs nothing, and does not know what agents may run.
package toolchain

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Chain is one tool chain of a repository.
type Chain struct {
	Name  string   // such as "go"; the name of the policy's profile if there is one
	File  string   // file that it was detected by, such as "go.mod"
	Setup []string // commands in order; each also works without the others
	Check []string
	Makes string // folder that the commands create and that should not be committed; "" for none

	Notes []string // what a person should know who takes over the commands

	Runner string // the program of its folder's own task runner, which makes up Check; "" for none

	inside string // what other commands are run with in the environment that Setup makes: activate, or a prefix; "" for nothing
}

type Found struct {
	Runner Chain    // the project's own task runner, such as a Makefile, which checks everything; no name when there is none
	Chains []Chain  // in setup order, at most Most
	Left   []string // the names of those that are too many
	Specs  string   // folder with specifications, "" for none
}

// Most is how many tool chains are found, for one command is made of those of all.
const Most = 3

// most is how many bytes of a file are read.
const most = 1 << 20

// files is the repository. Unreadable files count as missing.
type files struct{ fs fs.FS }

// first returns the first of the names that is a file, or "".
func (f files) first(names ...string) string {
	for _, name := range names {
		if info, err := fs.Stat(f.fs, name); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return ""
}

func (f files) has(names ...string) bool { return f.first(names...) != "" }

func (f files) folder(name string) bool {
	info, err := fs.Stat(f.fs, name)
	return err == nil && info.IsDir()
}

// glob returns the first file at the top with one of the extensions.
func (f files) glob(endings ...string) string {
	entries, err := fs.ReadDir(f.fs, ".")
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if e.Type().IsRegular() && slices.Contains(endings, path.Ext(e.Name())) {
			return e.Name()
		}
	}
	return ""
}

// text returns the beginning of the first file that exists, or "".
func (f files) text(names ...string) string {
	var all strings.Builder
	for _, name := range names {
		file, err := f.fs.Open(name)
		if err != nil {
			continue
		}
		data, err := io.ReadAll(io.LimitReader(file, most))
		if err = errors.Join(err, file.Close()); err == nil {
			all.Write(data)
			all.WriteByte('\n')
		}
	}
	return all.String()
}

// mentions reports whether one of the files contains a word.
func (f files) mentions(word string, names ...string) bool {
	return strings.Contains(f.text(names...), word)
}

// table maps files to tool chains. Earlier ones are set up and checked first.
var table = []struct {
	name  string
	files []string // any of them
	read  func(f files, file string) Chain
}{
	{"go", []string{"go.mod", "go.work"}, golang},
	{"rust", []string{"Cargo.toml"}, rust},
	{"node", []string{"package.json"}, node},
	{"deno", []string{"deno.json", "deno.jsonc"}, deno},
	{"python", []string{"uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "pyproject.toml", "requirements.txt", "setup.py", "tox.ini"},
		python},
	{"ruby", []string{"Gemfile"}, ruby},
	{"php", []string{"composer.json"}, php},
	{"elixir", []string{"mix.exs"}, elixir},
	{"jvm", []string{"gradlew", "build.gradle", "build.gradle.kts", "mvnw", "pom.xml"}, jvm},
	{"cpp", []string{"CMakeLists.txt"}, cmake},
}

// Detect examines the top of a repository and, if it finds nothing there, the folders in it. It never fails: unreadable files are
// skipped.
func Detect(fsys fs.FS) Found {
	found := detect(fsys).first(Most)
	if found.Runner.Name != "" || len(found.Chains) > 0 {
		return found
	}
	for _, folder := range (files{fsys}).projects() {
		below, err := fs.Sub(fsys, folder)
		if err != nil {
			continue
		}
		inside := detect(below).checkedByRunner(Most - len(found.Chains))
		for _, c := range inside.Chains {
			found.Chains = append(found.Chains, c.in(folder))
		}
		for _, name := range inside.Left {
			found.Left = append(found.Left, name+" in "+folder)
		}
	}
	if c := autotools(files{fsys}); len(found.Chains) == 0 && c.Name != "" {
		found.Chains = []Chain{c}
	}
	return found
}

// detect examines the top of a folder.
func detect(fsys fs.FS) Found {
	f := files{fsys}
	found := Found{Runner: runner(f), Specs: specs(f)}
	add := func(name, file string, c Chain) {
		c.Name = name
		c.File = cmp.Or(c.File, file)
		if len(c.Setup)+len(c.Check) > 0 {
			found.Chains = append(found.Chains, c)
		}
	}
	for _, t := range table {
		if file := f.first(t.files...); file != "" {
			add(t.name, file, t.read(f, file))
		}
	}
	if file := f.glob(".sln", ".slnx", ".csproj", ".fsproj", ".vbproj"); file != "" {
		add("dotnet", file, Chain{Setup: []string{"dotnet restore"}, Check: []string{"dotnet test --no-restore"}, Makes: "obj"})
	}
	return found
}

func specs(f files) string {
	for _, name := range []string{"specs", ".specs", "docs/specs"} {
		if f.folder(name) {
			return name
		}
	}
	return ""
}
