// Package sensitive finds changes that deserve a second look, by the purpose of the changed files: what runs automatically (CI, hooks,
// settings of agents and editors, install scripts), what decides where code comes from (lock files, registries, submodules), what leads
// out of the repository, what can't be reviewed, and what removes protection (owners, settings, tests). It is pure: its caller reads the
// files and acts on the findings. It may import only task and excerpt.
//
// Files that run only when somebody runs them, like all code, are left out on purpose: Makefiles, build.gradle, conftest.py, Dockerfiles.
// A finding for each of them would hide the others. ReadingList puts all changed files into the order in which people should read them.
package sensitive

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/longshift/longshift/task"
)

// File modes of git.
const (
	executable = "100755"
	link       = "120000"
	submodule  = "160000"
)

type Change struct {
	Path, OldPath    string // equal unless the file was renamed
	OldMode, NewMode string // git file modes; empty where the file does not exist
	OldID, NewID     string // blob ids
	Old, New         []byte // the content or its beginning; the target of a link; empty for a submodule
	Cut              bool   // New and Old are only the beginning
}

// Inspect returns the findings for one change. Rules.Apply adds the actions that the operator wants.
func Inspect(c Change) []task.Finding {
	i := &inspection{Change: c, old: fold(c.OldPath), new: fold(c.Path)}
	for _, look := range []func(){i.names, i.modes, i.lines, i.packages, i.spelling, i.tests, i.underTest, i.expectations, i.copies, i.runners} {
		look()
	}
	return i.found
}

// inspection checks one change.
type inspection struct {
	Change
	old, new string // the paths in the form of fold
	found    []task.Finding
}

func (i *inspection) there() bool   { return i.NewMode != "" }
func (i *inspection) was() bool     { return i.OldMode != "" }
func (i *inspection) renamed() bool { return i.was() && i.there() && i.OldPath != i.Path }

// text reports whether the new content is text.
func (i *inspection) text() bool {
	return i.there() && i.NewMode != link && i.NewMode != submodule && !binary(i.New)
}

func (i *inspection) add(k Kind, format string, args ...any) { i.addAt(k, i.Path, format, args...) }

func (i *inspection) addAt(k Kind, path, format string, args ...any) {
	sum := sha256.New()
	for _, part := range []string{string(k), path, i.OldPath, i.NewMode, i.NewID} {
		fmt.Fprintf(sum, "%d:%s,", len(part), part)
	}
	i.found = append(i.found, task.Finding{ID: hex.EncodeToString(sum.Sum(nil))[:32], Kind: string(k), Path: shown(path, mostPath),
		What: shown(fmt.Sprintf(format, args...), mostWhat)})
}

// how describes what happened to the file.
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

// modes checks the type of the file: a link, an executable, a submodule, a binary.
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
