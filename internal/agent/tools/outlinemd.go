package tools

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/longshift/longshift/internal/excerpt"
)

const (
	markdownBytes = 256 << 10
	markdownDepth = 20 // of quotes and lists in each other; for deeper ones the time to parse grows with the square
)

// outlineMarkdown lists the headings, each up to the next that is as high. It is false for a file that would take long to parse.
func outlineMarkdown(content []byte) ([]item, bool) {
	if len(content) > markdownBytes || nested(content) {
		return nil, false
	}
	// Without parsers for what is in a line: headings are all that is wanted, and those parsers are slow on hostile text.
	p := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
	var items []item
	var levels []int
	last, line, counted := countLines(content), 1, 0
	for n := p.Parse(text.NewReader(content)).FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok || h.Lines().Len() == 0 {
			continue
		}
		segment := h.Lines().At(0)
		line += bytes.Count(content[counted:segment.Start], []byte("\n"))
		counted = segment.Start
		items = append(items, item{line, last, strings.Repeat("#", h.Level) + " " + excerpt.OneLine(string(segment.Value(content)))})
		levels = append(levels, h.Level)
	}
	for i := range items {
		for k := i + 1; k < len(items); k++ {
			if levels[k] <= levels[i] {
				items[i].to = items[k].from - 1
				break
			}
		}
	}
	return items, true
}

// nested is true if a line opens many quotes or lists, or is indented as deeply.
func nested(content []byte) bool {
	for line := range bytes.Lines(content) {
		begin := line[:len(line)-len(bytes.TrimLeft(line, " \t>-+*.)0123456789"))]
		if len(begin) > 4*markdownDepth && bytes.ContainsAny(begin, ">-+*.)") || bytes.Count(begin, []byte(">")) > markdownDepth {
			return true
		}
	}
	return false
}
