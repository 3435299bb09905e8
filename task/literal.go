package task

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

type LiteralType string

// The types of JSON and YAML values.
const (
	TextLiteral   LiteralType = "text"
	NumberLiteral LiteralType = "number"
	FlagLiteral   LiteralType = "flag"
	NullLiteral   LiteralType = "null"
	ListLiteral   LiteralType = "list"
	ObjectLiteral LiteralType = "object"
)

// Literal is one value of a JSON or YAML document. Both formats are parsed into Literals, so that the same strict rules apply to both.
type Literal struct {
	Type   LiteralType
	Text   string    // of a string, number or boolean ("true", "false")
	Line   int       // line number from 1; 0 if it has no meaning
	Items  []Literal // of a list
	Fields []Field   // of an object, in the document's order, with duplicates
}

// Field is one key of an object.
type Field struct {
	Name  string
	Line  int
	Value Literal
}

// maxDepth limits the nesting of lists and objects. Our own documents need four levels.
const maxDepth = 16

// ReadJSON parses a single JSON value with nothing after it.
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
		key, _ := name.(string) // the decoder accepts only strings as keys
		l.Fields = append(l.Fields, Field{Name: key, Value: value})
	}
	_, err := d.Token() // the closing brace
	return l, err
}

// jsonError says on one line where the JSON is invalid.
func jsonError(data []byte, d *json.Decoder, err error) error {
	at := d.InputOffset()
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
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
