package task

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// MaxDeliverables is the maximum number of deliverables of a plan.
const MaxDeliverables = 50

// Limits of a plan, in bytes and items. A task's history contains its plan several times, so it must be small.
const (
	maxSummary     = 4 << 10
	maxApproach    = 12 << 10
	maxEvidence    = 8 << 10
	maxDescription = 1 << 10
	maxCriterion   = 400
	maxCriteria    = 12
	maxFiles       = 100
	maxFile        = 300
	maxRisks       = 20
	maxPlan        = 64 << 10
)

var (
	deliverableID = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,19}-[0-9]{3,6}$`)
	looseID       = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_]{0,19})-0*([0-9]{1,6})$`)
)

// Tidy returns the plan in normal form: only visible characters, lines joined, long fields cut with a mark, ids in the form {TYPE}-{NNN},
// missing ids assigned (TASK-001, ...), every deliverable pending. It never shares memory with the original.
func (p Plan) Tidy() Plan {
	p.Verdict = cmp.Or(p.Verdict, VerdictWork)
	p.Summary = cut(strings.TrimSpace(Visible(p.Summary)), maxSummary)
	p.Approach = cut(strings.TrimSpace(Visible(p.Approach)), maxApproach)
	p.Evidence = cut(strings.TrimSpace(Visible(p.Evidence)), maxEvidence)
	p.Files = tidyList(p.Files, maxFiles, maxFile)
	p.Risks = tidyList(p.Risks, maxRisks, maxCriterion)
	p.Lines = min(max(p.Lines, 0), maxLines)
	p.Split = tidyList(p.Split, maxSplit, maxCriterion)
	p.Deprecated = tidyList(p.Deprecated, MaxDeliverables, maxCriterion)
	for i, text := range p.Deprecated {
		id, what, _ := strings.Cut(text, ":")
		if p.Deprecated[i] = tidyID(id); strings.TrimSpace(what) != "" {
			p.Deprecated[i] += ": " + strings.TrimSpace(what)
		}
	}
	all := make([]Deliverable, 0, len(p.Deliverables))
	for _, d := range p.Deliverables {
		all = append(all, Deliverable{ID: tidyID(d.ID), Description: cut(excerpt.OneLine(Visible(d.Description)), maxDescription),
			Acceptance: tidyList(d.Acceptance, maxCriteria, maxCriterion), Status: Pending, Proof: strings.TrimSpace(Visible(d.Proof))})
	}
	next := highest("TASK", all)
	for i := range all {
		if all[i].ID == "" {
			next++
			all[i].ID = numbered("TASK", next)
		}
	}
	p.Deliverables = all
	return p
}

// tidyID normalizes an id: feat-1 becomes FEAT-001. An invalid id is returned unchanged and rejected by Validate.
func tidyID(id string) string {
	id = strings.Trim(excerpt.OneLine(id), "[]*`: ")
	if m := looseID.FindStringSubmatch(id); m != nil {
		n, _ := strconv.Atoi(m[2]) // no error: at most six digits
		return numbered(strings.ToUpper(m[1]), n)
	}
	return id
}

// IsDeliverableID reports whether an id has the form {TYPE}-{NNN}.
func IsDeliverableID(id string) bool { return deliverableID.MatchString(id) }

func numbered(kind string, n int) string { return fmt.Sprintf("%s-%03d", kind, n) }

// highest returns the highest number among the ids of a type.
func highest(kind string, lists ...[]Deliverable) (n int) {
	for _, list := range lists {
		for _, d := range list {
			if m := looseID.FindStringSubmatch(d.ID); m != nil && m[1] == kind {
				i, _ := strconv.Atoi(m[2])
				n = max(n, i)
			}
		}
	}
	return n
}

