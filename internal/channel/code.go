package channel

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// language matches the name of a language: one short word, which can't be an instruction.
var language = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,15}(\+\+|#|[.-][A-Za-z]{1,4})?$`)

// fenced adds a code block. An info string that is more than a language is shown as text before it.
func (r *reader) fenced(n *ast.FencedCodeBlock) {
	info, lang := "", ""
	if n.Info != nil {
		info = strings.TrimSpace(oneLine(string(n.Info.Segment.Value(r.source))))
	}
	if first, _, _ := strings.Cut(info, " "); language.MatchString(first) {
		lang = first
	}
	code := r.lines(n)
	if info != lang || code == "" && info != "" {
		r.out = append(r.out, Block{Kind: Paragraph, Spans: []Span{{Text: info, Mono: true}}})
	}
	r.code(lang, code)
}

func (r *reader) code(lang, code string) {
	if code != "" {
		r.out = append(r.out, Block{Kind: Code, Lang: lang, Code: code})
	}
}

// lines returns the lines of a code block without trailing line ends.
func (r *reader) lines(n ast.Node) string {
	var s strings.Builder
	for i := range n.Lines().Len() {
		l := n.Lines().At(i)
		s.Write(l.Value(r.source))
	}
	return strings.TrimRight(s.String(), "\n")
}
