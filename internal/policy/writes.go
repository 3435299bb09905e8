package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// writes are the files and links that this script has made so far.
type writes struct {
	root  string
	files []made
	fresh map[string]bool // files that are new from end to end
	links []string        // relative to root when inside it
	own   span            // the files that the redirects of the current command wrote
}

// made is a file that this script has written, as an absolute path. With all, files below it may be written too.
type made struct {
	path string
	all  bool
}

// span is a part of the files: from start up to, not including, end.
type span struct{ start, end int }

// add records a file that the script has written. With all, files below it may have been written too.
func (s *writes) add(w grammar.Word, st *state, all bool) {
	places := st.resolve(w)
	if places == nil {
		places = []place{{path: s.root, below: true}}
	}
	for _, p := range places {
		if m := (made{p.path, all || p.below}); !slices.Contains(s.files, m) {
			s.files = append(s.files, m)
		}
	}
}

// addFresh records a file whose whole content comes from this script.
func (s *writes) addFresh(w grammar.Word, st *state) {
	for _, p := range st.resolve(w) {
		if s.fresh == nil {
			s.fresh = map[string]bool{}
		}
		s.fresh[p.path] = true
	}
}

// addLink records a link that the script has made.
func (s *writes) addLink(w grammar.Word, st *state) {
	for _, p := range st.resolve(w) {
		if rel, ok := strings.CutPrefix(p.path, s.root+"/"); ok {
			s.links = append(s.links, rel)
		} else {
			s.links = append(s.links, p.path)
		}
	}
}

// resetOwn begins a command that has written nothing by its redirects. It returns the span before, for restoreOwn.
func (s *writes) resetOwn() (before span) {
	before, s.own = s.own, span{}
	return before
}

func (s *writes) restoreOwn(before span) { s.own = before }

// ownSince records that the redirects of the current command have written all files except the first n.
func (s *writes) ownSince(n int) { s.own = span{n, len(s.files)} }

func (s *writes) count() int { return len(s.files) }

// mayHold reports whether a file that the word may name was written by this script.
func (s *writes) mayHold(w grammar.Word, st *state) bool {
	if len(s.files) == 0 {
		return false
	}
	for _, p := range st.resolve(w) {
		for _, m := range s.files {
			if p.path == m.path || m.all && inside(p.path, m.path) ||
				p.below && inside(m.path, p.path) && mayName(w, strings.TrimPrefix(m.path, s.root+"/")) {
				return true
			}
		}
	}
	return false
}

// mayName reports whether a word with unknown pieces may be the name of a file. Only a plain pattern excludes some.
func mayName(w grammar.Word, rel string) bool {
	if len(w.Parts) != 1 || w.Parts[0].Source != grammar.Tree || w.Parts[0].Text == "" {
		return true
	}
	pattern := strings.TrimPrefix(w.Parts[0].Text, "./")
	if strings.Contains(pattern, "**") || strings.HasPrefix(pattern, "/") {
		return true
	}
	if !strings.Contains(pattern, "/") {
		rel = path.Base(rel) // the folder it is looked at from may be another one
	}
	ok, err := path.Match(pattern, rel)
	return ok || err != nil
}

// manifestBelow returns the name of a manifest that the script has written inside a folder.
func (s *writes) manifestBelow(folder place) (string, bool) {
	for _, m := range s.files {
		if name := path.Base(m.path); folder.path != m.path && inside(m.path, folder.path) && !folder.below && manifest(name) {
			return name, true
		}
	}
	return "", false
}

// obeyedBy returns the name of a file that the script has written and that a program which runs the project's code obeys.
func (s *writes) obeyedBy(rule string) (string, bool) {
	for i, f := range s.files {
		name, own := path.Base(f.path), i >= s.own.start && i < s.own.end
		compiled := (rule == "go.generate" || rule == "go.run") && strings.HasSuffix(name, ".go") ||
			rule == "cargo.run" && strings.HasSuffix(name, ".rs")
		found := testFile.MatchString(name) && s.fresh[f.path]
		if manifest(name) || !own && (compiled || found) || f.all && inside(s.root, f.path) {
			return name, true
		}
	}
	return "", false
}

// isLink reports whether a path is a link that this script has made.
func (s *writes) isLink(path string) bool {
	return slices.ContainsFunc(s.links, func(l string) bool { return path == l || path == s.root+"/"+l })
}

// belowLink returns the link of this script that a path goes through.
func (s *writes) belowLink(rel string, slash bool) (string, bool) {
	for _, l := range s.links {
		if rel != l && inside(rel, l) || rel == l && slash {
			return l, true
		}
	}
	return "", false
}
