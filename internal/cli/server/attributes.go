package server

import (
	"context"
	"fmt"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/signals"
)

func Names(all []signals.Attribute) string {
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = a.Name
	}
	return strings.Join(names, ", ")
}

// WrongType is a search attribute of our name that has another type.
type WrongType struct{ name, has, wants string }

func (w *WrongType) Error() string {
	return fmt.Sprintf("%s is a %s and must be a %s", w.name, w.has, w.wants)
}

// Missing lists the search attributes of Longshift that the namespace does not have. One of another type is an error.
func (s *Connector) Missing(ctx context.Context, c client.Client) ([]signals.Attribute, error) {
	call, cancel := Answer(ctx)
	defer cancel()
	have, err := c.OperatorService().ListSearchAttributes(call, &operatorservice.ListSearchAttributesRequest{Namespace: s.namespace})
	if err != nil {
		return nil, err
	}
	var missing []signals.Attribute
	for _, a := range signals.Attributes() {
		kind, ok := have.GetCustomAttributes()[a.Name]
		if !ok {
			missing = append(missing, a)
			continue
		}
		if kind != TypeOf(a) {
			return nil, &WrongType{a.Name, kind.String(), a.Type}
		}
	}
	return missing, nil
}

// Register adds search attributes to the namespace.
func (s *Connector) Register(ctx context.Context, c client.Client, attributes []signals.Attribute) error {
	request := &operatorservice.AddSearchAttributesRequest{Namespace: s.namespace, SearchAttributes: map[string]enumspb.IndexedValueType{}}
	for _, a := range attributes {
		request.SearchAttributes[a.Name] = TypeOf(a)
	}
	call, cancel := Answer(ctx)
	defer cancel()
	_, err := c.OperatorService().AddSearchAttributes(call, request)
	if err != nil {
		err = Unregistered(s.namespace, request.SearchAttributes, err)
	}
	return err
}

func TypeOf(a signals.Attribute) enumspb.IndexedValueType {
	kind, _ := enumspb.IndexedValueTypeFromString(a.Type) // our own list; a test checks that each is known
	return kind
}
