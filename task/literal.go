package task

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// LiteralType is the type of a Literal.
type LiteralType string

// The types a document knows.
const (
	TextLiteral   LiteralType = "text"
	NumberLiteral LiteralType = "number"
	FlagLiteral   LiteralType = "flag"
	NullLiteral   LiteralType = "null"
	ListLiteral   LiteralType = "list"
	ObjectLiteral LiteralType = "object"
)

// Literal is one value of a JSON or YAML document. Both are read into Literals, so that the same strict rules meet both.
type Literal struct {
	Type   LiteralType
	Text   string    // of a text, number or flag ("true", "false")
	Line   int       // where it stands, from 1; 0 when that says nothing
	Items  []Literal // of a list
	Fields []Field   // of an object, in the order of the document, duplicates included
}

// Field is one key of an object.
type Field struct {
	Name  string
	Line  int
	Value Literal
}

// maxDepth bounds how deep lists and objects may be nested; our own documents need four.
const maxDepth = 16

// ReadJSON reads one JSON value, and nothing after it.
func ReadJSON(data []byte) (Literal, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	l, err := readLiteral(d, 0)
	if err != nil {
		return Literal{}, jsonError(data, d, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Literal{}, fmt.Errorf("not JSON: something follows the value at byte %d", d.InputOffset())
	}
	return l, nil
}

func readLiteral(d *json.Decoder, depth int) (Literal, error) {
	if depth > maxDepth {
		return Literal{}, fmt.Errorf("nested more than %d deep", maxDepth)
	}
	token, err := d.Token()
	if err != nil {
		return Literal{}, err
	}
	switch v := token.(type) {
	case string:
		return Literal{Type: TextLiteral, Text: v}, nil
	case json.Number:
		return Literal{Type: NumberLiteral, Text: v.String()}, nil
	case bool:
		return Literal{Type: FlagLiteral, Text: strconv.FormatBool(v)}, nil
	case json.Delim:
		if v == '[' {
			return readList(d, depth)
		}
		return readObject(d, depth)
	}
	return Literal{Type: NullLiteral}, nil
}

func readList(d *json.Decoder, depth int) (Literal, error) {
	l := Literal{Type: ListLiteral}
	for d.More() {
		item, err := readLiteral(d, depth+1)
		if err != nil {
			return Literal{}, err
		}
		l.Items = append(l.Items, item)
	}
	_, err := d.Token() // the closing bracket
	return l, err
}

func readObject(d *json.Decoder, depth int) (Literal, error) {
	l := Literal{Type: ObjectLiteral}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return Literal{}, err
		}
		value, err := readLiteral(d, depth+1)
		if err != nil {
			return Literal{}, err
		}
		key, _ := name.(string) // the decoder lets nothing else pass as a key
		l.Fields = append(l.Fields, Field{Name: key, Value: value})
	}
	_, err := d.Token() // the closing brace
	return l, err
}

// jsonError says in one line where the text stops to be JSON.
func jsonError(data []byte, d *json.Decoder, err error) error {
	at := d.InputOffset()
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at = syntax.Offset
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		if len(bytes.TrimSpace(data)) == 0 {
			return errors.New("not JSON: it is empty")
		}
		return errors.New("not JSON: it ends too early")
	}
	line := 1 + bytes.Count(data[:min(int(at), len(data))], []byte("\n"))
	return fmt.Errorf("not JSON: line %d: %w", line, err)
}
