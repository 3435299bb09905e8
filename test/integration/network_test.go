package integration

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/test/lab"
)

// behindRelay sets a scene in which git and the API of the forge are behind a network that can be cut.
func behindRelay(t *testing.T) (*lab.Stage, *lab.Relay, func()) {
	t.Helper()
	r := lab.NewRelay(t)
	s := lab.NewStage(t, lab.Brief(), lab.QuickSettings, "LONGSHIFT_GITHUB_URL=http://"+r.Address)
	lead := func() { r.Lead(strings.TrimPrefix(s.Front, "http://")) }
	lead()
	return s, r, lead
}

// TestForgeIsAway cuts the network to the forge in the middle of a push and of the opening of the pull request, when the forge has what was
// sent and its answer is on the way. The task says what it waits for, and ends with one pull request when the forge is back.
func TestForgeIsAway(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]struct {
		push int    // the manieth push is cut, 0 for none
		post string // the end of the path of the call that is cut, "" for none
	}{"checkpoint": {push: 2}, "branch": {push: 3}, "pull request": {post: "/pulls"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r, lead := behindRelay(t)
			var once sync.Once
			cut := func() { once.Do(func() { r.Lead("") }) }
			pushes := 0
			s.OnGit(func(service string) {
				if service == "git-receive-pack" {
					if pushes++; pushes == at.push {
						cut()
					}
				}
			})
			s.GitHub.After(func(method, path string) {
				if method == http.MethodPost && at.post != "" && strings.HasSuffix(path, at.post) {
					cut()
				}
			})
			s.Play()
			says := ""
			lab.Eventually(t, 90*time.Second, "the task says that it tries again", func() bool {
				says = s.Longshift(t, "status", s.Begun.GetID()).Out
				return r.Cuts() > 2 && strings.Contains(says, "waits to try again: ")
			})
			if where := r.Address; !strings.Contains(says, where) && !strings.Contains(says, lab.Name) {
				t.Errorf("it does not say where: %s", says)
			}
			lead()
			end := ended(t, s)
			s.Carried(end, lab.Messages[0])
			if strings.Contains(lab.Log(end), "suspended") {
				t.Errorf("it was suspended: %s", lab.Log(end))
			}
		})
	}
}

// TestForgeStaysAway leaves the network cut until the push of a checkpoint is given up. The task is suspended for the true reason, and goes
// on when it is resumed.
func TestForgeStaysAway(t *testing.T) {
	t.Parallel()
	s, r, lead := behindRelay(t)
	pushes := 0
	s.OnGit(func(service string) {
		if service == "git-receive-pack" {
			if pushes++; pushes == 2 {
				r.Lead("")
			}
		}
	})
	s.Play()
	var stopped signals.Status
	lab.Eventually(t, 4*time.Minute, "the task is suspended", func() bool {
		now, _ := s.Status(s.Begun.GetID())
		stopped = now
		return now.Phase == task.Suspended
	})
	if stopped.Reason != signals.ReasonInfra || !strings.Contains(stopped.Detail, lab.Name) {
		t.Errorf("suspended for %s: %s", stopped.Reason, stopped.Detail)
	}
	lead()
	if _, err := s.Updated(signals.Resume, map[string]any{}); err != nil {
		t.Fatal(err)
	}
	s.Carried(ended(t, s), lab.Messages[0])
}

// TestForgeIsSlow carries a task over a network on which each kilobyte takes its time.
func TestForgeIsSlow(t *testing.T) {
	t.Parallel()
	s, r, _ := behindRelay(t)
	r.Slow(200 * time.Millisecond)
	s.Play()
	s.Carried(ended(t, s), lab.Messages[0])
}
