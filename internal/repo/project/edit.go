package project

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// Change is a new value for a key: a string, int, float64 or bool, as task.Config.Lookup returns it.
type Change struct {
	Key   string
	Value any
}

const byteOrderMark = "\ufeff"

// Edit writes new values into a .longshift.yaml. Every byte outside a changed value stays: comments, order, blank lines, quotes, line
// ends. The parsed tree only locates the values; writing the text from the tree would lose all of these. The result is parsed again, and
// Edit fails unless it equals the old content with the changes.
func Edit(data []byte, changes []Change) ([]byte, error) {
	before, err := Parse(data)
	if err != nil {
		return nil, err
	}
	text, marked := strings.CutPrefix(string(data), byteOrderMark)
	if !utf8.ValidString(text) || strings.ContainsAny(text, "\u0085\u2028\u2029") || strings.Count(text, "\r") != strings.Count(text, "\r\n") {
		return nil, fault.New(fault.Input, "%s has line ends or letters that an edit can't keep", FileName).
			WithHint("save it as UTF-8 with usual line ends, then try again")
	}
	for _, c := range changes {
		if text, err = edit(text, c); err != nil {
			return nil, byHand(c.Key)
		}
	}
	if marked {
		text = byteOrderMark + text
	}
	after, err := Parse([]byte(text))
	if err != nil {
		return nil, byHand(changes[0].Key)
	}
	for _, k := range task.ConfigKeys() {
		was, wasSet := before.Lookup(k.Path)
		for _, c := range changes {
			if c.Key == k.Path {
				was, wasSet = c.Value, true
			}
		}
		if is, isSet := after.Lookup(k.Path); isSet != wasSet || !reflect.DeepEqual(is, was) {
			return nil, byHand(k.Path)
		}
	}
	return []byte(text), nil
}

// byHand is the error for a file that can't be edited safely.
func byHand(key string) error {
	return fault.New(fault.Input, "%s: %s is written in a form that can't be changed safely", FileName, key).
		WithHint("change it in the file by hand")
}

var errForm = errors.New("unknown form")

func edit(text string, c Change) (string, error) {
	var doc yaml.Node
	err := yaml.NewDecoder(strings.NewReader(text)).Decode(&doc)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	s := newSource(text)
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return s.appended(c) // empty, or comments only
	}
	root := doc.Content[0]
	s.json = root.Style&yaml.FlowStyle != 0 && len(root.Content) > 0 && root.Content[0].Style&yaml.DoubleQuotedStyle != 0
	return s.change(root, c.Key, c.Value, root.Style&yaml.FlowStyle != 0)
}

// change sets a key of a mapping. flow means that the mapping is in braces, or inside one that is.
func (s *source) change(m *yaml.Node, path string, v any, flow bool) (string, error) {
	name, rest, nested := strings.Cut(path, ".")
	for i := 0; i+1 < len(m.Content); i += 2 {
		key, value := m.Content[i], m.Content[i+1]
		if key.Value != name {
			continue
		}
		inFlow := flow || value.Style&yaml.FlowStyle != 0
		if nested && value.Kind == yaml.MappingNode {
			return s.change(value, rest, v, inFlow)
		}
		if value.Kind != yaml.ScalarNode || nested && value.ShortTag() != "!!null" {
			return "", errForm
		}
		return s.replace(key, value, path, v, flow)
	}
	if flow {
		return s.insertFlow(m, path, v)
	}
	return s.insertBlock(m, path, v)
}

// replace replaces a value, or inserts one after the colon of a key without a value.
func (s *source) replace(key, old *yaml.Node, path string, v any, flow bool) (string, error) {
	text := ""
	if _, rest, nested := strings.Cut(path, "."); nested {
		inner, err := s.pair(rest, v, true)
		if err != nil {
			return "", err
		}
		text = "{" + inner + "}"
	} else {
		var err error
		if text, err = s.scalarText(v, old.Style, flow); err != nil {
			return "", err
		}
	}
	if absent(old) {
		at, err := s.afterColon(key)
		return s.spliced(at, at, " "+text), err
	}
	from, err := s.start(old)
	if err != nil {
		return "", err
	}
	to, err := s.end(old, key.Column-1, flow)
	if err != nil {
		return "", err
	}
	if old.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 { // keep a comment after the block indicator
		header, _, _ := strings.Cut(s.text[from:], "\n")
		if i := strings.Index(header, " #"); i >= 0 {
			text += strings.TrimRight(header[i:], "\r")
		}
	}
	return s.spliced(from, to, text), nil
}

// absent reports whether a key has no value in the text.
func absent(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 }

// Header is the beginning of a new .longshift.yaml.
func Header() []byte {
	var b bytes.Buffer
	b.WriteString("# yaml-language-server: $schema=https://raw.githubusercontent.com/longshift/longshift/main/docs/longshift.schema.json\n")
	b.WriteString("# Settings of Longshift for this repository. Tasks read them from the commit that they start from.\n")
	b.WriteString("# All keys: `longshift config show`. The usual ones, one by one: `longshift setup`.\n")
	return b.Bytes()
}
