package forge

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Limits on what a text can make the parser do. Beyond them its work would grow with the square of the text, so such a text is treated
// as HTML throughout: nothing in it counts as code.
const (
	maxDepth = 60   // blocks within blocks; a list takes two
	maxLinks = 2000 // brackets that may belong to a link
)

// page parses Markdown as the page of a forge does. Emphasis is not parsed, because it affects neither what is code nor what is hidden.
var page = parser.NewParser(
	parser.WithBlockParsers(
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(shallow{parser.NewListParser()}, 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
		util.Prioritized(parser.NewHTMLBlockParser(), 900),
		util.Prioritized(shallow{extension.NewFootnoteBlockParser()}, 999),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	),
	parser.WithInlineParsers(
		util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(fewLinks{parser.NewLinkParser()}, 200),
		util.Prioritized(parser.NewAutoLinkParser(), 300),
		util.Prioritized(parser.NewRawHTMLParser(), 400),
	),
	parser.WithParagraphTransformers(
		util.Prioritized(defined{parser.LinkReferenceParagraphTransformer}, 100),
		util.Prioritized(extension.NewTableParagraphTransformer(), 200),
	),
)

var (
	hardKey    = parser.NewContextKey() // *bool: the text exceeds a limit
	triesKey   = parser.NewContextKey() // *int
	definedKey = parser.NewContextKey() // *[]text.Segment: lines that define addresses
)

// parsed is a text as the page shows it.
type parsed struct {
	doc     ast.Node
	defined []text.Segment
	refs    parser.Context
}

// parse returns false for a text that exceeds a limit or that the parser fails on.
func parse(source []byte) (p parsed, ok bool) {
	defer func() {
		if recover() != nil { // a library on untrusted text may panic
			p, ok = parsed{}, false
		}
	}()
	pc := parser.NewContext()
	var hard bool
	pc.Set(hardKey, &hard)
	pc.Set(triesKey, new(int))
	pc.Set(definedKey, &p.defined)
	p.doc, p.refs = page.Parse(text.NewReader(source), parser.WithContext(pc)), pc
	return p, !hard
}

// shallow is a block parser that opens no block below a certain depth.
type shallow struct{ parser.BlockParser }

// Open opens a block where the depth allows it.
func (s shallow) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		depth++
	}
	if depth > maxDepth {
		*pc.Get(hardKey).(*bool) = true
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, r, pc)
}

// fewLinks is a link parser that handles a limited number of brackets.
type fewLinks struct{ parser.InlineParser }

func (f fewLinks) Parse(parent ast.Node, r text.Reader, pc parser.Context) ast.Node {
	n := pc.Get(triesKey).(*int)
	if *n++; *n > maxLinks {
		*pc.Get(hardKey).(*bool) = true
		return nil
	}
	return f.InlineParser.Parse(parent, r, pc)
}

func (f fewLinks) CloseBlock(parent ast.Node, r text.Reader, pc parser.Context) {
	if c, ok := f.InlineParser.(parser.CloseBlocker); ok {
		c.CloseBlock(parent, r, pc)
	}
}

// defined records the lines of a paragraph that define link addresses, which pages do not show.
type defined struct{ parser.ParagraphTransformer }

func (d defined) Transform(node *ast.Paragraph, r text.Reader, pc parser.Context) {
	lines := node.Lines()
	if lines.Len() == 0 {
		return
	}
	first := lines.At(0)
	if !bytes.HasPrefix(bytes.TrimLeft(first.Value(r.Source()), " \t"), []byte("[")) {
		return
	}
	before := append([]text.Segment{}, lines.Sliced(0, lines.Len())...)
	d.ParagraphTransformer.Transform(node, r, pc)
	left := map[int]bool{}
	for i := range node.Lines().Len() {
		left[node.Lines().At(i).Start] = true
	}
	list := pc.Get(definedKey).(*[]text.Segment)
	for _, s := range before {
		if !left[s.Start] {
			*list = append(*list, s)
		}
	}
}
