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

// repeated lays each turn that was said again to the kill before it, and says what is too much. A kill may cost the turns in flight, no
// more. Of what the one before might have cost, the rest may come after it: a turn of each task, or all that is in flight on a lost host.
// Most kills cut nothing off, so all of them together cost far less than each may.
func (f *figures) repeated(again []time.Time, atWork int) (wrong []string) {
	left, before := 0, 0
	for i := range f.kills {
		k := &f.kills[i]
		for _, at := range again {
			if at.After(k.at) && (i == len(f.kills)-1 || !at.After(f.kills[i+1].at)) {
				k.again++
			}
		}
		left = min(left, max(atWork, before)) + k.cuts
		if k.again > left {
			wrong = append(wrong, fmt.Sprintf("%d model turns were said again after kill %d (%s), which cut at most %d with what was left",
				k.again, i+1, k.kind, left))
		}
		left, before = max(0, left-k.again), k.cuts
	}
	if most := max(atWork, len(f.kills)/2); len(again) > most {
		wrong = append(wrong, fmt.Sprintf("%d model turns were said again after %d kills, more than %d", len(again), len(f.kills), most))
	}
	return wrong
}

// TestRepeatedTurnsAreBounded: neither one kill nor all of them may cost more turns than they cut.
func TestRepeatedTurnsAreBounded(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	after := func(seconds ...int) (all []time.Time) { // those of kills are whole tens
		for _, s := range seconds {
			all = append(all, begun.Add(time.Duration(s)*time.Second))
		}
		return all
	}
	for name, c := range map[string]struct {
		cuts  []int
		again []time.Time
		wrong int
	}{
		"none":                    {[]int{1, 1}, nil, 0},
		"each its own":            {[]int{1, 2, 1}, after(1, 11, 12, 21), 0},
		"what an earlier one cut": {[]int{4, 1, 1}, after(21, 22, 23, 24), 0},
		"more than one cut":       {[]int{1, 1}, after(1, 2), 1},
		"more than are at work":   {[]int{2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1}, after(111, 112, 113, 114, 115, 116), 1},
		"too many in all":         {[]int{4, 4}, after(1, 2, 3, 11, 12), 1},
	} {
		var f figures
		for n, cuts := range c.cuts {
			f.kills = append(f.kills, kill{at: begun.Add(time.Duration(n) * 10 * time.Second), cuts: cuts})
		}
		if wrong := f.repeated(c.again, 4); len(wrong) != c.wrong {
			t.Errorf("%s: %q", name, wrong)
		}
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
