package project

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/longshift/longshift/task"
)

// readYAML parses one YAML document. It accepts only what a configuration needs: no anchors and aliases, which can blow up a small file,
// no tags, no merge keys and no second document.
func readYAML(data []byte) (task.Literal, error) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF): // empty, or comments only
		return task.Literal{Type: task.ObjectLiteral}, nil
	case err != nil:
		return task.Literal{}, syntaxError(err)
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		if err != nil {
			return task.Literal{}, syntaxError(err)
		}
		return task.Literal{}, errors.New("holds more than one document; remove the line ---")
	}
	return literal(doc.Content[0], 0)
}

func syntaxError(err error) error {
	return errors.New("not YAML: " + strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\n", " "), "yaml: "))
}

// maxDepth limits nesting. A configuration needs three levels.
const maxDepth = 8

func literal(n *yaml.Node, depth int) (task.Literal, error) {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return task.Literal{}, fmt.Errorf("line %d: anchors and aliases are not supported; write the value out", n.Line)
	case n.Style&yaml.TaggedStyle != 0:
		return task.Literal{}, fmt.Errorf("line %d: tags are not supported; write the plain value", n.Line)
	case depth > maxDepth:
		return task.Literal{}, fmt.Errorf("line %d: nested more than %d deep", n.Line, maxDepth)
	}
	switch n.Kind {
	case yaml.SequenceNode:
		return listOf(n, depth)
	case yaml.MappingNode:
		return objectOf(n, depth)
	}
	return scalar(n), nil
}

func listOf(n *yaml.Node, depth int) (task.Literal, error) {
	l := task.Literal{Type: task.ListLiteral, Line: n.Line}
	for _, c := range n.Content {
		item, err := literal(c, depth+1)
		if err != nil {
			return task.Literal{}, err
		}
		l.Items = append(l.Items, item)
	}
	return l, nil
}

func objectOf(n *yaml.Node, depth int) (task.Literal, error) {
	l := task.Literal{Type: task.ObjectLiteral, Line: n.Line}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		name, err := literal(key, depth+1)
		if err != nil {
			return task.Literal{}, err
		}
		if key.Kind != yaml.ScalarNode || name.Type == task.NullLiteral {
			return task.Literal{}, fmt.Errorf("line %d: a key must be a word", key.Line)
		}
		value, err := literal(n.Content[i+1], depth+1)
		if err != nil {
			return task.Literal{}, err
		}
		l.Fields = append(l.Fields, task.Field{Name: key.Value, Line: key.Line, Value: value})
	}
	return l, nil
}

// scalar converts numbers and booleans to their JSON form: 0x10 becomes 16, True becomes true.
func scalar(n *yaml.Node) task.Literal {
	l := task.Literal{Type: task.TextLiteral, Text: n.Value, Line: n.Line}
	switch n.ShortTag() {
	case "!!null":
		l.Type = task.NullLiteral
	case "!!bool":
		var b bool
		l.Type = task.FlagLiteral
		if n.Decode(&b) == nil {
			l.Text = strconv.FormatBool(b)
		}
	case "!!int":
		var i int64
		l.Type = task.NumberLiteral
		if n.Decode(&i) == nil {
			l.Text = strconv.FormatInt(i, 10)
		}
	case "!!float":
		var f float64
		l.Type = task.NumberLiteral
		if n.Decode(&f) == nil && f-f == 0 { // neither infinite nor NaN
			l.Text = strconv.FormatFloat(f, 'g', -1, 64)
		}
	}
	return l
}
