package lab

import (
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
)

// attribute reads one search attribute of a workflow.
func attribute(t testing.TB, all *commonpb.SearchAttributes, name string) any {
	t.Helper()
	p, ok := all.GetIndexedFields()[name]
	if !ok {
		return nil
	}
	var v any
	if err := converter.GetDefaultDataConverter().FromPayload(p, &v); err != nil {
		t.Fatalf("read search attribute %s: %v", name, err)
	}
	return v
}
