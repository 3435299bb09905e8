package agenttest

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	textmessage "golang.org/x/text/message"
)

//go:embed testdata/api/messages.json
var described []byte

// description is what POST /v1/messages takes, and what it takes with features in beta.
type description struct{ released, beta *jsonschema.Schema }

// loadDescription compiles the description once per process.
var loadDescription = sync.OnceValues(func() (d description, err error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(described))
	if err != nil {
		return d, fmt.Errorf("read the description of the API: %w", err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("messages.json", doc); err != nil {
		return d, err
	}
	if d.released, err = c.Compile("messages.json#/$defs/MessageNewParams"); err != nil {
		return d, err
	}
	d.beta, err = c.Compile("messages.json#/$defs/BetaMessageNewParams")
	return d, err
})

// describedAs holds a request against the description of the API. The error names the field.
func describedAs(header http.Header, body []byte) error {
	d, err := loadDescription()
	if err != nil {
		return err
	}
	request, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	s := d.released
	if header.Get("Anthropic-Beta") != "" {
		s = d.beta
	}
	var invalid *jsonschema.ValidationError
	if err := s.Validate(request); errors.As(err, &invalid) {
		at := deepest(invalid)
		return fmt.Errorf("%s: %s", strings.Join(at.InstanceLocation, "."), at.ErrorKind.LocalizedString(english))
	}
	return nil
}

var english = textmessage.NewPrinter(language.English)

// deepest is the error that is about the smallest part of the request: alternatives that were not meant end further up.
func deepest(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	at := e
	for _, cause := range e.Causes {
		if c := deepest(cause); len(at.Causes) > 0 && at == e || len(c.InstanceLocation) > len(at.InstanceLocation) {
			at = c
		}
	}
	return at
}
