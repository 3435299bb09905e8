package lineartest

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"sync"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

//go:embed testdata/schema.graphql.gz
var packed []byte

// Schema returns Linear's schema; testdata/SOURCE.md describes its origin.
var Schema = sync.OnceValues(func() (*ast.Schema, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return gqlparser.LoadSchema(&ast.Source{Name: "schema.graphql", Input: string(text)})
})
