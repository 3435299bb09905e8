package devserver_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
)

func TestSearchAttributeIsUsableByTheNextCall(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c := launch(t, "--port", "0", "--headless").dial("default")
	for _, name := range []string{"LongshiftRepository", "LongshiftHost", "LongshiftOutcome"} {
		_, err := c.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
			Namespace:        "default",
			SearchAttributes: map[string]enumspb.IndexedValueType{name: enumspb.INDEXED_VALUE_TYPE_KEYWORD},
		})
		if err != nil {
			t.Fatalf("register %s: %v", name, err)
		}
		key := temporal.NewSearchAttributeKeyKeyword(name)
		_, err = c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
			TaskQueue: "none", TypedSearchAttributes: temporal.NewSearchAttributes(key.ValueSet("x")),
		}, "Anything")
		if err != nil {
			t.Fatalf("start with %s right after it was registered: %v", name, err)
		}
		listed(ctx, t, c, name+" = 'x'", 1)
	}
}

func TestSearchAttributesGivenAgain(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	file := filepath.Join(t.TempDir(), "temporal.db")
	args := []string{"-f", file, "--port", "0", "--headless", "-n", "team"}
	launch(t, append(args, "--search-attribute", "Phase=keyword")...).kill()

	// The same again, one more, and a namespace more.
	p := launch(t, append(args, "-n", "more", "--search-attribute", "Phase=Keyword", "--search-attribute", "Cost=Double")...)
	for _, namespace := range []string{"default", "team", "more"} {
		answer, err := p.dial(namespace).OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
		if err != nil {
			t.Fatal(err)
		}
		got := answer.CustomAttributes
		if len(got) != 2 || got["Phase"] != enumspb.INDEXED_VALUE_TYPE_KEYWORD || got["Cost"] != enumspb.INDEXED_VALUE_TYPE_DOUBLE {
			t.Errorf("%s has %v, want Phase and Cost", namespace, got)
		}
	}
	p.kill()

	line := refused(t, append(args, "--search-attribute", "Phase=Int")...)
	for _, want := range []string{"Phase=Int", `"default"`, "Keyword"} {
		if !strings.Contains(line, want) {
			t.Errorf("stderr = %q, want %s in it", line, want)
		}
	}
}
