package channel

import (
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// table gives each row as an item that names its columns, for a phone shows no table: "• first — Column: second, Column: third".
func (r *reader) table(n *extast.Table) {
	var heads [][]Span
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		cells := r.cells(row)
		if _, ok := row.(*extast.TableHeader); ok {
			heads = cells
			if row.NextSibling() == nil {
				r.row(Block{Kind: Paragraph}, cells, nil)
			}
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

// row joins cells and leaves out empty ones.
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
