package term

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/fault"
)

// The output formats.
const (
	FormatText  = "text"
	FormatJSON  = "json"  // one document
	FormatJSONL = "jsonl" // one object a line
)

func CheckFormat(format string) error {
	switch format {
	case FormatText, FormatJSON, FormatJSONL:
		return nil
	}
	return fault.New(fault.Input, "--output %q: unknown format", format).WithHint("give text, json or jsonl")
}

// Printer writes results to stdout in the format that was asked for, and lines for people to stderr.
type Printer struct {
	streams Streams
	Format  string
}

func NewPrinter(s Streams) *Printer { return &Printer{s, FormatText} }

// IsText tells whether people read the output.
func (p *Printer) IsText() bool { return p.Format == FormatText }

// Print writes data to stdout: text as the function makes it, or the value as JSON. A slice is one document in json and
// one line for each item in jsonl.
func (p *Printer) Print(value any, text func() string) error {
	var err error
	switch p.Format {
	case FormatText:
		_, err = fmt.Fprint(p.streams.Out, text())
	case FormatJSON:
		err = p.Encode(value, "  ")
	case FormatJSONL:
		list := reflect.ValueOf(value)
		if list.Kind() != reflect.Slice {
			return p.Encode(value, "")
		}
		for i := range list.Len() {
			if err = p.Encode(list.Index(i).Interface(), ""); err != nil {
				break
			}
		}
	}
	if err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// Encode writes one JSON value and a line end. A nil slice is an empty list.
func (p *Printer) Encode(value any, indent string) error {
	if v := reflect.ValueOf(value); v.Kind() == reflect.Slice && v.IsNil() {
		value = []any{}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", indent)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return err
	}
	_, err := p.streams.Out.Write(harmless(b.Bytes()))
	return err
}

// harmless escapes in JSON what could steer a terminal, beyond what JSON itself must: agents and strangers write its texts.
func harmless(data []byte) []byte {
	if !bytes.ContainsFunc(data, steers) {
		return data
	}
	out := make([]byte, 0, len(data))
	for _, c := range string(data) {
		if !steers(c) {
			out = utf8.AppendRune(out, c)
			continue
		}
		for _, unit := range utf16.Encode([]rune{c}) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}

func steers(c rune) bool { return c != '\n' && !strconv.IsPrint(c) }

// Say writes a line for people to stderr. On a terminal it is broken where it is longer than that is wide; indented lines and those of a
// difference are left as they are, because people copy them.
func (p *Printer) Say(format string, args ...any) {
	lines := strings.Split(Plain(fmt.Sprintf(format, args...)), "\n")
	if p.streams.ErrTTY {
		for i, line := range lines {
			if line != "" && !strings.ContainsAny(line[:1], " +-") {
				lines[i] = wrap(line, p.streams.columns(), 2)
			}
		}
	}
	fmt.Fprintln(p.streams.Err, strings.Join(lines, "\n"))
}

// Fit cuts the lines of a table to the terminal, where there is one.
func (p *Printer) Fit(table string) string {
	columns := p.Columns()
	if columns == 0 {
		return table
	}
	lines := strings.SplitAfter(table, "\n")
	for i, l := range lines {
		if cut := fit(strings.TrimSuffix(l, "\n"), columns); l != "" {
			lines[i] = cut + "\n"
		}
	}
	return strings.Join(lines, "")
}

// Wrap breaks a line at spaces where it is longer than the terminal, if there is one.
func (p *Printer) Wrap(line string, indent int) string {
	if columns := p.Columns(); columns > 0 {
		return wrap(line, columns, indent)
	}
	return line
}

// Columns are those of the terminal that stdout is; 0 for none.
func (p *Printer) Columns() int {
	if !p.streams.OutTTY {
		return 0
	}
	return p.streams.columns()
}

// Interactive tells whether a person can be asked: keys come from a terminal and the live line goes to one.
func (p *Printer) Interactive() bool {
	return p.IsText() && p.streams.InTTY && p.streams.ErrTTY && p.streams.Raw != nil
}

// Screen is the live line of stderr.
func (p *Printer) Screen() *Screen {
	return &Screen{out: p.streams.Err, live: p.streams.ErrTTY && p.IsText(), color: p.streams.errColor && p.IsText(), width: p.streams.Width}
}

// Table lines up columns. The last one is not padded.
func Table(head []string, rows [][]string) string {
	widths := make([]int, len(head))
	for _, row := range append([][]string{head}, rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], Cells(cell))
		}
	}
	var b strings.Builder
	for _, row := range append([][]string{head}, rows...) {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", widths[i]-Cells(cell)+2))
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// TableOf makes a table with a row for each item.
func TableOf[T any](head []string, items []T, row func(T) []string) string {
	rows := make([][]string, 0, len(items))
	for _, item := range items {
		rows = append(rows, row(item))
	}
	return Table(head, rows)
}

// Facts lines up names and values under a title. Empty values are left out.
func Facts(title string, pairs ...string) string {
	wide := 0
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			wide = max(wide, Cells(pairs[i]))
		}
	}
	var b strings.Builder
	if title != "" {
		b.WriteString(title + "\n")
	}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			fmt.Fprintf(&b, "  %s%s  %s\n", pairs[i], strings.Repeat(" ", wide-Cells(pairs[i])), Indent(pairs[i+1], wide+4))
		}
	}
	return b.String()
}
