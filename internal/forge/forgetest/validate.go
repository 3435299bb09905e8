package forgetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// route is an operation of the description and what its address holds.
type route struct {
	path   string
	params map[string]string
	item   *openapi3.PathItem
	op     *openapi3.Operation
}

// match finds the operation for a call, or nil.
func match(doc *openapi3.T, method, path string) *route {
	parts := strings.Split(path, "/")
	for _, template := range slices.Sorted(maps.Keys(served)) {
		names := strings.Split(template, "/")
		if len(names) != len(parts) {
			continue
		}
		params, fits := map[string]string{}, true
		for i, n := range names {
			if strings.HasPrefix(n, "{") {
				value, err := url.PathUnescape(parts[i])
				fits = fits && err == nil
				params[strings.Trim(n, "{}")] = value
			} else if n != parts[i] {
				fits = false
			}
		}
		item := doc.Paths.Value(template)
		if fits && item.GetOperation(method) != nil {
			return &route{template, params, item, item.GetOperation(method)}
		}
	}
	return nil
}

func (g *GitHub) input(rt *route, r *http.Request, body []byte) *openapi3filter.RequestValidationInput {
	r = r.Clone(context.Background())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return &openapi3filter.RequestValidationInput{
		Request: r, PathParams: rt.params,
		Route:   &routers.Route{Spec: g.doc, Path: rt.path, PathItem: rt.item, Method: r.Method, Operation: rt.op},
		Options: &openapi3filter.Options{MultiError: true, IncludeResponseStatus: true, RejectWhenRequestBodyNotSpecified: len(body) > 0},
	}
}

// validRequest holds a request against the description, and more strictly: a field or parameter that it doesn't name is a mistake of ours.
func (g *GitHub) validRequest(rt *route, r *http.Request, body []byte) error {
	for name := range r.URL.Query() {
		known := slices.ContainsFunc(rt.op.Parameters, func(p *openapi3.ParameterRef) bool {
			return p.Value.In == "query" && p.Value.Name == name
		})
		if !known && !(name == "after" && g.cursors) { // it stands in the links that GitHub gives
			return fmt.Errorf("query parameter %q is not described", name)
		}
	}
	if err := openapi3filter.ValidateRequest(context.Background(), g.input(rt, r, body)); err != nil {
		return err
	}
	if rt.op.RequestBody == nil {
		return nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return fmt.Errorf("the body is no JSON object: %w", err)
	}
	known := properties(rt.op.RequestBody.Value.Content.Get("application/json").Schema)
	for name := range fields {
		if !known[name] {
			return fmt.Errorf("field %q is not described", name)
		}
	}
	return nil
}

// properties are the names that a schema knows, in any of its alternatives.
func properties(ref *openapi3.SchemaRef) map[string]bool {
	names := map[string]bool{}
	for name := range ref.Value.Properties {
		names[name] = true
	}
	for _, alternatives := range []openapi3.SchemaRefs{ref.Value.OneOf, ref.Value.AnyOf, ref.Value.AllOf} {
		for _, a := range alternatives {
			maps.Copy(names, properties(a))
		}
	}
	return names
}

// validAnswer holds an answer against the description. It leaves out of each operation what can happen to all of them.
func (g *GitHub) validAnswer(rt *route, r *http.Request, a answer) error {
	if a.diff != "" { // the description has only the JSON form
		return nil
	}
	data, err := json.Marshal(a.body)
	if err != nil {
		return err
	}
	if rt.op.Responses.Status(a.status) == nil {
		switch a.status {
		case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusTooManyRequests,
			http.StatusMovedPermanently, http.StatusTemporaryRedirect:
		default:
			return fmt.Errorf("status %d is not described", a.status)
		}
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			return err
		}
		return g.doc.Components.Schemas["basic-error"].Value.VisitJSON(v)
	}
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: g.input(rt, r, nil), Status: a.status,
		Header: http.Header{"Content-Type": {"application/json; charset=utf-8"}},
	}
	in.Options = in.RequestValidationInput.Options
	return openapi3filter.ValidateResponse(context.Background(), in.SetBodyBytes(data))
}
