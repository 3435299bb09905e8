package task

import (
	"path"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// Next returns the first pending deliverable.
func (p Plan) Next() (Deliverable, bool) {
	for _, d := range p.Deliverables {
		if d.Status == Pending || d.Status == "" {
			return d, true
		}
	}
	return Deliverable{}, false
}

func (p Plan) Find(id string) (Deliverable, bool) {
	for _, d := range p.Deliverables {
		if d.ID == id {
			return d, true
		}
	}
	return Deliverable{}, false
}

// WithStatus returns a copy of the plan with a new status for one deliverable. Only blocked ones keep a reason.
func (p Plan) WithStatus(id string, s Status, reason string) (Plan, error) {
	if s != Pending && s != Passed && s != Blocked {
		return p, fault.New(fault.Input, "status is %s", quote(string(s))).WithHint("use pending, passed or blocked")
	}
	all := slices.Clone(p.Deliverables)
	for i := range all {
		if all[i].ID != id {
			continue
		}
		all[i].Status, all[i].Reason, all[i].Proved = s, "", nil
		if s == Blocked {
			all[i].Reason = cut(excerpt.OneLine(reason), maxDescription)
		}
		p.Deliverables = all
		return p, nil
	}
	return p, fault.New(fault.Input, "deliverable %s is not in the plan", quote(id)).
		WithHint("use an id of the plan's revision %d", p.Revision)
}

// WithProved returns a copy of the plan in which the proof of one deliverable has passed.
func (p Plan) WithProved(id string, proved Proved) Plan {
	p.Deliverables = slices.Clone(p.Deliverables)
	for i := range p.Deliverables {
		if p.Deliverables[i].ID == id {
			p.Deliverables[i].Proved = &proved
		}
	}
	return p
}

// Beside returns a copy of the plan in which no deliverable has one of the ids that are taken by others: it gets the next free number.
func (p Plan) Beside(taken []string) Plan {
	others := make([]Deliverable, len(taken))
	for i, id := range taken {
		others[i].ID = id
	}
	p.Deliverables = slices.Clone(p.Deliverables)
	for i, d := range p.Deliverables {
		if slices.Contains(taken, d.ID) {
			kind := typeOf(d.ID)
			p.Deliverables[i].ID = numbered(kind, highest(kind, others, p.Deliverables)+1)
		}
	}
	return p
}

// DeprecatedIDs returns the ids of Deprecated.
func (p Plan) DeprecatedIDs() (ids []string) {
	for _, text := range p.Deprecated {
		id, _, _ := strings.Cut(text, ":")
		ids = append(ids, strings.TrimSpace(id))
	}
	return ids
}

// WithoutSpec returns a copy of the plan without what belongs to a specification: proofs, and what it deprecates.
func (p Plan) WithoutSpec() Plan {
	p.Deprecated = nil
	p.Deliverables = slices.Clone(p.Deliverables)
	for i := range p.Deliverables {
		p.Deliverables[i].Proof = ""
	}
	return p
}

func (p Plan) Counts() (passed, blocked, pending int) {
	for _, d := range p.Deliverables {
		switch d.Status {
		case Passed:
			passed++
		case Blocked:
			blocked++
		default:
			pending++
		}
	}
	return passed, blocked, pending
}

func (p Plan) AllBlocked() bool {
	passed, blocked, pending := p.Counts()
	return blocked > 0 && passed == 0 && pending == 0
}

// Merge returns the plan that replaces old when next was made after an edit or a review. It gets the next revision.
//
//   - Passed deliverables stay in the plan, first and in their order, so that people see everything that was done.
//   - An identical deliverable keeps its status if it has passed. If it was blocked, it is tried again.
//   - A deliverable with the same description and other criteria, or another proof, is open again.
//   - An id never changes its meaning: if next uses the id of a passed deliverable for something else, that gets a new number.
//   - Unfinished deliverables that next does not contain are dropped; see Keeping.
//   - While something has passed, the files of old stay named too: the change of the task still holds them.
//
// If more than MaxDeliverables would be left, the oldest passed ones are dropped. A new number is none of the ids in taken either.
func Merge(old, next Plan, taken ...string) Plan {
	var others []Deliverable
	for _, id := range taken {
		others = append(others, Deliverable{ID: id})
	}
	next.Revision = old.Revision + 1
	var done, todo []Deliverable
	same := make([]bool, len(next.Deliverables))
	for _, was := range old.Deliverables {
		if was.Status != Passed {
			continue
		}
		i := slices.IndexFunc(next.Deliverables, func(d Deliverable) bool { return d.ID == was.ID && d.Description == was.Description })
		switch {
		case i >= 0 && slices.Equal(next.Deliverables[i].Acceptance, was.Acceptance) && next.Deliverables[i].Proof == was.Proof:
			same[i] = true // it keeps its status and its place
			done = append(done, was)
		case i < 0:
			done = append(done, was)
		}
	}
	for i, d := range next.Deliverables {
		if same[i] {
			continue
		}
		d.Status, d.Reason = Pending, ""
		if slices.ContainsFunc(done, func(was Deliverable) bool { return was.ID == d.ID }) {
			kind := typeOf(d.ID)
			d.ID = numbered(kind, highest(kind, old.Deliverables, next.Deliverables, todo, others)+1)
		}
		todo = append(todo, d)
	}
	if extra := len(done) + len(todo) - MaxDeliverables; extra > 0 {
		done = done[min(extra, len(done)):]
	}
	next.Deliverables = append(slices.Clip(done), todo...)
	if len(done) > 0 {
		added := slices.DeleteFunc(slices.Clone(next.Files), func(f string) bool { return slices.Contains(old.Files, f) })
		next.Files = slices.Concat(old.Files, added)
		next.Files = next.Files[:min(len(next.Files), maxFiles)]
	}
	return next
}

// Keeping returns p, made after a review of old, with what a planner need not say again: deliverables of old that are blocked, and those that it
// deprecates, unless the review speaks of them or p takes them up again.
func (p Plan) Keeping(old Plan, review string) Plan {
	kept := p
	for _, was := range old.Deliverables {
		if was.Status == Blocked && !slices.ContainsFunc(kept.Deliverables, was.same) && len(kept.Deliverables) < MaxDeliverables {
			kept.Deliverables = append(slices.Clip(kept.Deliverables), was)
		}
	}
	ids := p.DeprecatedIDs()
	for i, id := range old.DeprecatedIDs() {
		if _, wanted := p.Find(id); !wanted && !slices.Contains(ids, id) && !strings.Contains(review, id) {
			kept.Deprecated = append(slices.Clip(kept.Deprecated), old.Deprecated[i])
		}
	}
	return kept
}

// LeftOut returns those of all that have not passed and that p neither names, by their id or their description, nor deprecates.
func (p Plan) LeftOut(all []Deliverable) (left []Deliverable) {
	dropped := p.DeprecatedIDs()
	for _, d := range all {
		if d.Status != Passed && !slices.Contains(dropped, d.ID) && !slices.ContainsFunc(p.Deliverables, d.same) {
			left = append(left, d)
		}
	}
	return left
}

// same tells whether d is meant, whatever is to be done about it now.
func (d Deliverable) same(other Deliverable) bool {
	return d.ID == other.ID || d.Description == other.Description
}

// Opened returns the files that the plan opens. Without a plan there are none.
func (p *Plan) Opened() []string {
	if p == nil {
		return nil
	}
	return p.Opens
}

// NamedFiles returns the paths of Files, which agents also write as "a.go: why".
func (p Plan) NamedFiles() (names []string) {
	for _, f := range p.Files {
		for _, name := range []string{f, pathOf(f)} {
			if name = path.Clean(strings.TrimPrefix(name, "/")); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// typeOf returns the TYPE of an id {TYPE}-{NNN}.
func typeOf(id string) string {
	if m := looseID.FindStringSubmatch(id); m != nil {
		return m[1]
	}
	return "TASK"
}
