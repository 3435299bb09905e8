package integration

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/test/lab"
)

// behindRelay sets a scene in which git and the API of the forge are behind a network of which each kilobyte takes so long. cut cuts it, mend
// mends it.
func behindRelay(t *testing.T, pause time.Duration) (s *lab.Stage, r *lab.Relay, cut, mend func()) {
	t.Helper()
	r = lab.NewRelay(t)
	s = lab.NewScriptedStage(t, lab.Brief(), lab.QuickSettings, "LONGSHIFT_GITHUB_URL=http://"+r.Address)
	cut, mend = func() { r.Lead("", 0) }, func() { r.Lead(strings.TrimPrefix(s.Front, "http://"), pause) }
	mend()
	return s, r, cut, mend
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
			s, r, cut, mend := behindRelay(t, 0)
			cut = sync.OnceFunc(cut)
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
			why := ""
			lab.Eventually(t, 90*time.Second, "the task says why it tries again", func() bool {
				_, why, _ = strings.Cut(s.Longshift(t, "status", s.Begun.GetID()).Out, "waits for a step that is tried again: ")
				return r.Cuts() > 2 && why != ""
			})
			if why, _, _ = strings.Cut(why, "\n"); !strings.Contains(why, r.Address) && !strings.Contains(why, lab.Name) {
				t.Errorf("it does not say what is away: %s", why)
			}
			mend()
			end := ended(t, s)
			s.Carried(end, lab.Messages[0])
			if strings.Contains(lab.Log(end), "suspended") {
				t.Errorf("it was suspended: %s", lab.Log(end))
			}
		})
	}
}

// TestForgeIsSlow carries a task over a network on which each kilobyte takes its time.
func TestForgeIsSlow(t *testing.T) {
	t.Parallel()
	s, _, _, _ := behindRelay(t, 200*time.Millisecond)
	s.Play()
	s.Carried(ended(t, s), lab.Messages[0])
}
