package heartbeat

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/longshift/longshift/internal/excerpt"
)

var markdown = goldmark.New(goldmark.WithExtensions(extension.TaskList))

// todo is the content of a file: how often each item is open, and whether it has items or any other words.
type todo struct {
	open  map[string]int
	items bool
	words bool
}

// look parses what people have written. Front matter, headings, comments and rules are not work, and items inside code do not count.
func look(content []byte) todo {
	content = dropFrontMatter(bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n")))
	t := todo{open: map[string]int{}}
	root := markdown.Parser().Parse(text.NewReader(content))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading, *ast.ThematicBreak:
			return ast.WalkSkipChildren, nil
		case *ast.HTMLBlock:
			t.words = t.words || n.HTMLBlockType != ast.HTMLBlockType2 // type 2 is a comment
			return ast.WalkSkipChildren, nil
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			t.words = t.words || n.Lines().Len() > 0
		case *ast.Paragraph, *ast.TextBlock:
			t.words = t.words || n.Lines().Len() > 0
		case *extast.TaskCheckBox:
			t.items = true
			if !n.IsChecked {
				t.open[item(n.Parent(), content)]++
			}
		}
		return ast.WalkContinue, nil
	})
	return t
}

// item returns an item's own text on one line, without its check box.
func item(block ast.Node, content []byte) string {
	words := excerpt.OneLine(string(block.Lines().Value(content)))
	return strings.TrimSpace(strings.TrimPrefix(words, "[ ]"))
}

// work reports whether there is something to do: an open item or, in a file without items, any words.
func (t todo) work() bool {
	if t.items {
		return len(t.open) > 0
	}
	return t.words
}

// lessThan reports whether t is the rest of a list after some work was done: fewer open items, and no new ones. This guarantees that a
// file which continues by itself comes to an end.
func (t todo) lessThan(before todo) bool {
	n, was := 0, 0
	for item, count := range t.open {
		n += count
		if count > before.open[item] {
			return false
		}
	}
	for _, count := range before.open {
		was += count
	}
	return n < was
}

// dropFrontMatter removes a block between two lines of three hyphens at the very beginning.
func dropFrontMatter(content []byte) []byte {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	rest, ok := bytes.CutPrefix(content, []byte("---\n"))
	if !ok {
		return content
	}
	if _, after, ok := bytes.Cut(append([]byte("\n"), rest...), []byte("\n---\n")); ok {
		return after
	}
	if bytes.HasSuffix(rest, []byte("\n---")) {
		return nil
	}
	return content
}

var checkBox = regexp.MustCompile(`^(\s*(?:[-*+]|\d{1,9}[.)])\s+)\[([ xX])\](\s.*)$`)

// tick ticks the items of a text that are ticked in another one, and not open there as well.
func tick(text, other []byte) []byte {
	open, ticked := map[string]bool{}, map[string]bool{}
	for line := range bytes.Lines(other) {
		if m := checkBox.FindSubmatch(bytes.TrimRight(line, "\r\n")); m != nil {
			item := strings.TrimSpace(string(m[3]))
			open[item] = open[item] || string(m[2]) == " "
			ticked[item] = ticked[item] || string(m[2]) != " "
		}
	}
	var out []byte
	for line := range bytes.Lines(text) {
		words := bytes.TrimRight(line, "\r\n")
		if m := checkBox.FindSubmatch(words); m != nil {
			if item := strings.TrimSpace(string(m[3])); string(m[2]) == " " && ticked[item] && !open[item] {
				line = slices.Concat(m[1], []byte("[x]"), m[3], line[len(words):])
			}
		}
		out = append(out, line...)
	}
	return out
}
