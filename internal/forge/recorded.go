package forge

import (
	"fmt"
	"strings"

	"github.com/longshift/longshift/task"
)

func (s Summary) recordsOnly() bool { return s.Recorded != nil && s.Recorded.Only }

// recordedNow says what has changed of the recorded deliverables.
func (s Summary) recordedNow() string {
	added, shown, opened := 0, 0, 0
	for _, d := range s.Deliverables {
		switch {
		case d.Status == task.Passed:
			shown++
		case d.Reason != "":
			opened++
		default:
			added++
		}
	}
	parts := []string{}
	for _, p := range []struct {
		n    int
		what string
	}{{added, "added"}, {shown, "shown again"}, {opened, "open again"}, {len(s.Recorded.Dropped), "no longer asked for"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if len(parts) == 0 {
		return "**What**: only what is recorded of the specification"
	}
	return "**What**: only what is recorded of the specification's deliverables: " + strings.Join(parts, ", ")
}

// dropped names what the specification no longer asks for, a line each.
func (s Summary) dropped(l limits) (lines []string) {
	if s.Recorded == nil {
		return nil
	}
	most := min(l.rows, mostSaid)
	for i, text := range s.Recorded.Dropped {
		if i == most {
			return append(lines, fmt.Sprintf("**No longer asked for**: %d more, which the status file names", len(s.Recorded.Dropped)-most))
		}
		id, what, _ := strings.Cut(text, ":")
		lines = append(lines, strings.TrimSpace("**No longer asked for**: "+span(id, 40)+" "+phrase(what, l.line)))
	}
	return lines
}
