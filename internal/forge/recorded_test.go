package forge

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/task"
)

// What changes of the record alone is said first, in place of the size of a change that there is not.
func TestComposeRecorded(t *testing.T) {
	t.Parallel()
	s := Summary{Title: "Less", Task: "Bring it in line", Files: 1, Deliverables: []task.Deliverable{{ID: "A-001", Description: "new", Status: task.Pending},
		{ID: "A-002", Description: "b", Status: task.Passed}, {ID: "A-003", Description: "c", Status: task.Pending, Reason: "its proof fails"}},
		Recorded: &Recorded{Only: true, Dropped: []string{"A-004: it *beeps*", "A-005", "A-006: x", "A-007: y"}}}
	_, body := Compose(s)
	want := "**What**: only what is recorded of the specification's deliverables: 1 added, 1 shown again, 1 open again, 4 no longer asked for  \n" +
		"**Why**: Bring it in line  \n" +
		"**No longer asked for**: `A-004` it *beeps*  \n**No longer asked for**: `A-005`  \n**No longer asked for**: `A-006` x  \n" +
		"**No longer asked for**: 1 more, which the status file names\n"
	if !strings.HasPrefix(body, want) {
		t.Errorf("it says\n%s\nwanted\n%s", body, want)
	}
	s.Recorded.Only = false
	if _, body = Compose(s); !strings.Contains(body, "**Size**: 1 file") || !strings.Contains(body, "`A-004`") {
		t.Errorf("with other changes it says\n%s", body)
	}
}
