package chaos

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// kill is one, and what it cost.
type kill struct {
	kind  string
	at    time.Time
	cuts  int             // turns in flight that it may cost
	back  []time.Duration // until each task that was at work went on
	again int             // turns that were said again after it
}

// figures are what kills have cost, of one scene or of more.
type figures struct {
	kills  []kill
	jobs   int
	again  int // commits that were made again
	lifted int // suspensions that said what was true
	refs   int // of tasks that ended on a host that was gone

	commits int // folders with a commit that another host has made again
}

func (f figures) and(g figures) figures {
	return figures{slices.Concat(f.kills, g.kills), f.jobs + g.jobs, f.again + g.again, f.lifted + g.lifted, f.refs + g.refs, f.commits + g.commits}
}

// since counts the kills of some kinds from a time on. A kind is named by how it begins.
func (f figures) since(from time.Time, kinds ...string) (n int) {
	for _, k := range f.kills {
		if k.at.After(from) && slices.ContainsFunc(kinds, func(kind string) bool { return strings.HasPrefix(k.kind, kind) }) {
			n++
		}
	}
	return n
}

// recovered notes how long each task that was at work at a kill took to go on.
func (f *figures) recovered(signs [][]time.Time) {
	for i := range f.kills {
		k := &f.kills[i]
		for _, times := range signs {
			next := slices.IndexFunc(times, func(at time.Time) bool { return at.After(k.at) })
			if next > 0 {
				k.back = append(k.back, times[next].Sub(k.at))
			}
		}
	}
}

// repeated lays each turn that was said again to the kill before it. A kill may cost the turns in flight, no more.
func (f *figures) repeated(t testing.TB, again []time.Time) {
	most := 0
	for i := range f.kills {
		k := &f.kills[i]
		most += k.cuts
		for _, at := range again {
			if at.After(k.at) && (i == len(f.kills)-1 || !at.After(f.kills[i+1].at)) {
				k.again++
			}
		}
	}
	if len(again) > most {
		t.Errorf("%d model turns were said again after %d kills, which cut at most %d", len(again), len(f.kills), most)
	}
}

// String is a table by kind.
func (f figures) String() string {
	kinds := map[string]kill{} // the sum of each
	count, turns := map[string]int{}, 0
	for _, k := range f.kills {
		sum := kinds[k.kind]
		sum.back, sum.again = append(sum.back, k.back...), sum.again+k.again
		kinds[k.kind] = sum
		count[k.kind]++
		turns += k.again
	}
	var b strings.Builder
	b.WriteString("| what was killed | kills | until each task at work went on: p50 | p95 | max | turns said again |\n|---|---|---|---|---|---|\n")
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		k := kinds[kind]
		slices.Sort(k.back)
		at := func(part float64) string {
			if len(k.back) == 0 {
				return "-"
			}
			return fmt.Sprintf("%.1f s", k.back[min(len(k.back)-1, int(part*float64(len(k.back))))].Seconds())
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %d |\n", kind, count[kind], at(0.5), at(0.95), at(1), k.again)
	}
	fmt.Fprintf(&b, "\n%d kills over %d tasks. Model turns said again: %d. Commits made again: %d. Resumed by a person: %d. Refs of tasks whose last host was gone: %d. "+
		"Folders with a commit that another host has made again: %d.",
		len(f.kills), f.jobs, turns, f.again, f.lifted, f.refs, f.commits)
	return b.String()
}

// machine says where the figures were taken, and how.
func machine(took time.Duration) string {
	var info syscall.Sysinfo_t
	_ = syscall.Sysinfo(&info)
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	kernel, _, _ := strings.Cut(strings.TrimSpace(string(release)), "-")
	roles := "all roles"
	if *split {
		roles = "one role"
	}
	return fmt.Sprintf("%d cores, %d GiB, Linux %s, in %s. %d tasks at a time in each scene, at most %s between two kills. Heartbeat %s, probe %s, each worker with %s.", runtime.NumCPU(),
		info.Totalram*uint64(info.Unit)>>30, kernel, took.Round(time.Second), *atWork, *longest, *heartbeat, *probe, roles)
}
