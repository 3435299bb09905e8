package agenttest

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	textmessage "golang.org/x/text/message"
)

//go:embed testdata/api/messages.json testdata/api/openai.json
var described embed.FS

// bodies are the bodies of requests that are described, by file. With features in beta, the Messages API takes more.
var bodies = map[string][]string{
	"messages.json": {"MessageNewParams", "BetaMessageNewParams"},
	"openai.json":   {"ResponseNewParams", "ChatCompletionNewParams"},
}

// loadDescriptions compiles the descriptions of bodies once per process.
var loadDescriptions = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	all := map[string]*jsonschema.Schema{}
	for file, roots := range bodies {
		c, err := openDescription(file, undescribed)
		if err != nil {
			return nil, fmt.Errorf("read the description of the API: %w", err)
		}
		for _, root := range roots {
			if all[root], err = c.Compile(file + "#/$defs/" + root); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
})

func openDescription(file string, beside []addition) (*jsonschema.Compiler, error) {
	text, err := described.ReadFile("testdata/api/" + file)
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	for _, u := range beside {
		u.add(doc.(map[string]any)["$defs"].(map[string]any))
	}
	c := jsonschema.NewCompiler()
	return c, c.AddResource(file, doc)
}

// describedAs holds a request against the description of its body. The error names the field.
func describedAs(root string, body []byte) error {
	all, err := loadDescriptions()
	if err != nil {
		return err
	}
	return fits(all[root], body)
}

func fits(s *jsonschema.Schema, body []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	var invalid *jsonschema.ValidationError
	if err := s.Validate(v); errors.As(err, &invalid) {
		at := deepest(invalid)
		return fmt.Errorf("%s: %s", strings.Join(at.InstanceLocation, "."), at.ErrorKind.LocalizedString(english))
	}
	return nil
}

var english = textmessage.NewPrinter(language.English)

// deepest is the error that is about the smallest part of the request: alternatives that were not meant end further up.
func deepest(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	at := e
	for _, cause := range meant(e) {
		if c := deepest(cause); len(at.Causes) > 0 && at == e || len(c.InstanceLocation) > len(at.InstanceLocation) {
			at = c
		}
	}
	return at
}

// meant leaves out the alternatives for objects of another type or role, unless there is no other.
func meant(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if _, alternatives := e.ErrorKind.(*kind.AnyOf); !alternatives {
		return e.Causes
	}
	var left []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		if !ofAnother(cause, len(e.InstanceLocation)) {
			left = append(left, cause)
		}
	}
	if left == nil {
		return e.Causes
	}
	return left
}

// ofAnother tells that an object at this depth has the type or role of another alternative.
func ofAnother(e *jsonschema.ValidationError, depth int) bool {
	if len(e.InstanceLocation) == depth+1 && (e.InstanceLocation[depth] == "type" || e.InstanceLocation[depth] == "role") {
		return true
	}
	others := 0
	for _, cause := range e.Causes {
		if ofAnother(cause, depth) {
			others++
		}
	}
	if _, alternatives := e.ErrorKind.(*kind.AnyOf); alternatives {
		return others == len(e.Causes) && others > 0
	}
	return others > 0
}
