package project

import (
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// source is the text of a file, with which it finds the end of a YAML node. The parsed tree only knows where a node begins.
type source struct {
	text  string
	lines []int  // offset of each line
	eol   string // line end that the file uses
	step  int    // indentation step in columns
	json  bool   // keys and strings are in double quotes
}

func newSource(text string) *source {
	s := &source{text: text, lines: []int{0}, eol: "\n", step: 2}
	for i := range len(text) {
		if text[i] == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	if strings.Contains(text, "\r\n") {
		s.eol = "\r\n"
	}
	return s
}

func (s *source) spliced(from, to int, with string) string { return s.text[:from] + with + s.text[to:] }

// start returns the offset of a node. YAML columns count characters, not bytes.
func (s *source) start(n *yaml.Node) (int, error) {
	if n.Line < 1 || n.Line > len(s.lines) {
		return 0, errForm
	}
	at := s.lines[n.Line-1]
	for range n.Column - 1 {
		if at >= len(s.text) {
			return 0, errForm
		}
		_, size := utf8.DecodeRuneInString(s.text[at:])
		at += size
	}
	return at, nil
}

// lineEnd returns the offset of the end of the line, before its line end.
func (s *source) lineEnd(at int) int {
	if i := strings.IndexByte(s.text[at:], '\n'); i >= 0 {
		return at + len(strings.TrimSuffix(s.text[at:at+i], "\r"))
	}
	return len(s.text)
}

// afterColon returns the offset after the colon of a key.
func (s *source) afterColon(key *yaml.Node) (int, error) {
	at, err := s.start(key)
	if err == nil {
		at, err = s.end(key, 0, true)
	}
	if err != nil {
		return 0, err
	}
	rest := strings.TrimLeft(s.text[at:], " \t")
	if !strings.HasPrefix(rest, ":") {
		return 0, errForm
	}
	return len(s.text) - len(rest) + 1, nil
}

func (s *source) endOfPair(key, value *yaml.Node, flow bool) (int, error) {
	if absent(value) {
		return s.afterColon(key)
	}
	return s.end(value, key.Column-1, flow)
}

// end returns the offset after a node. parent is the indentation of the mapping around it.
func (s *source) end(n *yaml.Node, parent int, flow bool) (int, error) {
	from, err := s.start(n)
	if err != nil || from >= len(s.text) {
		return 0, errForm
	}
	switch last := len(n.Content) - 1; {
	case n.Kind == yaml.ScalarNode && n.Style&yaml.DoubleQuotedStyle != 0:
		return s.closing(from, '"')
	case n.Kind == yaml.ScalarNode && n.Style&yaml.SingleQuotedStyle != 0:
		return s.closing(from, '\'')
	case n.Kind == yaml.ScalarNode && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return s.endOfLines(from, parent)
	case n.Kind == yaml.ScalarNode:
		return s.endOfPlain(from, n.Value, flow)
	case n.Style&yaml.FlowStyle != 0:
		return s.endOfFlow(from)
	case n.Kind == yaml.MappingNode && last > 0:
		return s.endOfPair(n.Content[last-1], n.Content[last], flow)
	case n.Kind == yaml.SequenceNode && last >= 0:
		return s.end(n.Content[last], n.Column-1, flow)
	}
	return 0, errForm
}
