package policy

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// selfWritten judges scripts that run files which they wrote themselves: nobody can review these in between.
type selfWritten struct {
	boxed   bool
	verdict *collector
	writes  *writes
	scanner *scanner
	source  *source
}

// checkCode refuses to run a file that this script has written.
func (r *selfWritten) checkCode(w grammar.Word, st *state) {
	places := st.resolve(w)
	for _, p := range places {
		if r.writes.isLink(p.path) {
			r.verdict.ask("made.run", "%q is a link that this script has made; run it in a later step", part(w.String()))
		}
	}
	if r.boxed {
		r.scan(st)
		return
	}
	if r.writes.mayHold(w, st) {
		r.verdict.ask("made.run",
			"%q is written and run in one go, so nobody can look at it in between; run it in a later step", part(w.String()))
		return
	}
	for _, p := range places { // a folder that is run holds what was written below it
		if name, ok := r.writes.manifestBelow(p); ok {
			r.verdict.ask("made.run", "this command writes %s and obeys it, so nobody can review it in between; run it in a later step", part(name))
		}
	}
}

// checkProject refuses to run code of the repository when the script has written a file that says how.
func (r *selfWritten) checkProject(m *grammar.Match, st *state) {
	if r.boxed {
		r.scan(st)
		return
	}
	if name, ok := r.writes.obeyedBy(m.Rule); ok {
		r.verdict.ask("made.run", "this command writes %s and %s obeys it, so nobody can review it in between; run that in a later step",
			part(name), strings.ReplaceAll(m.Rule, ".", " "))
	}
}

// scan searches the whole script when it has written files: the code that it runs may be among them.
func (r *selfWritten) scan(st *state) {
	if r.writes.count() > 0 {
		r.scanner.check(r.source.asked(), st)
	}
}
