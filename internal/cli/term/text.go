package term

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/plaintext"
)

// Duration prints "1h 1m 1s", without parts that are zero; less than a second is "0s".
func Duration(d time.Duration) string {
	s := int64(max(d, 0).Round(time.Second) / time.Second)
	var parts []string
	for _, part := range []struct {
		n    int64
		unit string
	}{{s / 3600, "h"}, {s / 60 % 60, "m"}, {s % 60, "s"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d%s", part.n, part.unit))
		}
	}
	return cmp.Or(strings.Join(parts, " "), "0s")
}

// Remaining prints a time that is left: "2h 44m", and seconds only in the last hour.
func Remaining(d time.Duration) string {
	if d >= time.Hour {
		d = d.Round(time.Minute)
	}
	return Duration(d)
}

// Age prints how long ago something was, in one unit.
func Age(d time.Duration) string {
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

func USD(v float64) string { return fmt.Sprintf("$%.2f", v) }

// Count prints "1 tool", "7 tools".
func Count(n int, noun string) string { return excerpt.Count(n, noun) }

// Plain takes out what could steer the reader's terminal: control characters, direction overrides, broken characters. Texts come from
// agents and from strangers' issues. Line ends and tabs stay. Unlike plaintext.Of it leaves the rest of an escape sequence, for a lone
// escape must not hide the words behind it.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		if plaintext.Steers(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
}

// OneLine makes a text one plain line.
func OneLine(s string) string { return excerpt.OneLine(Plain(s)) }

// FirstLine returns the first line that is not blank.
func FirstLine(s string) string { return OneLine(excerpt.FirstLine(Plain(s))) }

// Indent puts every line but the first behind spaces.
func Indent(s string, n int) string {
	return strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n"+strings.Repeat(" ", n))
}

// wrap breaks a line at spaces so that it fits the columns of a terminal. What follows a break is indented; a word that is longer than a
// line, such as an address, is left whole.
func wrap(line string, columns, indent int) string {
	if columns < indent+20 || Cells(line) <= columns {
		return line
	}
	var lines []string
	now := ""
	for i, word := range strings.SplitAfter(line, " ") {
		if i > 0 && Cells(now)+Cells(strings.TrimRight(word, " ")) > columns {
			lines = append(lines, strings.TrimRight(now, " "))
			now = strings.Repeat(" ", indent)
		}
		now += word
	}
	return strings.Join(append(lines, now), "\n")
}

// fit cuts one line to the columns of a terminal, and marks the cut.
func fit(line string, columns int) string {
	if Cells(line) <= columns {
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

// Cells counts the columns that a line takes.
func Cells(line string) int {
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

// SinceText is how long something has been going on.
func SinceText(now, since time.Time) string { return Duration(now.Sub(since)) }

// Ago is an age with its word.
func Ago(now, then time.Time) string { return fmt.Sprintf("%s ago", Age(now.Sub(then))) }

// Dash stands for an empty cell of a table.
func Dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// Visible shows every character that is not plain print by its escape: a person who judges a command must see them all.
func Visible(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
		i += n
	}
	return b.String()
}

// IndentAll puts every line two spaces in.
func IndentAll(s string) string {
	return "  " + Indent(s, 2) + "\n"
}

// LongestLine bounds, in bytes, what is kept of a line that does not end.
const LongestLine = 1 << 20
