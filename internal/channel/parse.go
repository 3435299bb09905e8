package channel

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// For some hostile texts, parsing Markdown takes quadratic time or nests without bound. So each sub-parser may only try
// a limited number of times per text; later markup remains plain text.
const (
	maxDepth = 24   // nested blocks; a list counts twice
	maxTries = 2000 // per kind of inline markup
	maxLinks = 800  // brackets that may start a link: each may scan a whole line
	maxCells = 2000 // per table
)

// markdown does not parse HTML: tags and comments remain visible text. Nor does it parse link reference definitions:
// they may contain any text, which must be visible.
var markdown = parser.NewParser(
	parser.WithBlockParsers(
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(shallow{parser.NewListParser()}, 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	),
	parser.WithInlineParsers(
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
		util.Prioritized(limited(parser.NewCodeSpanParser(), maxTries), 100),
		util.Prioritized(links{limited(parser.NewLinkParser(), maxLinks)}, 200),
		util.Prioritized(limited(parser.NewAutoLinkParser(), maxTries), 300),
		util.Prioritized(limited(extension.NewStrikethroughParser(), maxTries), 500),
		util.Prioritized(limited(parser.NewEmphasisParser(), maxTries), 501),
		util.Prioritized(address{limited(extension.NewLinkifyParser(), maxTries)}, 999),
	),
	parser.WithParagraphTransformers(
		util.Prioritized(whole{extension.NewTableParagraphTransformer()}, 200),
	),
	parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
)

// shallow opens no blocks below a maximum depth.
type shallow struct{ parser.BlockParser }

func (s shallow) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		depth++
	}
	if depth > maxDepth {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, r, pc)
}

// few limits the number of tries.
type few struct {
	parser.InlineParser
	most int
	key  parser.ContextKey
}

func limited(p parser.InlineParser, most int) few { return few{p, most, parser.NewContextKey()} }

func (f few) Parse(parent ast.Node, r text.Reader, pc parser.Context) ast.Node {
	n := pc.ComputeIfAbsent(f.key, func() any { return new(int) }).(*int)
	if *n++; *n > f.most {
		return nil
	}
	return f.InlineParser.Parse(parent, r, pc)
}

// links also forwards CloseBlock, in which the link parser cleans up.
type links struct{ few }

func (l links) CloseBlock(parent ast.Node, r text.Reader, pc parser.Context) {
	if c, ok := l.InlineParser.(parser.CloseBlocker); ok {
		c.CloseBlock(parent, r, pc)
	}
}

// address counts only what looks like an address, because it is called at every space.
type address struct{ few }

func (a address) Parse(parent ast.Node, r text.Reader, pc parser.Context) ast.Node {
	line, _ := r.PeekLine()
	if len(line) > 0 && bytes.IndexByte([]byte(" *_~("), line[0]) >= 0 {
		line = line[1:]
	}
	for _, start := range []string{"http://", "https://", "www."} {
		if bytes.HasPrefix(line, []byte(start)) {
			return a.few.Parse(parent, r, pc)
		}
	}
	return nil
}
