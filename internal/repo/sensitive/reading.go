package sensitive

import (
	"cmp"
	"slices"

	"github.com/longshift/longshift/task"
)

// Limits of a reading list, which becomes part of histories and of the pull request.
const (
	mostRead    = 7 // files to read
	mostRoutine = 5 // files that programs write
	large       = 100
)

// ReadingList returns the changed files that people should read first: those with findings, then by purpose, then by size. Files that
// programs write come last; written is how many of all lines are theirs. Each file's Why must be its Purpose. Long lists are cut.
func ReadingList(files []task.ChangedFile, found []task.Finding) (list []task.ChangedFile, written int) {
	serious := map[string]int{} // by path: place among the findings
	for n, f := range found {
		if _, seen := serious[f.Path]; !seen && f.Kind != string(Locks) {
			serious[f.Path] = n
		}
	}
	rank := func(f task.ChangedFile) int {
		if n, ok := serious[f.Path]; ok {
			return n - len(found)
		}
		return slices.Index(weight, f.Why)
	}
	var read, routine []task.ChangedFile
	for _, f := range files {
		f.Path = shown(f.Path, mostPath)
		f.Routine = rank(f) >= slices.Index(weight, vendored)
		if f.Routine {
			routine, written = append(routine, f), written+f.Lines()
		} else {
			read = append(read, f)
		}
	}
	order := func(a, b task.ChangedFile) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.Lines(), a.Lines()), cmp.Compare(a.Path, b.Path))
	}
	slices.SortFunc(read, order)
	slices.SortFunc(routine, order)
	read, routine = read[:min(len(read), mostRead)], routine[:min(len(routine), mostRoutine)]
	for n := range read {
		if read[n].Why == code && read[n].Lines() >= large {
			read[n].Why = "size"
		}
	}
	return append(read, routine...), written
}
