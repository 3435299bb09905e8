package project

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// insertBlock puts a key behind the last one of a mapping of lines.
func (s *source) insertBlock(m *yaml.Node, path string, v any) (string, error) {
	n := len(m.Content)
	if n < 2 {
		return "", errForm
	}
	at, err := s.endOfPair(m.Content[n-2], m.Content[n-1], false)
	if err != nil {
		return "", err
	}
	at = s.lineEnd(at) // a comment on that line belongs to it
	text, err := s.block(path, v, m.Content[0].Column-1)
	return s.spliced(at, at, s.eol+text), err
}

// insertFlow puts a key behind the last one of a mapping in braces.
func (s *source) insertFlow(m *yaml.Node, path string, v any) (string, error) {
	text, err := s.pair(path, v, true)
	if err != nil {
		return "", err
	}
	if n := len(m.Content); n >= 2 {
		at, err := s.endOfPair(m.Content[n-2], m.Content[n-1], true)
		return s.spliced(at, at, ", "+text), err
	}
	at, err := s.start(m)
	if err != nil || !strings.HasPrefix(s.text[at:], "{") {
		return "", errForm
	}
	return s.spliced(at+1, at+1, text), nil
}

// appended puts a key at the end of a file that has none.
func (s *source) appended(c Change) (string, error) {
	text, err := s.block(c.Key, c.Value, 0)
	if s.text != "" && !strings.HasSuffix(s.text, "\n") {
		text = s.eol + text
	}
	return s.text + text + s.eol, err
}

// block writes a key and its value on lines of their own, without the last line end.
func (s *source) block(path string, v any, indent int) (string, error) {
	margin := strings.Repeat(" ", indent)
	group, rest, nested := strings.Cut(path, ".")
	if !nested {
		text, err := s.pair(path, v, false)
		return margin + text, err
	}
	inner, err := s.block(rest, v, indent+s.step)
	return margin + group + ":" + s.eol + inner, err
}

// pair writes "key: value"; a group of one inside braces.
func (s *source) pair(path string, v any, flow bool) (string, error) {
	name, rest, nested := strings.Cut(path, ".")
	if s.json {
		name = `"` + name + `"`
	}
	if nested {
		inner, err := s.pair(rest, v, flow)
		return name + ": {" + inner + "}", err
	}
	text, err := s.scalarText(v, 0, flow)
	return name + ": " + text, err
}

// scalarText writes a value on one line, in the quotes that the one before had.
func (s *source) scalarText(v any, style yaml.Style, flow bool) (string, error) {
	var n yaml.Node
	if err := n.Encode(v); err != nil {
		return "", err
	}
	if _, isText := v.(string); isText {
		n.Style = style & (yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle)
		if s.json || strings.ContainsAny(n.Value, "\n\t") {
			n.Style = yaml.DoubleQuotedStyle
		}
	}
	if !flow {
		return encoded(&n)
	}
	text, err := encoded(&yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: []*yaml.Node{&n}})
	return strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"), err
}

func encoded(n *yaml.Node) (string, error) {
	data, err := yaml.Marshal(n)
	text := strings.TrimSuffix(string(data), "\n")
	if err == nil && strings.Contains(text, "\n") {
		return "", errForm
	}
	return text, err
}
