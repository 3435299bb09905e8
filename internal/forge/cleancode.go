package forge

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/longshift/longshift/internal/neutral"
)

const brokenHTML = "\n(cut: HTML without an end)"

var plainWord = regexp.MustCompile(`^[A-Za-z0-9+#._-]{1,20}`)

// laid is a text whose code and HTML have been located.
type laid struct {
	source string
	raw    []byte // the source, as bytes
	edits  []edit
	code   []string
	parsed
}

// edit replaces a part of the source with text.
type edit struct {
	from, to int
	text     string
}

// lay locates what the page renders as code, which stays as it is, and what it renders as HTML, of which only the text stays. The
// parser of Markdown decides, not the look of the text: a row of backticks inside HTML begins no code.
func lay(source string) (string, *laid) {
	l := &laid{source: source, raw: []byte(source)}
	p, ok := parse(l.raw)
	if l.parsed = p; !ok {
		shown, whole := stripHTML(source)
		if !whole {
			shown += brokenHTML
		}
		return neutral.Clean(shown), l
	}
	for _, s := range p.defined {
		l.replace(s.Start, s.Stop, "")
	}
	_ = ast.Walk(p.doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			l.node(n)
		}
		return ast.WalkContinue, nil
	})
	return l.text(), l
}

func (l *laid) replace(from, to int, text string) { l.edits = append(l.edits, edit{from, to, text}) }

func (l *laid) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.FencedCodeBlock:
		l.fence(n)
	case *ast.CodeSpan:
		first, last := n.FirstChild(), n.LastChild()
		if a, ok := first.(*ast.Text); ok {
			if b, ok := last.(*ast.Text); ok {
				l.span(a.Segment.Start, b.Segment.Stop)
			}
		}
	case *ast.RawHTML:
		if k := n.Segments.Len(); k > 0 {
			shown, _ := stripHTML(string(n.Segments.Value(l.raw)))
			l.replace(n.Segments.At(0).Start, n.Segments.At(k-1).Stop, shown)
		}
	case *ast.HTMLBlock:
		l.html(n)
	case *ast.Paragraph, *ast.TextBlock, *ast.Heading, *extast.TableCell, *ast.CodeBlock:
		if n.Lines().Len() > 0 {
			l.replace(n.Lines().At(0).Start, n.Lines().At(0).Start, edge)
		}
	}
}

// html keeps the text of an HTML block. A block that ends inside a tag or a comment hides everything after it.
func (l *laid) html(n *ast.HTMLBlock) {
	lines := *n.Lines()
	if n.HasClosure() {
		lines.Append(n.ClosureLine)
	}
	if lines.Len() == 0 {
		return
	}
	shown, whole := stripHTML(string(lines.Value(l.raw)))
	to := lines.At(lines.Len() - 1).Stop
	if !whole {
		shown, to = shown+brokenHTML, len(l.source)
	}
	l.replace(lines.At(0).Start, to, edge+neutral.Clean(shown))
}

// keep replaces a piece of code with a mark, to be put back later. It removes comments, because forges and readers do not agree on what
// is code.
func (l *laid) keep(from, to int, code string) {
	l.code = append(l.code, comment.ReplaceAllString(neutral.Clean(code), " "))
	l.replace(from, to, codeMark+strconv.Itoa(len(l.code)-1)+codeMark)
}

func (l *laid) span(from, to int) {
	code := l.source[from:to]
	if math := strings.HasSuffix(strings.TrimRight(l.source[:from], "` "), "$"); math && hidesMath(code) {
		code = mathNote
	}
	l.keep(from, to, code)
}

// fence keeps the code of a block. Of the text after the opening fence, which no page shows, it keeps one plain word.
func (l *laid) fence(n *ast.FencedCodeBlock) {
	word := ""
	if n.Info != nil {
		s := n.Info.Segment
		info := s.Value(l.raw)
		word = plainWord.FindString(string(info))
		if len(word) < len(info) && info[len(word)] != ' ' && info[len(word)] != '\t' && info[len(word)] != '{' {
			word = ""
		}
		l.replace(s.Start, s.Stop, word+drawnNote(word))
	}
	lines := n.Lines()
	if drawn[strings.ToLower(word)] && lines.Len() > 0 {
		code := undrawn(strings.ToLower(word), string(lines.Value(l.raw)))
		l.keep(lines.At(0).Start, lines.At(lines.Len()-1).Stop, code)
		return
	}
	for from := 0; from < lines.Len(); {
		to := from // adjacent lines are one piece; the lines of a quote are apart
		for to+1 < lines.Len() && lines.At(to).Stop == lines.At(to+1).Start {
			to++
		}
		part := text.NewSegment(lines.At(from).Start, lines.At(to).Stop)
		l.keep(part.Start, part.Stop, string(part.Value(l.raw)))
		from = to + 1
	}
}

// text returns the source with its edits applied. Of two edits that overlap the first one is applied.
func (l *laid) text() string {
	slices.SortStableFunc(l.edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	var b strings.Builder
	at := 0
	for _, e := range l.edits {
		if e.from < at {
			continue
		}
		b.WriteString(neutral.Clean(l.source[at:e.from]) + e.text)
		at = e.to
	}
	return b.String() + neutral.Clean(l.source[at:])
}
