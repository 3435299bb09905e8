package forge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/longshift/longshift/task"
)

// look lists what a reader should look at first: what agents have found, every change that deserves a second look, then the other files by
// purpose and size, and last what programs write.
func (s Summary) look(l limits) []string {
	var rows, routine []string
	listed := map[string]bool{}
	for i, f := range s.Findings {
		if i == mostFindings {
			rows = append(rows, more(len(s.Findings)-i))
			break
		}
		rows = append(rows, "- **found** "+phrase(f, 300))
	}
	left := 0
	for _, f := range s.Sensitive {
		switch {
		case f.Path != "" && listed[f.Path], f.Kind == task.LocksFinding:
			continue
		case len(rows) >= l.rows:
			left++
		default:
			listed[f.Path] = true
			rows = append(rows, s.findingRow(f))
		}
	}
	if left > 0 {
		rows = append(rows, more(left))
	}
	for _, f := range s.ToRead {
		switch {
		case listed[f.Path]:
		case f.Routine:
			routine = append(routine, fileName(f.Path)+strings.TrimSuffix(sized(f), ")")+", "+phrase(f.Why, 40)+")")
		case f.Why != "":
			rows = append(rows, "- **"+phrase(f.Why, 40)+"** "+fileName(f.Path)+sized(f))
		default:
			rows = append(rows, "- "+fileName(f.Path)+sized(f))
		}
		listed[f.Path] = true
	}
	for _, f := range s.Sensitive {
		switch {
		case f.Kind != task.LocksFinding, f.Path != "" && listed[f.Path]:
		case f.Path == "":
			routine = append(routine, phrase(f.What, 200))
		default:
			routine = append(routine, fileName(f.Path)+" (lock file)")
			listed[f.Path] = true
		}
	}
	delete(listed, "") // findings without a file count several
	if n := s.Files - len(listed); n > 0 && len(s.ToRead) > 0 {
		rows = append(rows, more(n))
	}
	if len(routine) > 0 {
		rows = append(rows, "- Last, because programs write them: "+strings.Join(routine, ", "))
	}
	return rows
}

// findingRow is the row of a file with findings: all of it that the list has.
func (s Summary) findingRow(f task.Finding) string {
	if f.Path == "" {
		return "- **" + phrase(f.Kind, 20) + "**: " + phrase(f.What, 200)
	}
	var kinds, what []string
	for _, one := range s.Sensitive {
		if one.Path == f.Path {
			kinds, what = append(kinds, "**"+phrase(one.Kind, 20)+"**"), append(what, phrase(one.What, 200))
		}
	}
	row := "- " + strings.Join(kinds, ", ") + " " + fileName(f.Path)
	if i := slices.IndexFunc(s.ToRead, func(c task.ChangedFile) bool { return c.Path == f.Path }); i >= 0 {
		row += sized(s.ToRead[i])
	}
	return row + ": " + strings.Join(what, "; ")
}

// mostFindings limits the rows of what agents have found: they come first, and models write them.
const mostFindings = 5

func fileName(path string) string { return span(path, 200) }

func sized(f task.ChangedFile) string { return fmt.Sprintf(" (+%d −%d)", f.Added, f.Removed) }
