package workspace

import (
	"slices"

	"github.com/longshift/longshift/task"
)

func (s *state) save() error { return s.at.writeState(*s) }

// home is where the task's branch and refs are.
func (s *state) home() task.Repository {
	if s.Fork != nil {
		return *s.Fork
	}
	return s.Repository
}

func (s *state) empty() bool { return s.Record.Base == "" }

func (s *state) branchRef() string { return "refs/heads/" + s.Record.Branch }

// emptyTree is the name of the tree with nothing in it.
func (s *state) emptyTree() string { return emptyTree(s.Format) }

func emptyTree(format string) string {
	if format == "sha256" {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

// or gives the commit, or the empty tree in its place.
func (s *state) or(commit string) string {
	if commit == "" {
		return s.emptyTree()
	}
	return commit
}

// under is the tree that the work tree is compared with: what a waiting merge has made, else the last commit's.
func (s *state) under(head string) string {
	if s.Merging != nil {
		return s.Merging.Tree
	}
	return s.or(head)
}

// addMerged remembers a tip. It may be remembered before its merge stands: that makes no difference.
func (s *state) addMerged(base string) {
	if list := s.Record.Merged; !slices.Contains(list, base) {
		s.Record.Merged = slices.Concat(list, []string{base})
	}
}

// isMerge tells whether a commit with these parents merges the base branch.
func (s *state) isMerge(parents []string) bool {
	return len(parents) == 2 && slices.Contains(s.Record.Merged, parents[1])
}
