package channel

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/longshift/longshift/task"
)

// maxRead is the maximum length of a text in bytes; the rest is ignored.
const maxRead = 64 << 10

const cutOff = "… the rest was left out"

// Read parses the first 64 KiB of untrusted Markdown. Soft line breaks become spaces, hard ones become line ends within
// a span. A table becomes its header and one item per row. All text stays visible, since people decide by what they see:
// HTML tags, comments and link definitions are shown as written, addresses and titles of links and images follow their
// text, and the info string of a code block precedes it. Links are http or https without a user name. Invisible
// characters are dropped.
func Read(markdown string) (blocks []Block) {
	cut := len(markdown) > maxRead
	if cut {
		markdown = head(markdown, maxRead)
	}
	source := task.Visible(markdown)
	if strings.TrimSpace(source) == "" {
		return nil
	}
	defer func() {
		if recover() != nil { // show the text even if it breaks the parser
			blocks = []Block{{Kind: Code, Code: strings.Trim(source, "\n")}}
		}
		if cut {
			blocks = append(blocks, Block{Spans: []Span{{Text: cutOff, Italic: true}}})
		}
	}()
	return blocksOf(source)
}

// blocksOf parses visible text of limited length.
func blocksOf(source string) []Block {
	r := reader{source: []byte(source)}
	r.children(parse(r.source), place{level: -1})
	return r.out
}

// head returns at most n bytes without splitting a character, up to a line end if one is near.
func head(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	s = s[:n]
	if i := strings.LastIndexByte(s, '\n'); i > n*3/4 {
		s = s[:i]
	}
	return s
}

func parse(source []byte) ast.Node { return markdown.Parse(text.NewReader(source)) }

// reader converts a syntax tree to blocks.
type reader struct {
	source []byte
	out    []Block
}

// place is the position of a block in the tree.
type place struct {
	level int // of the surrounding list, -1 for none
	quote bool
}

func (r *reader) children(n ast.Node, at place) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		r.block(c, at)
	}
}

func (r *reader) block(n ast.Node, at place) {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		r.text(n, Block{Kind: Paragraph}, at)
	case *ast.Heading:
		r.text(n, Block{Kind: Heading, Level: n.Level}, at)
	case *ast.Blockquote:
		at.quote = true
		r.children(n, at)
	case *ast.List:
		r.list(n, at)
	case *ast.FencedCodeBlock:
		r.fenced(n)
	case *ast.CodeBlock:
		r.code("", r.lines(n))
	case *ast.ThematicBreak:
		r.out = append(r.out, Block{Kind: Rule})
	case *extast.Table:
		r.table(n)
	default:
		r.children(n, at)
	}
}

// text adds a block of spans, as part of a quote if it is in one.
func (r *reader) text(n ast.Node, b Block, at place) {
	b.Spans = r.spans(n)
	if len(b.Spans) == 0 {
		return
	}
	if at.quote {
		b = Block{Kind: Quote, Spans: b.Spans}
	}
	r.out = append(r.out, b)
}

func (r *reader) list(n *ast.List, at place) {
	at.level++
	number := n.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		mark := "•"
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + "."
			number++
		}
		r.item(c, mark, at)
	}
}

// item adds a list item. Its further paragraphs join the same block, unless another block comes between.
func (r *reader) item(n ast.Node, mark string, at place) {
	own := -1
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		_, isText := c.(*ast.TextBlock)
		_, isParagraph := c.(*ast.Paragraph)
		if !isText && !isParagraph {
			r.block(c, at)
			continue
		}
		spans := r.spans(c)
		if box, ok := c.FirstChild().(*extast.TaskCheckBox); ok && own < 0 {
			mark = "☐"
			if box.IsChecked {
				mark = "☑"
			}
		}
		switch {
		case len(spans) == 0:
		case own < 0:
			own = len(r.out)
			r.out = append(r.out, Block{Kind: Item, Level: at.level, Mark: mark, Spans: spans})
		case own == len(r.out)-1:
			r.out[own].Spans = merge(append(append(r.out[own].Spans, Span{Text: "\n"}), spans...))
		default:
			r.out = append(r.out, Block{Kind: Paragraph, Spans: spans})
		}
	}
}
