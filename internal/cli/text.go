package cli

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// duration prints "1h 1m 1s"; less than a second is "0s".
func duration(d time.Duration) string {
	s := int64(max(d, 0).Round(time.Second) / time.Second)
	h, m, s := s/3600, s/60%60, s%60
	switch {
	case h > 0:
		return fmt.Sprintf("%dh %dm %ds", h, m, s)
	case m > 0:
		return fmt.Sprintf("%dm %ds", m, s)
	}
	return fmt.Sprintf("%ds", s)
}

// remaining prints a time that is left: "2h 44m", and seconds only in the last hour.
func remaining(d time.Duration) string {
	if d >= time.Hour {
		m := int64(d.Round(time.Minute) / time.Minute)
		return fmt.Sprintf("%dh %dm", m/60, m%60)
	}
	return duration(d)
}

// age prints how long ago something was, in one unit.
func age(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

func usd(v float64) string { return fmt.Sprintf("$%.2f", v) }

// count prints "1 tool", "7 tools".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// plain takes out what could steer the reader's terminal: control characters, escape codes, direction overrides. Texts
// come from agents and from strangers' issues. Line ends and tabs stay.
func plain(s string) string {
	if strings.IndexFunc(s, steers) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if steers(r) {
			return -1
		}
		return r
	}, s)
}

func steers(r rune) bool {
	if r == '\n' || r == '\t' {
		return false
	}
	return unicode.IsControl(r) || r == utf8.RuneError || unicode.Is(unicode.Bidi_Control, r)
}

// oneLine makes a text one plain line.
func oneLine(s string) string { return strings.Join(strings.Fields(plain(s)), " ") }

// firstLine gives the first line that says something.
func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(plain(s)), "\n")
	return oneLine(s)
}

// clip cuts a text to n bytes, at a rune's boundary, and marks the cut.
func clip(s string, n int) string {
	const mark = "…"
	if len(s) <= n {
		return s
	}
	cut := max(n-len(mark), 0)
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strings.TrimRight(s[:cut], " ") + mark
}

// indent puts every line but the first behind spaces.
func indent(s string, n int) string {
	return strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n"+strings.Repeat(" ", n))
}

// fit cuts one line to the columns of a terminal, and marks the cut.
func fit(line string, columns int) string {
	if cells(line) <= columns {
		return line
	}
	var b strings.Builder
	used := 0
	for _, r := range line {
		w := cellsOf(r)
		if used+w > columns-1 {
			break
		}
		used += w
		b.WriteRune(r)
	}
	return b.String() + "…"
}

// cells gives the columns that a line takes.
func cells(line string) int {
	n := 0
	for _, r := range line {
		n += cellsOf(r)
	}
	return n
}

func cellsOf(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r < 0x300:
		return 1
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
