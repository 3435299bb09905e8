package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/agent/agenttest"
)

// figure is what one kill cost.
type figure struct {
	kind  string
	at    time.Time
	back  time.Duration // until the model was next asked, 0 when it was not
	again float64       // the share of turns that were said again in its scene
}

type figures []figure

func (f figures) count() int { return len(f) }

// recovered notes when the model was next asked after each kill.
func (f figures) recovered(calls []agenttest.Call) {
	for i := range f {
		for _, c := range calls {
			if back := c.Time.Sub(f[i].at); back > 0 && (f[i].back == 0 || back < f[i].back) {
				f[i].back = back
			}
		}
	}
}

// again spreads the turns that were said again over the kills.
func (f figures) again(turns int) {
	for i := range f {
		f[i].again = float64(turns) / float64(len(f))
	}
}

// String is a table by kind.
func (f figures) String() string {
	kinds := map[string]figures{}
	for _, one := range f {
		kinds[one.kind] = append(kinds[one.kind], one)
	}
	var b strings.Builder
	b.WriteString("| kind | kills | to the next model call: median | 95 % | most |\n|---|---|---|---|---|\n")
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		var back []time.Duration
		for _, one := range kinds[kind] {
			if one.back > 0 {
				back = append(back, one.back)
			}
		}
		slices.Sort(back)
		at := func(part float64) string {
			if len(back) == 0 {
				return "-"
			}
			return fmt.Sprintf("%.1f s", back[min(len(back)-1, int(part*float64(len(back))))].Seconds())
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s |\n", kind, len(kinds[kind]), at(0.5), at(0.95), at(1))
	}
	total := 0.0
	for _, one := range f {
		total += one.again
	}
	fmt.Fprintf(&b, "%d kills, %.0f model turns said again\n", len(f), total)
	return b.String()
}
