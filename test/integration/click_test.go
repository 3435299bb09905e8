package integration

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/channel/telegram/telegramtest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// BenchmarkClick measures the time from a click in a chat to the agent's first model call, and from an update that is sent to the
// task directly, which is the baseline: one listener, one worker, everything warm.
func BenchmarkClick(b *testing.B) {
	var mu sync.Mutex
	began := map[string]time.Time{} // by the agent's session
	var first time.Time
	script := lab.With(lab.Brief(), "fix", 0, func(turn *agenttest.Turn) {
		turn.Before = func(c *agenttest.Call) {
			mu.Lock()
			defer mu.Unlock()
			if _, known := began[c.Session]; !known {
				began[c.Session], first = c.Time, c.Time
			}
		}
	})
	tg := &onTelegram{telegramtest.New(b)}
	s := lab.NewStage(b, script, onceAsked, tg.env()...)
	s.Ready()
	// once gives how long it takes to the session's start, and to the agent's first model call.
	once := func(approve func(p post)) (start, call time.Duration) {
		s.Play()
		var p post
		lab.Eventually(b, time.Minute, "the plan is shown", func() bool {
			var waiting []post
			for _, one := range tg.posts() {
				if one.buttons["Approve"] != "" {
					waiting = append(waiting, one)
				}
			}
			if len(waiting) > 0 {
				p = waiting[len(waiting)-1]
			}
			return len(waiting) > 0
		})
		mu.Lock()
		first = time.Time{}
		mu.Unlock()
		at := time.Now()
		approve(p)
		end := s.Ended()
		i := slices.IndexFunc(end.Sessions, func(s signals.Session) bool { return s.Role == task.Implementer })
		if end.Outcome != task.PullRequest || i < 0 {
			b.Fatalf("outcome %s: %s", end.Outcome, end.Detail)
		}
		lab.Eventually(b, time.Minute, "the buttons are gone", func() bool {
			return !slices.ContainsFunc(tg.posts(), func(p post) bool { return p.buttons["Approve"] != "" })
		})
		mu.Lock()
		defer mu.Unlock()
		return end.Sessions[i].Started.Sub(at), first.Sub(at)
	}
	var starts, clicks, updates []time.Duration
	for b.Loop() {
		start, call := once(func(p post) { tg.act(adaTelegram, p.id, p.buttons["Approve"]) })
		starts, clicks = append(starts, start), append(clicks, call)
		_, call = once(func(post) {
			if _, err := s.Updated(signals.Approve, map[string]any{"by": "ada"}); err != nil {
				b.Fatal(err)
			}
		})
		updates = append(updates, call)
	}
	median := func(all []time.Duration) time.Duration {
		slices.Sort(all)
		return all[len(all)/2]
	}
	a, c, u := median(starts), median(clicks), median(updates)
	b.ReportMetric(a.Seconds(), "s/click-to-session")
	b.ReportMetric(c.Seconds(), "s/click-to-model")
	b.ReportMetric(u.Seconds(), "s/update-to-model")
	b.ReportMetric(c.Seconds()/u.Seconds(), "ratio")
	fmt.Printf("from a click to the start of the agent's session: %.2f s (median of %d), to its first model call: %.2f s; from an update sent directly: %.2f s; ratio %.2f\n",
		a.Seconds(), len(clicks), c.Seconds(), u.Seconds(), c.Seconds()/u.Seconds())
}
