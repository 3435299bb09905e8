package policy

import (
	"path"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// made is a file that this script has written, as an absolute path; all says that more may lie below it.
type made struct {
	path string
	all  bool
}

// resolve gives the folders or files that a word may mean; none when that is not known.
func (j *judge) resolve(w grammar.Word, st *state) []place {
	text, ok := pathText(w)
	if !ok {
		return nil
	}
	if i := strings.IndexAny(text, "*?[\x01"); i >= 0 {
		if leadsUp(text[i:]) {
			return nil
		}
		text = text[:i]
		text = text[:strings.LastIndexByte(text, '/')+1]
		return j.under(text, st, true)
	}
	return j.under(text, st, false)
}

func (j *judge) under(text string, st *state, below bool) []place {
	if strings.HasPrefix(text, "/") {
		return []place{{path: clean(text), below: below}}
	}
	var all []place
	for _, at := range st.cwd {
		p := place{clean(at.path + "/" + text), below || at.below, at.stray}
		if at.below && leadsUp(text) {
			return nil
		}
		if !holdsPlace(all, p) {
			all = append(all, p)
		}
	}
	return all
}

// wrote notes a file that the script has written. With all, files below it may have been written too.
func (j *judge) wrote(w grammar.Word, st *state, all bool) {
	places := j.resolve(w, st)
	if places == nil {
		places = []place{{path: j.p.c.Root, below: true}}
	}
	for _, p := range places {
		m := made{p.path, all || p.below}
		if !holdsMade(j.made, m) {
			j.made = append(j.made, m)
		}
	}
}

func holdsMade(all []made, m made) bool {
	for _, have := range all {
		if have == m {
			return true
		}
	}
	return false
}

// isMade tells whether a file that the word may mean was written by this script.
func (j *judge) isMade(w grammar.Word, st *state) bool {
	if len(j.made) == 0 {
		return false
	}
	for _, p := range j.resolve(w, st) {
		for _, m := range j.made {
			if p.path == m.path || m.all && inside(p.path, m.path) || p.below && inside(m.path, p.path) && mayBe(w, strings.TrimPrefix(m.path, j.p.c.Root+"/")) {
				return true
			}
		}
	}
	return false
}

// mayBe tells whether a word with unknown pieces may be the name of a file. Only a plain pattern says which it can't be.
func mayBe(w grammar.Word, rel string) bool {
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

// notMade refuses to run what the same script has written.
func (j *judge) notMade(w grammar.Word, st *state) {
	for _, p := range j.resolve(w, st) {
		for _, l := range j.links {
			if p.path == l || p.path == j.p.c.Root+"/"+l {
				j.ask("made.run", "%q is a link that this script has made; run it in a later step", part(w.String()))
			}
		}
	}
	if j.p.c.Boxed {
		j.lookedAt(st)
		return
	}
	if j.isMade(w, st) {
		j.ask("made.run", "%q is written and run in one go, so nobody can look at it in between; run it in a later step", part(w.String()))
		return
	}
	// A folder that is run holds what was written below it.
	for _, p := range j.resolve(w, st) {
		for _, m := range j.made {
			if p.path != m.path && inside(m.path, p.path) && !p.below && manifest(path.Base(m.path)) {
				j.ask("made.run", "%s is written and obeyed in one go, so nobody can look at it in between; run it in a later step", part(path.Base(m.path)))
			}
		}
	}
}

// lookedAt looks through a script that writes files and runs code: what it runs may be what it has written.
func (j *judge) lookedAt(st *state) {
	if len(j.made) > 0 {
		j.wired(j.whole, st)
	}
}

// linked notes a link that the script has made.
func (j *judge) linked(w grammar.Word, st *state) {
	for _, p := range j.resolve(w, st) {
		if rel, ok := strings.CutPrefix(p.path, j.p.c.Root+"/"); ok {
			j.links = append(j.links, rel)
		} else {
			j.links = append(j.links, p.path)
		}
	}
}
