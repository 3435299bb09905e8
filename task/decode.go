package task

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
)

// decoder decodes a Literal into a struct strictly. It rejects unknown and duplicate keys and wrong types. It uses the json tags. Null
// counts as missing. It supports strings, integers, floats, booleans, lists, maps of strings, structs and pointers to them.
type decoder struct {
	lines    []fieldLine
	mistakes []mistake
	way      func(field string) string // hint for a field that needs a special value
}

// fieldLine is the line of a field, for later errors about its value.
type fieldLine struct {
	field string
	line  int
}

// decode decodes into a pointer to a struct.
func (d *decoder) decode(l Literal, into any) {
	d.value(l, "", reflect.ValueOf(into).Elem())
}

// lineOf returns the line of a field, 0 if unknown.
func (d *decoder) lineOf(field string) int {
	for _, f := range d.lines {
		if f.field == field {
			return f.line
		}
	}
	return 0
}

func (d *decoder) value(l Literal, at string, v reflect.Value) {
	if l.Type == NullLiteral {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		fresh := reflect.New(v.Type().Elem())
		before := len(d.mistakes)
		d.value(l, at, fresh.Elem())
		if len(d.mistakes) == before || v.Type().Elem().Kind() == reflect.Struct {
			v.Set(fresh)
		}
	case reflect.Struct:
		d.object(l, at, v)
	case reflect.Slice:
		d.list(l, at, v)
	case reflect.Map:
		d.texts(l, at, v)
	default:
		d.scalar(l, at, v)
	}
}

func (d *decoder) object(l Literal, at string, v reflect.Value) {
	if l.Type != ObjectLiteral {
		d.wrongType(l, at, "an object with the keys "+strings.Join(keysOf(v.Type()), ", "))
		return
	}
	var seen []string
	for _, f := range l.Fields {
		field := join(at, f.Name)
		i := fieldIndex(v.Type(), f.Name)
		switch {
		case i < 0:
			d.add(mistake{field: field, line: f.Line, what: "is not a known key", way: unknownKeyHint(f.Name, keysOf(v.Type()))})
			continue
		case slices.Contains(seen, f.Name):
			d.add(mistake{field: field, line: f.Line, what: "appears twice", way: "keep one of them"})
			continue
		}
		seen = append(seen, f.Name)
		d.lines = append(d.lines, fieldLine{field, f.Line})
		d.value(f.Value, field, v.Field(i))
	}
}

func (d *decoder) list(l Literal, at string, v reflect.Value) {
	if l.Type != ListLiteral {
		d.wrongType(l, at, "a list")
		return
	}
	before := len(d.mistakes)
	v.Set(reflect.MakeSlice(v.Type(), len(l.Items), len(l.Items)))
	for i, item := range l.Items {
		field := at + "[" + strconv.Itoa(i) + "]"
		if item.Type == NullLiteral {
			d.wrongType(item, field, "a value")
			continue
		}
		d.value(item, field, v.Index(i))
	}
	if len(d.mistakes) > before {
		v.SetZero() // skip further checks of its values
	}
}

// texts decodes a map of strings. An entry without a value is a mistake, because its meaning is ambiguous.
func (d *decoder) texts(l Literal, at string, v reflect.Value) {
	if l.Type != ObjectLiteral {
		d.wrongType(l, at, "names with values")
		return
	}
	texts := map[string]string{}
	for _, f := range l.Fields {
		field := join(at, f.Name)
		if _, twice := texts[f.Name]; twice {
			d.add(mistake{field: field, line: f.Line, what: "appears twice", way: "keep one of them"})
			continue
		}
		texts[f.Name] = f.Value.Text
		d.lines = append(d.lines, fieldLine{field, f.Line})
		if f.Value.Type != TextLiteral {
			d.wrongType(f.Value, field, "text, in quotes")
		}
	}
	v.Set(reflect.ValueOf(texts))
}

func (d *decoder) scalar(l Literal, at string, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if l.Type != TextLiteral {
			d.wrongType(l, at, "text, in quotes")
			return
		}
		v.SetString(l.Text)
	case reflect.Bool:
		if l.Type != FlagLiteral {
			d.wrongType(l, at, "true or false")
			return
		}
		v.SetBool(l.Text == "true")
	case reflect.Int:
		n, err := strconv.Atoi(l.Text)
		if l.Type != NumberLiteral || err != nil {
			d.wrongType(l, at, "a whole number")
			return
		}
		v.SetInt(int64(n))
	case reflect.Float64:
		n, err := strconv.ParseFloat(l.Text, 64)
		if l.Type != NumberLiteral || err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
			d.wrongType(l, at, "a number")
			return
		}
		v.SetFloat(n)
	}
}

func (d *decoder) wrongType(l Literal, at, want string) {
	way := ""
	if d.way != nil {
		way = d.way(at)
	}
	way = cmp.Or(way, "give "+want)
	d.add(mistake{field: at, line: l.Line, what: "is " + l.show(), way: way})
}

func (d *decoder) add(m mistake) { d.mistakes = append(d.mistakes, m) }

// show describes a value in an error.
func (l Literal) show() string {
	switch l.Type {
	case TextLiteral:
		return "the text " + quote(l.Text)
	case NumberLiteral, FlagLiteral:
		return excerpt.Clip(l.Text, 60)
	case ListLiteral:
		return "a list"
	case ObjectLiteral:
		return "an object"
	}
	return "empty"
}

// fieldIndex finds a struct field by its json name, -1 if there is none. Unlike encoding/json it is case-sensitive.
func fieldIndex(t reflect.Type, name string) int {
	for i := range t.NumField() {
		if tag, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); tag == name && name != "" {
			return i
		}
	}
	return -1
}

func keysOf(t reflect.Type) (names []string) {
	for field := range t.Fields() {
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, tag)
	}
	return names
}
