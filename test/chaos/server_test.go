package chaos

import (
	"testing"

	"github.com/longshift/longshift/test/lab"
)

// TestKillServer kills the Temporal server with SIGKILL at three points.
func TestKillServer(t *testing.T) {
	t.Parallel()
	for _, p := range []point{
		{name: "in a session", rule: "fix", turn: 1},
		{name: "after the plan", step: lab.Step{Activity: "RunAgent", N: 1}},
		{name: "while pushing", git: 5},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			// No session is cut off by a server that is back within the heartbeat's time, which is longer here than a slow machine takes.
			s := strike(t, p, func(s *lab.Stage) { s.Server.Kill() }, "LONGSHIFT_HEARTBEAT=20s")
			s.Server.Start()
			s.Carried(s.Ended(), lab.Messages...)
			for at, n := range s.WholeTurns() {
				if n > 1 {
					t.Errorf("turn %s was answered %d times", at, n)
				}
			}
		})
	}
}
