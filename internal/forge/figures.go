package forge

import (
	"fmt"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/excerpt"
)

// figures is what the work has cost, and where its run can be seen.
func (s Summary) figures() []string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if s.Usage.CostUSD > 0 {
		add("%.2f USD", s.Usage.CostUSD)
	}
	if u := s.Usage; u.Input+u.Output+u.CacheRead+u.CacheWrite > 0 {
		add("%s tokens in (%s of them cached), %s out",
			thousands(u.Input+u.CacheRead+u.CacheWrite), thousands(u.CacheRead), thousands(u.Output))
	}
	if s.Sessions > 0 {
		add("%s", excerpt.Count(s.Sessions, "session"))
	}
	if s.Turns > 0 {
		add("%s", excerpt.Count(s.Turns, "turn"))
	}
	if s.Duration > 0 {
		add("%s", spell(s.Duration))
	}
	var lines []string
	if len(parts) > 0 {
		lines = append(lines, "**Cost**: "+strings.Join(parts, " · "))
	}
	if link := webLink(s.RunURL); link != "" {
		lines = append(lines, "[The run in Temporal Web](<"+link+">)")
	}
	return nonEmpty(lines)
}

// nonEmpty removes empty lines and ends the others so that Markdown keeps the breaks.
func nonEmpty(lines []string) []string {
	var out []string
	for _, line := range lines {
		if line != "" {
			out = append(out, line+"  ")
		}
	}
	if n := len(out); n > 0 {
		out[n-1] = strings.TrimRight(out[n-1], " ")
	}
	return out
}

func thousands(n int64) string {
	if n < 10_000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%dk", (n+500)/1000)
}

// spell formats a duration as people write it: 42 s, 7 min, 1 h 5 min.
func spell(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(1, int(d.Round(time.Second)/time.Second)))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Round(time.Minute)/time.Minute))
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%d h %d min", int(d/time.Hour), int(d%time.Hour/time.Minute))
}
