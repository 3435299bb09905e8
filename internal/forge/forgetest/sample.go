package forgetest

import (
	"maps"

	"github.com/getkin/kin-openapi/openapi3"
)

// sample makes a value that has every field its schema requires. The server writes what it knows over it.
func sample(ref *openapi3.SchemaRef) any {
	s := ref.Value
	switch {
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Nullable:
		return nil
	case len(s.AllOf) > 0:
		all := map[string]any{}
		for _, part := range s.AllOf {
			if m, ok := sample(part).(map[string]any); ok {
				maps.Copy(all, m)
			}
		}
		return all
	case len(s.OneOf) > 0:
		return sample(s.OneOf[0])
	case len(s.AnyOf) > 0:
		return sample(s.AnyOf[0])
	case s.Type.Is("object"):
		return sampleObject(s)
	case s.Type.Is("array"):
		return []any{}
	case s.Type.Is("integer"), s.Type.Is("number"):
		return 1
	case s.Type.Is("boolean"):
		return false
	case s.Format == "date-time":
		return "2011-01-26T19:01:12Z"
	case s.Format == "uri":
		return "https://api.github.com/"
	}
	return "text"
}

func sampleObject(s *openapi3.Schema) map[string]any {
	m := map[string]any{}
	for _, name := range s.Required {
		if p := s.Properties[name]; p != nil {
			m[name] = sample(p)
		}
	}
	return m
}

// object is a sample of a named schema with fields written over it.
func (g *GitHub) object(schema string, fields map[string]any) map[string]any {
	m := sampleObject(g.doc.Components.Schemas[schema].Value)
	maps.Copy(m, fields)
	return m
}
