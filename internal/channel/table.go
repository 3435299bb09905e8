package channel

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// whole leaves a table as plain text if parsing would lose cells, because a row has more cells than there are columns,
// or if padding every row to the number of columns would create too many cells.
type whole struct{ parser.ParagraphTransformer }

func (w whole) Transform(p *ast.Paragraph, r text.Reader, pc parser.Context) {
	lines, widest := p.Lines(), 0
	for i := lines.Len() - 1; i >= 0; i-- {
		s := lines.At(i)
		line := bytes.TrimSpace(s.Value(r.Source()))
		n := cellsIn(line)
		if ruler := len(bytes.Trim(line, "|:- \t")) == 0; ruler && n < widest { // it may be the delimiter row
			return
		}
		widest = max(widest, n)
	}
	if widest*lines.Len() <= maxCells {
		w.ParagraphTransformer.Transform(p, r, pc)
	}
}

// cellsIn returns an upper bound of the number of cells in a line.
func cellsIn(line []byte) int {
	line = bytes.TrimPrefix(line, []byte{'|'})
	n := 1
	for i, b := range line {
		if b == '|' && i < len(line)-1 && (i == 0 || line[i-1] != '\\') {
			n++
		}
	}
	return n
}

// table adds the header, and each row as an item that names its columns, because phones show no tables: "• first —
// Column: second".
func (r *reader) table(n *extast.Table) {
	var heads [][]Span
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		cells := r.cells(row)
		if _, ok := row.(*extast.TableHeader); ok {
			heads = cells
			r.row(Block{Kind: Paragraph}, cells, nil)
			continue
		}
		r.row(Block{Kind: Item, Mark: "•"}, cells, heads)
	}
}
func (r *reader) cells(row ast.Node) (cells [][]Span) {
	for c := row.FirstChild(); c != nil; c = c.NextSibling() {
		cells = append(cells, r.spans(c))
	}
	return cells
}

// row joins cells and omits empty ones.
func (r *reader) row(b Block, cells, heads [][]Span) {
	for i, c := range cells {
		if len(c) == 0 {
			continue
		}
		if len(b.Spans) > 0 {
			join := ", "
			if i == 1 && heads != nil {
				join = " — "
			}
			b.Spans = append(b.Spans, Span{Text: join})
		}
		if i > 0 && i < len(heads) && len(heads[i]) > 0 {
			b.Spans = append(append(b.Spans, heads[i]...), Span{Text: ": "})
		}
		b.Spans = append(b.Spans, c...)
	}
	if b.Spans = merge(b.Spans); len(b.Spans) > 0 {
		r.out = append(r.out, b)
	}
}
