// Package toolchain tells from the files of a repository which tool chains it uses, and with which commands it is set up and
// checked. What it says is a guess for a person to look at. It reads through the file system that it is given, runs nothing,
// and knows nothing of what agents may run.
package toolchain

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Chain is one tool chain of a repository.
type Chain struct {
	Name  string   // "go"; the same as a profile of the policy where there is one
	File  string   // what told of it, such as "go.mod"
	Setup []string // commands in their order, each without the others of use
	Check []string
	Makes string // folder that the commands fill and that should not be committed; "" for none
}

// Found is what a repository looks like.
type Found struct {
	Runner Chain   // the project's own targets, such as those of a Makefile; they check everything. No name when there is none
	Chains []Chain // in the order in which they are set up
	Specs  string  // folder with specifications, "" for none
}

// most is how many bytes of a file are looked at.
const most = 1 << 20

// files is the repository. What can't be read is not there.
type files struct{ fs fs.FS }

// first gives the first of the names that is a file, or "".
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

// glob gives the first file at the top whose name has one of the endings.
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

// text gives the beginning of a file, "" when it is not there.
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

// mentions tells whether one of the files names a word.
func (f files) mentions(word string, names ...string) bool {
	return strings.Contains(f.text(names...), word)
}

// table says which files tell of which tool chain. What stands first is set up and checked first.
var table = []struct {
	name  string
	files []string // any of them
	read  func(f files, file string) Chain
}{
	{"go", []string{"go.mod", "go.work"}, golang},
	{"rust", []string{"Cargo.toml"}, rust},
	{"node", []string{"package.json"}, node},
	{"deno", []string{"deno.json", "deno.jsonc"}, deno},
	{"python", []string{"uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "pyproject.toml", "requirements.txt", "setup.py", "tox.ini"}, python},
	{"ruby", []string{"Gemfile"}, ruby},
	{"php", []string{"composer.json"}, php},
	{"elixir", []string{"mix.exs"}, elixir},
	{"jvm", []string{"gradlew", "build.gradle", "build.gradle.kts", "mvnw", "pom.xml"}, jvm},
	{"cpp", []string{"CMakeLists.txt"}, cmake},
}

// Detect looks at the top of a repository, and where that tells nothing at the folders in it. It never fails: what can't be read tells
// nothing.
func Detect(fsys fs.FS) Found {
	found := detect(fsys)
	if found.Runner.Name != "" || len(found.Chains) > 0 {
		return found
	}
	for _, folder := range (files{fsys}).projects() {
		below, err := fs.Sub(fsys, folder)
		if err != nil {
			continue
		}
		inside := detect(below)
		if inside.Runner.Name != "" { // it checks everything in its folder
			found.Chains = append(found.Chains, inside.Runner.in(folder))
			continue
		}
		for _, c := range inside.Chains {
			found.Chains = append(found.Chains, c.in(folder))
		}
	}
	if c := autotools(files{fsys}); len(found.Chains) == 0 && c.Name != "" {
		found.Chains = []Chain{c}
	}
	return found
}

// detect looks at the top of a folder.
func detect(fsys fs.FS) Found {
	f := files{fsys}
	found := Found{Runner: runner(f), Specs: specs(f)}
	add := func(name, file string, c Chain) {
		c.Name = name
		if c.File == "" {
			c.File = file
		}
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
