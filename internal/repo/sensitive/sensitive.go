// Package sensitive tells which changes of files deserve a second look, by what the files are for: what starts by itself (CI, hooks,
// settings of agents and editors, install scripts), what decides where code comes from (lock files, registries, submodules), what leads
// out of the repository, what can't be read, and what takes protection away (owners, settings, tests). It is pure: whoever calls it reads
// the files and acts on what is found. It may import only task.
//
// Left out on purpose is what runs only when somebody runs it, as all code does: Makefiles, build.gradle, conftest.py, Dockerfiles. A line
// for each of them would hide the others.
package sensitive

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/longshift/longshift/task"
)

// Modes of files, as git writes them.
const (
	executable = "100755"
	link       = "120000"
	submodule  = "160000"
)

// Change is one changed file.
type Change struct {
	Path, OldPath    string // the same unless it was renamed
	OldMode, NewMode string // as git writes them; empty where there is no such file
	OldID, NewID     string // of the content
	Old, New         []byte // the content or its beginning; the target of a link; nothing of a submodule
	Cut              bool   // it is the beginning
}

// Inspect gives what deserves a second look in one change, without what the operator wants done about it.
func Inspect(c Change) []task.Finding {
	i := &inspection{Change: c, old: fold(c.OldPath), new: fold(c.Path)}
	for _, look := range []func(){i.names, i.modes, i.lines, i.packages, i.spelling, i.tests} {
		look()
	}
	return i.found
}

// inspection is one look at a change.
type inspection struct {
	Change
	old, new string // the paths as the most careless file system would read them
	found    []task.Finding
}

func (i *inspection) there() bool   { return i.NewMode != "" }
func (i *inspection) was() bool     { return i.OldMode != "" }
func (i *inspection) renamed() bool { return i.was() && i.there() && i.OldPath != i.Path }

// text tells whether the file is one with lines, now.
func (i *inspection) text() bool {
	return i.there() && i.NewMode != link && i.NewMode != submodule && !binary(i.New)
}

// add notes a finding about the file.
func (i *inspection) add(k Kind, format string, args ...any) { i.addAt(k, i.Path, format, args...) }

func (i *inspection) addAt(k Kind, path, format string, args ...any) {
	sum := sha256.New()
	for _, part := range []string{string(k), path, i.OldPath, i.NewMode, i.NewID} {
		fmt.Fprintf(sum, "%d:%s,", len(part), part)
	}
	i.found = append(i.found, task.Finding{ID: hex.EncodeToString(sum.Sum(nil))[:32], Kind: string(k), Path: shown(path, mostPath),
		What: shown(fmt.Sprintf(format, args...), mostWhat)})
}

// how says what became of the file.
func (i *inspection) how() string {
	switch {
	case !i.was():
		return "new"
	case !i.there():
		return "removed"
	case i.renamed():
		return "renamed from " + i.OldPath
	}
	return "changed"
}

// modes looks at what a file is, apart from its content: a link, a program, a submodule, something that can't be read.
func (i *inspection) modes() {
	if i.OldMode == submodule && i.NewMode != submodule {
		i.addAt(Submodules, i.OldPath, "removed")
	}
	switch {
	case i.NewMode == submodule:
		i.add(Submodules, "%s, at %.10s", i.how(), i.NewID)
		return
	case i.NewMode == link:
		if why := leadsOut(i.Path, string(i.New)); why != "" {
			i.add(Links, "leads to %s, %s", i.New, why)
		}
		return
	case !i.there():
		return
	}
	if i.NewMode == executable && i.OldMode != executable {
		i.add(Executables, "may be run as a program now")
	}
	if binary(i.New) {
		i.add(Binaries, "%s, with content that is no text", i.how())
	}
}