func tidyList(list []string, most, length int) (tidy []string) {
	for _, s := range list {
		if s = cut(excerpt.OneLine(Visible(s)), length); s != "" {
			tidy = append(tidy, s)
		}
	}
	if len(tidy) > most {
		left := len(tidy) - most + 1
		tidy = append(tidy[:most-1:most-1], "[cut: "+strconv.Itoa(left)+" more]")
	}
	return tidy
}

// Validate checks a plan that an agent has made. The error lists all mistakes.
func (p Plan) Validate() error {
	var all []mistake
	bad := func(field, what, way string) { all = append(all, mistake{field: field, what: what, way: way}) }
	if p.Summary == "" {
		bad("summary", "is missing", "say in one or two sentences what will be different")
	}
	switch p.Verdict {
	case "", VerdictWork:
		if len(p.Deliverables)+len(p.Deprecated) == 0 {
			bad("deliverables", "is empty", "name at least one deliverable, or answer already_done or declined")
		}
	case VerdictAlreadyDone, VerdictDeclined:
		if p.Evidence == "" {
			bad("evidence", "is missing", "say how you know")
		}
		if len(p.Deliverables) > 0 {
			bad("deliverables", fmt.Sprintf("has %d items, but the verdict is %s", len(p.Deliverables), p.Verdict), "give none, or the verdict work")
		}
	default:
		bad("verdict", "is "+quote(string(p.Verdict)), "use work, already_done or declined")
	}
	if n := len(p.Deliverables); n > MaxDeliverables {
		bad("deliverables", "has "+strconv.Itoa(n)+" items", "give at most "+strconv.Itoa(MaxDeliverables))
	}
	for _, id := range p.DeprecatedIDs() {
		if !IsDeliverableID(id) {
			bad("deprecated", "has "+quote(id), "give the id of a deliverable that is recorded, such as FEAT-001")
		}
	}
	for i, d := range p.Deliverables[:min(len(p.Deliverables), MaxDeliverables)] {
		d.check(func(what, way string) { bad("deliverables["+strconv.Itoa(i)+"]", what, way) }, p.Deliverables[:i])
	}
	if n := p.size(); n > maxPlan {
		bad("", "has "+strconv.Itoa(n)+" bytes", "give at most "+strconv.Itoa(maxPlan))
	}
	return asError(fault.Work, "plan", all)
}

func (d Deliverable) check(bad func(what, way string), before []Deliverable) {
	if !IsDeliverableID(d.ID) {
		bad("has the id "+quote(d.ID), "use {TYPE}-{NNN}, such as FEAT-001")
	}
	for _, b := range before {
		if b.ID == d.ID {
			bad("has the id "+quote(d.ID)+", which is taken", "give each deliverable its own number")
			break
		}
	}
	if d.Description == "" {
		bad("has no description", "say what will be there when it is done")
	}
	if strings.ContainsAny(d.Proof, "`\n") {
		bad("has the proof "+quote(d.Proof), "give one line without backticks; write $(...) for them")
	}
	if len(d.Proof) > maxCriterion {
		bad("has a proof of "+strconv.Itoa(len(d.Proof))+" bytes", "give at most "+strconv.Itoa(maxCriterion))
	}
	if len(d.Description) > maxDescription+len(cutMark) {
		bad("has a description of "+strconv.Itoa(len(d.Description))+" bytes", "give at most "+strconv.Itoa(maxDescription))
	}
}

// size is the approximate size of the plan as JSON.
func (p Plan) size() int {
	n := len(p.Summary) + len(p.Approach) + len(p.Evidence)
	for _, list := range [][]string{p.Files, p.Risks, p.Split, p.Deprecated} {
		for _, s := range list {
			n += len(s) + 3
		}
	}
	for _, d := range p.Deliverables {
		n += len(d.ID) + len(d.Description) + len(d.Proof) + 60
		for _, s := range d.Acceptance {
			n += len(s) + 3
		}
	}
	return n
}

const cutMark = " [cut]"

// cut shortens s to n bytes and marks the cut.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.TrimRight(excerpt.Cut(s, n), " \n") + cutMark
}
