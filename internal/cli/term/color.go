package term

import "strings"

// Style is how a part of the output looks where there are colours: the parameter of a terminal's escape sequence.
type Style string

// The styles.
const (
	Strong   Style = "1"
	Faint    Style = "2"
	Bad      Style = "31" // red
	Good     Style = "32" // green
	Doubtful Style = "33" // yellow
)

// Colored sets where output has colours: on terminals, unless NO_COLOR, CLICOLOR=0 or TERM=dumb say otherwise. CLICOLOR_FORCE
// is for output that goes elsewhere. get reads a variable of the environment.
func (s Streams) Colored(get func(name string) string) Streams {
	forced := get("CLICOLOR_FORCE")
	off := get("NO_COLOR") != "" || get("CLICOLOR") == "0" || get("TERM") == "dumb"
	on := func(terminal bool) bool { return forced != "" && forced != "0" || terminal && !off }
	s.outColor, s.errColor = on(s.OutTTY), on(s.ErrTTY)
	return s
}

// Paint styles text for stdout, where it has colours.
func (p *Printer) Paint(s Style, text string) string {
	return paint(p.streams.outColor && p.IsText(), s, text)
}

// PaintLines styles the lines of a text for stdout; style gives that of the line with a number from 0, "" for none.
func (p *Printer) PaintLines(text string, style func(n int) Style) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = p.Paint(style(i), l)
	}
	return strings.Join(lines, "\n")
}

func paint(on bool, s Style, text string) string {
	if !on || s == "" || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}
