package cli

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// The output formats.
const (
	formatText  = "text"
	formatJSON  = "json"  // one document
	formatJSONL = "jsonl" // one object a line
)

func checkFormat(format string) error {
	switch format {
	case formatText, formatJSON, formatJSONL:
		return nil
	}
	return fault.New(fault.Input, "--output %q: unknown format", format).WithHint("give text, json or jsonl")
}

// print writes data to stdout: text as the function makes it, or the value as JSON. A slice is one document in json and
// one line for each item in jsonl.
func (p *program) print(value any, text func() string) error {
	var err error
	switch p.format {
	case formatText:
		_, err = fmt.Fprint(p.streams.Out, text())
	case formatJSON:
		err = p.encode(value, "  ")
	case formatJSONL:
		list := reflect.ValueOf(value)
		if list.Kind() != reflect.Slice {
			return p.encode(value, "")
		}
		for i := range list.Len() {
			if err = p.encode(list.Index(i).Interface(), ""); err != nil {
				break
			}
		}
	}
	if err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// encode writes one JSON value and a line end. A nil slice is an empty list.
func (p *program) encode(value any, indent string) error {
	if v := reflect.ValueOf(value); v.Kind() == reflect.Slice && v.IsNil() {
		value = []any{}
	}
	e := json.NewEncoder(p.streams.Out)
	e.SetIndent("", indent)
	e.SetEscapeHTML(false)
	return e.Encode(value)
}

// say writes a line for people to stderr.
func (p *program) say(format string, args ...any) {
	fmt.Fprintln(p.streams.Err, plain(fmt.Sprintf(format, args...)))
}

// table lines up columns. The last one is not padded.
func table(head []string, rows [][]string) string {
	widths := make([]int, len(head))
	for _, row := range append([][]string{head}, rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], cells(cell))
		}
	}
	var b strings.Builder
	for _, row := range append([][]string{head}, rows...) {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", widths[i]-cells(cell)+2))
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// facts lines up names and values under a title. Empty values are left out.
func facts(title string, pairs ...string) string {
	wide := 0
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			wide = max(wide, cells(pairs[i]))
		}
	}
	var b strings.Builder
	if title != "" {
		b.WriteString(title + "\n")
	}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			fmt.Fprintf(&b, "  %s%s  %s\n", pairs[i], strings.Repeat(" ", wide-cells(pairs[i])), indent(pairs[i+1], wide+4))
		}
	}
	return b.String()
}
