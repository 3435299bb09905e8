package chaos

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	kills     = flag.Int("kills", 60, "how often TestByChance kills something")
	seed      = flag.Uint64("seed", 1, "what the choices of TestByChance begin with")
	heartbeat = flag.Duration("heartbeat", 2*time.Second, "LONGSHIFT_HEARTBEAT of the workers of TestByChance")
	probe     = flag.Duration("probe", 4*time.Second, "LONGSHIFT_PROBE of the workers of TestByChance")
	atWork    = flag.Int("tasks", 4, "how many tasks are at work at a time in a scene of TestByChance")
	longest   = flag.Duration("pause", 2500*time.Millisecond, "the longest time between two kills of TestByChance in one scene")
	split     = flag.Bool("split", false, "each worker of TestByChance has one role: control, host or listen")
	agents    = flag.String("agents", "claude,codex", "agents that work in the scenes of TestByChance, beside the scripted one; each scene has the next of them")
	postgres  = flag.Bool("postgres", false, "Temporal runs on PostgreSQL in TestByChance, as in the compose file")
)

// killsAtOnce is how many kills one scene has.
const killsAtOnce = 20

// slots are those of a host: two of them have room for the tasks that are at work.
func slots() int { return (*atWork + 1) / 2 }

// TestByChance kills what chance says when chance says, and looks from outside whether anything was lost or done twice. `make chaos` runs
// it with other numbers. The choices follow from the seed; what runs at the moment of a kill does not, so a failure may take some runs to
// come again.
func TestByChance(t *testing.T) {
	t.Parallel()
	n := *kills
	if testing.Short() {
		n = min(n, killsAtOnce)
	}
	var mu sync.Mutex
	var all figures
	begun := time.Now()
	t.Cleanup(func() { t.Logf("\n%s\n\n%s", machine(time.Since(begun)), all) })
	programs := strings.Split(*agents, ",")
	for at := *seed; n > 0; at, n = at+1, n-killsAtOnce {
		most, program := min(n, killsAtOnce), programs[int(at-*seed)%len(programs)]
		t.Run(fmt.Sprintf("seed %d %s", at, program), func(t *testing.T) {
			t.Parallel()
			s := newScene(t, at, program)
			defer func() {
				s.keep()
				mu.Lock()
				defer mu.Unlock()
				all = all.and(s.figures)
			}()
			s.strike(most)
			s.judge()
		})
	}
}

// strike kills things so many times. There is work all the while: for each task that ends another one begins.
func (s *scene) strike(most int) {
	for n := 0; n < most; {
		s.tend(*atWork)
		s.pause(100*time.Millisecond, *longest)
		h := harms[s.chance.IntN(len(harms))]
		at := time.Now()
		if h.does(s) {
			n++
			s.figures.kills = append(s.figures.kills, kill{kind: h.kind, at: at, cuts: h.cuts()})
			s.T.Logf("%s: %s", at.Format("15:04:05.000"), h.kind)
		}
	}
}

// pause lets the tasks go on for a while.
func (s *scene) pause(least, most time.Duration) {
	<-time.After(least + time.Duration(s.chance.Int64N(int64(most-least))))
}

func newChance(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }
