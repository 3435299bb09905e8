package chaos

import (
	"os"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/test/lab"
)

// TestTornRefsAndHostGone: the git of the remote is killed when it has moved the fence of a push and not yet the checkpoint, and the host is
// lost with its disk. The next host finds the commit by the fence, and the task ends with all of its work, done once.
func TestTornRefsAndHostGone(t *testing.T) {
	t.Parallel()
	const refs = "refs/longshift/*"
	s := strike(t, point{step: lab.Step{Activity: "CommitWork", N: 2}, claude: true}, func(s *lab.Stage) {
		s.Worker.Kill()
		checkpoint := gittest.Git(t, s.Bare, "for-each-ref", "--format=%(refname)", refs)
		gittest.Git(t, s.Bare, "update-ref", checkpoint, checkpoint+"^") // as it was before the second commit
		if err := os.RemoveAll(s.Worker.Data); err != nil {
			t.Error(err)
		}
	})
	s.NewWorker(lab.Claude(t))
	end := s.Ended()
	s.Carried(end, lab.Messages...)
	if end.Fence != 2 {
		t.Errorf("it ended with fence %d", end.Fence)
	}
	for _, turn := range []string{"fix/0", "mul/0"} {
		if n := s.WholeTurns()[turn]; n != 1 {
			t.Errorf("%s, whose commit the fence names, was done %d times", turn, n)
		}
	}
}
