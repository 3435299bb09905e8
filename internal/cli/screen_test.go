package cli

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// The size of the terminal of tests. It has rows enough that nothing scrolls.
const (
	screenRows    = 100
	screenColumns = 80
)

// control is an escape sequence: numbers and a letter, or something that shows nothing.
var control = regexp.MustCompile(`^\x1b(?:\[([0-9;?<>=$]*)[ -/]*([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9]|.)`)

// paper is what a terminal shows.
type paper struct {
	cells     [screenRows][screenColumns]rune
	row, line int // line is the column
}

// screenOf draws what a program wrote, as a terminal does. A form is drawn over and over: only the places that differ.
func screenOf(out string) string {
	var p paper
	for len(out) > 0 {
		if m := control.FindStringSubmatch(out); m != nil {
			p.move(m[1], m[2])
			out = out[len(m[0]):]
			continue
		}
		r, size := utf8.DecodeRuneInString(out)
		out = out[size:]
		p.put(r)
	}
	var b strings.Builder
	for _, row := range p.cells {
		line := strings.Map(func(r rune) rune { return max(r, ' ') }, string(row[:]))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func (p *paper) put(r rune) {
	switch {
	case r == '\r':
		p.line = 0
	case r == '\n':
		p.row++
	case r == '\b':
		p.line--
	case r == '\t':
		p.line = (p.line/8 + 1) * 8
	case r >= ' ':
		if p.line == screenColumns {
			p.row, p.line = p.row+1, 0
		}
		p.keep()
		p.cells[p.row][p.line] = r
		p.line++
		return
	}
	p.keep()
}

// keep keeps the place on the screen.
func (p *paper) keep() {
	p.row, p.line = min(max(p.row, 0), screenRows-1), min(max(p.line, 0), screenColumns-1)
}

func (p *paper) move(numbers, letter string) {
	first, second, _ := strings.Cut(numbers, ";")
	n, err := strconv.Atoi(first)
	steps := n
	if err != nil || n == 0 {
		steps = 1
	}
	column, _ := strconv.Atoi(second)
	switch letter {
	case "A":
		p.row -= steps
	case "B":
		p.row += steps
	case "C":
		p.line += steps
	case "D":
		p.line -= steps
	case "G", "`":
		p.line = steps - 1
	case "d":
		p.row = steps - 1
	case "H":
		p.row, p.line = steps-1, max(column, 1)-1
	case "K":
		p.erase(p.row, n)
	case "J":
		p.erase(p.row, n)
		for row := range p.cells {
			if n >= 2 || n == 0 && row > p.row || n == 1 && row < p.row {
				p.cells[row] = [screenColumns]rune{}
			}
		}
	case "X":
		clear(p.cells[p.row][p.line:min(p.line+steps, screenColumns)])
	case "P":
		clear(p.cells[p.row][p.line+copy(p.cells[p.row][p.line:], p.cells[p.row][min(p.line+steps, screenColumns):]):])
	case "@":
		copy(p.cells[p.row][min(p.line+steps, screenColumns):], p.cells[p.row][p.line:])
		clear(p.cells[p.row][p.line:min(p.line+steps, screenColumns)])
	case "b":
		for range steps {
			p.put(p.cells[p.row][max(p.line-1, 0)])
		}
	}
	p.keep()
}

// erase empties a row: 0 from the place on, 1 up to it, 2 all of it.
func (p *paper) erase(row, how int) {
	switch how {
	case 0:
		clear(p.cells[row][p.line:])
	case 1:
		clear(p.cells[row][:p.line+1])
	default:
		clear(p.cells[row][:])
	}
}

func TestScreenOf(t *testing.T) {
	for out, want := range map[string]string{
		"one\r\ntwo":                          "one\ntwo",
		"abc\rx\x1b[1mY\x1b[0m":               "xYc",
		"abcdef\x1b[4D\x1b[2X":                "ab  ef",
		"abcdef\r\x1b[2P":                     "cdef",
		"abcdef\r\x1b[2@":                     "  abcdef",
		"a\x1b[3b\x1b]0;title\x07\x1b[?25l":   "aaaa",
		"one\r\ntwo\r\nthree\x1b[1A\r\x1b[J":  "one",
		"one\r\ntwo\x1b[A\x1b[Gtop\x1b[Kx\ty": "topx    y\ntwo",
	} {
		if got := screenOf(out); got != want {
			t.Errorf("%q shows %q, want %q", out, got, want)
		}
	}
}
