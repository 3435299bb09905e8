package project

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/longshift/longshift/task"
)

// Schema returns the JSON Schema of .longshift.yaml, published as docs/longshift.schema.json. Editors use it for completion. Parse does
// not use it, because its own errors are better.
func Schema() ([]byte, error) {
	base := defaults()
	root := object{}
	for _, k := range task.ConfigKeys() {
		value, _ := base.Lookup(k.Path)
		s := schemaOf(k)
		s.add("default", value)
		group, name, nested := strings.Cut(k.Path, ".")
		if !nested {
			root.add(k.Path, s)
			continue
		}
		g, _ := root.get(group).(*object)
		if g == nil {
			g = &object{}
			root.add(group, g)
		}
		g.add(name, s)
	}
	for i, m := range root {
		if g, is := m.value.(*object); is {
			root[i].value = objectSchema(*g)
		}
	}
	doc := object{{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", FileName},
		{"description", "Configuration of Longshift in a repository. Every key is optional."}}
	doc = append(doc, objectSchema(root)...)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(doc)
	return b.Bytes(), err
}

func objectSchema(properties object) object {
	return object{{"type", []string{"object", "null"}}, {"additionalProperties", false}, {"properties", properties}}
}

func schemaOf(k task.ConfigKey) object {
	s := object{{"description", k.Doc}}
	switch k.Type {
	case task.ChoiceKey:
		s.add("enum", k.Choices)
	case task.FlagKey:
		s.add("type", "boolean")
	case task.DurationKey:
		s.add("type", "string")
		s.add("pattern", `^([0-9]+(\.[0-9]+)?(h|m|s|ms))+$`)
	case task.TextKey:
		s.add("type", "string")
		s.add("maxLength", k.Length)
	case task.ListKey:
		s.add("type", "array")
		s.add("maxItems", k.Items)
		s.add("items", object{{"type", "string"}, {"maxLength", k.Length}})
	case task.MapKey:
		s.add("type", []string{"object", "null"})
		s.add("maxProperties", k.Items)
		s.add("propertyNames", object{{"pattern", "^[A-Za-z_][A-Za-z0-9_]*$"}})
		s.add("patternProperties", object{{"", object{{"type", "string"}, {"maxLength", k.Length}}}})
	case task.WholeKey:
		s.add("type", "integer")
		s.add("minimum", k.Least)
		s.add("maximum", k.Most)
	case task.NumberKey:
		s.add("type", "number")
		s.add("exclusiveMinimum", k.Least)
		s.add("maximum", k.Most)
	}
	return s
}

// object is a JSON object with ordered members.
type object []member

type member struct {
	key   string
	value any
}

func (o *object) add(key string, value any) { *o = append(*o, member{key, value}) }

func (o object) get(key string) any {
	for _, m := range o {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		var value bytes.Buffer
		e := json.NewEncoder(&value)
		e.SetEscapeHTML(false)
		if err := e.Encode(m.value); err != nil {
			return nil, err
		}
		key, err := json.Marshal(m.key)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value.Bytes())
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
