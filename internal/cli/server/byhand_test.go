package server

import (
	"errors"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"

	"github.com/longshift/longshift/signals"
)

// What a person has to type when a worker may not register search attributes itself, on Temporal Cloud too.
func TestByHand(t *testing.T) {
	t.Parallel()
	missing := map[string]enumspb.IndexedValueType{signals.AttrHost: enumspb.INDEXED_VALUE_TYPE_KEYWORD, signals.AttrCostUSD: enumspb.INDEXED_VALUE_TYPE_DOUBLE}
	want := "register them by hand: temporal operator search-attribute create --namespace web --name LongshiftHost --type Keyword;" +
		" temporal operator search-attribute create --namespace web --name LongshiftCostUSD --type Double;"
	cloud := want + " on Temporal Cloud, in the settings of the namespace or by tcld namespace search-attributes add --namespace web" +
		" --search-attribute LongshiftHost=Keyword --search-attribute LongshiftCostUSD=Double"
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, want}, {errors.New("broken"), want}, {serviceerror.NewPermissionDenied("no", ""), cloud}, {serviceerror.NewUnimplemented("no"), cloud},
	} {
		if got := ByHand("web", missing, c.err); got != c.want {
			t.Errorf("after %v: got  %s\nwant %s", c.err, got, c.want)
		}
	}
	for _, a := range signals.Attributes() {
		if _, err := enumspb.IndexedValueTypeFromString(a.Type); err != nil {
			t.Error(err)
		}
	}
}
