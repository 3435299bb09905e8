package child

import (
	"os"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/cli/clitest"
)

// A child that ignores being asked is killed after the grace, with its group.
func TestChildStop(t *testing.T) {
	ready := make(chan struct{}, 8)
	path := clitest.Script(t, "trap '' TERM; sleep 300 & echo ready >&2; wait; wait")
	c, err := Start("stubborn", "/", path, nil, os.Environ(), func(string) { ready <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	<-ready
	c.Stop(50 * time.Millisecond)
	select {
	case <-c.Exited():
	default:
		t.Error("it still runs")
	}
	clitest.Eventually(t, "its group is gone", func() bool { return clitest.Gone(-c.Pid()) })
	if got := c.Ended(); got != "signal: killed" {
		t.Errorf("ended: %s", got)
	}
}
