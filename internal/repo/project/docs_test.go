package project

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/task"
)

var update = flag.Bool("update", false, "write docs/longshift.schema.json and the table of docs/configuration.md")

const (
	schemaFile = "../../../docs/longshift.schema.json"
	docsFile   = "../../../docs/configuration.md"
)

func TestPublishedSchemaIsCurrent(t *testing.T) {
	t.Parallel()
	want, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	compareFile(t, schemaFile, want)
}

func TestDocumentedKeysAreCurrent(t *testing.T) {
	t.Parallel()
	docs, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	table := regexp.MustCompile(`(?s)<!-- keys -->\n.*<!-- end of keys -->`)
	if !table.Match(docs) {
		t.Fatal("docs/configuration.md has lost its table of keys")
	}
	compareFile(t, docsFile, table.ReplaceAllLiteral(docs, []byte("<!-- keys -->\n"+keyTable()+"<!-- end of keys -->")))
}

// compareFile fails when a file in docs/ is not what the code says.
func compareFile(t *testing.T, name string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is not current; run: go test ./internal/repo/project -update\n%s", name, diff)
	}
}

func keyTable() string {
	base := defaults()
	var b strings.Builder
	b.WriteString("| key | type | default | meaning |\n|---|---|---|---|\n")
	for _, k := range task.ConfigKeys() {
		value, _ := base.Lookup(k.Path)
		kind := string(k.Type)
		if len(k.Choices) > 0 {
			kind = "`" + strings.Join(k.Choices, "` `") + "`"
		}
		text := show(k, value)
		if text != "" {
			text = "`" + text + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Path, kind, text, k.Doc)
	}
	return b.String()
}

// The schema says what the parser does: same keys, and the defaults pass it.
func TestSchemaHasEveryKey(t *testing.T) {
	t.Parallel()
	data, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	type node struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Additional *bool                      `json:"additionalProperties"`
	}
	var root node
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
	found := 0
	for name, raw := range root.Properties {
		var n node
		if err := json.Unmarshal(raw, &n); err != nil {
			t.Fatal(err)
		}
		if n.Additional == nil {
			found++
			continue
		}
		for inner := range n.Properties {
			if _, set := defaults().Lookup(name + "." + inner); !set {
				t.Errorf("the schema makes up %s.%s", name, inner)
			}
			found++
		}
	}
	if found != len(task.ConfigKeys()) {
		t.Errorf("the schema has %d keys, want %d", found, len(task.ConfigKeys()))
	}
}

// The examples of the documentation are read by the real parsers.
func TestDocumentedExamplesAreGood(t *testing.T) {
	t.Parallel()
	docs, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?s)```(yaml|json)\n(.*?)```").FindAllSubmatch(docs, -1) {
		if bytes.Equal(m[1], []byte("yaml")) {
			if _, err := Parse(m[2]); err != nil {
				t.Error(err)
			}
		} else if _, err := task.ParseInput(m[2]); err != nil {
			t.Error(err)
		}
	}
}
