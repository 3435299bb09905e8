package forgetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// hookSchemas are the payloads of webhooks in GitHub's description, by the names that it has for them. They are read once per process.
var hookSchemas = sync.OnceValues(func() (map[string]*openapi3.SchemaRef, error) {
	path, err := findDescription()
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return readHooks(data)
})

// usedHooks are the first words of the webhooks that are of use; only their part of the description is read.
var usedHooks = []string{"issues-", "issue-comment-", "pull-request-", "check-run-", "check-suite-", "status", "push", "ping", "star-created"}

func readHooks(data []byte) (map[string]*openapi3.SchemaRef, error) {
	var whole struct {
		OpenAPI string          `json:"openapi"`
		Info    json.RawMessage `json:"info"`
		Hooks   map[string]struct {
			Post struct {
				Body struct {
					Content map[string]struct {
						Schema struct {
							Ref string `json:"$ref"`
						} `json:"schema"`
					} `json:"content"`
				} `json:"requestBody"`
			} `json:"post"`
		} `json:"x-webhooks"`
		Components map[string]map[string]json.RawMessage `json:"components"`
	}
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, fmt.Errorf("read webhooks: %w", err)
	}
	names, components := map[string]string{}, map[string]map[string]json.RawMessage{}
	take := taker{whole.Components, components}
	for name, hook := range whole.Hooks {
		schema, ok := strings.CutPrefix(hook.Post.Body.Content["application/json"].Schema.Ref, "#/components/schemas/")
		for _, h := range usedHooks {
			if ok && strings.HasPrefix(name, h) {
				names[name] = schema
				take.one("schemas", schema)
			}
		}
	}
	cut, err := json.Marshal(map[string]any{"openapi": whole.OpenAPI, "info": whole.Info, "paths": map[string]any{}, "components": components})
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(cut)
	if err != nil {
		return nil, err
	}
	schemas := map[string]*openapi3.SchemaRef{}
	for name, schema := range names {
		schemas[name] = doc.Components.Schemas[schema]
	}
	return schemas, nil
}

// Hook makes the payload of a webhook, named as in GitHub's description, such as issues-labeled: all that it requires, with fields
// written over it. The payload is held against the description. It skips the test when the description is not installed.
func Hook(t testing.TB, name string, fields map[string]any) []byte {
	t.Helper()
	schemas, err := hookSchemas()
	if err != nil {
		missing(t, err)
	}
	schema := schemas[name]
	if schema == nil {
		t.Fatalf("GitHub's description has no webhook %q", name)
	}
	body := overlay(schema, fields).(map[string]any)
	if action := schema.Value.Properties["action"]; action != nil && body["action"] == nil && len(action.Value.Enum) > 0 {
		body["action"] = action.Value.Enum[0] // not every webhook requires it, but all of them have it
	}
	dated(body)
	payload, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(payload, &v); err != nil {
		t.Fatal(err)
	}
	if err := schema.Value.VisitJSON(v); err != nil {
		t.Fatalf("payload of %s does not fit GitHub's description: %v\n%s", name, err, payload)
	}
	return payload
}

// dated puts times where the description only says that there is a text, and addresses where parts of it disagree about none.
func dated(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, field := range v {
			switch {
			case field == "text" && (strings.HasSuffix(name, "_at") || name == "date" || name == "timestamp"):
				v[name] = "2011-01-26T19:01:12Z"
			case field == nil && name == "email":
				v[name] = "octocat@github.com"
			default:
				dated(field)
			}
		}
	case []any:
		for _, entry := range v {
			dated(entry)
		}
	}
}

// overlay writes a value over the sample of its schema: what the value leaves out is there, what the schema requires.
func overlay(ref *openapi3.SchemaRef, v any) any {
	if ref == nil {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		if base, ok := sample(whole(ref)).(map[string]any); ok {
			m = base
		}
		for name, field := range v {
			m[name] = overlay(property(ref, name), field)
		}
		return m
	case []any:
		list := []any{}
		for _, entry := range v {
			list = append(list, overlay(ref.Value.Items, entry))
		}
		return list
	}
	return v
}

// whole is a schema that is not null.
func whole(ref *openapi3.SchemaRef) *openapi3.SchemaRef {
	s := *ref.Value
	s.Nullable = false
	return &openapi3.SchemaRef{Value: &s}
}

// property finds the schema of a field, also in the parts and the alternatives of one.
func property(ref *openapi3.SchemaRef, name string) *openapi3.SchemaRef {
	if p := ref.Value.Properties[name]; p != nil {
		if inner := p.Value; inner.Type == nil && len(inner.OneOf) > 0 {
			return inner.OneOf[0]
		}
		return p
	}
	for _, parts := range []openapi3.SchemaRefs{ref.Value.AllOf, ref.Value.OneOf, ref.Value.AnyOf} {
		for _, part := range parts {
			if p := property(part, name); p != nil {
				return p
			}
		}
	}
	return nil
}

// Person is a user for the fields of Hook.
func Person(login string) map[string]any { return map[string]any{"login": login, "type": "User"} }

// Bot is a user that is no person.
func Bot(login string) map[string]any { return map[string]any{"login": login, "type": "Bot"} }

// With gives fields with more of them.
func With(fields map[string]any, more map[string]any) map[string]any {
	all := maps.Clone(fields)
	maps.Copy(all, more)
	return all
}
