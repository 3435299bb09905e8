package gateway

import "strings"

// schema accepts any JSON schema without references to other documents, which the vendor might fetch.
type schema struct{}

func (s schema) check(r *review, v value) error {
	switch v := v.(type) {
	case *dict:
		for _, m := range v.members {
			if at, ok := m.value.(string); ok && elsewhere(m.key, at) {
				return within(m.key, refuse("leads out of the schema"))
			}
			if err := s.check(r, m.value); err != nil {
				return within(m.key, err)
			}
		}
	case []value:
		for _, item := range v {
			if err := s.check(r, item); err != nil {
				return err
			}
		}
	}
	return nil
}

// elsewhere reports whether a key of a schema with this value refers to another document.
func elsewhere(key, at string) bool {
	switch strings.ToLower(key) {
	case "$ref", "$dynamicref", "$recursiveref":
		return !strings.HasPrefix(at, "#")
	case "$schema": // which version of JSON schema it is
		at = strings.TrimPrefix(strings.TrimPrefix(at, "https"), "http")
		return !strings.HasPrefix(at, "://json-schema.org/")
	}
	return false
}
