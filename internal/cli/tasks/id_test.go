package tasks

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/task"
)

// An issue of a forge has one task; one of a tracker with the same number is another issue.
func TestNewTaskID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		issue *task.Issue
		begin string
	}{
		{&task.Issue{Forge: "github", Number: 12}, "issue:github.com:acme:web:12"},
		{&task.Issue{Number: 7}, "issue:github.com:acme:web:7"},
		{&task.Issue{Forge: "linear", Key: "ENG-12", Number: 12}, "acme-web-fix-it-"},
		{nil, "acme-web-fix-it-"},
	} {
		id, err := NewTaskID(task.Input{Repository: "acme/web", Task: "fix it", Issue: c.issue}, "github.com")
		if err != nil || !strings.HasPrefix(id, c.begin) {
			t.Errorf("%+v: %s, %v; want %s", c.issue, id, err, c.begin)
		}
	}
}
