package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// checkNamespace asks the server about the namespace.
func (p *program) checkNamespace(ctx context.Context, c client.Client) error {
	call, cancel := answer(ctx)
	defer cancel()
	_, err := c.WorkflowService().DescribeNamespace(call, &workflowservice.DescribeNamespaceRequest{Namespace: p.namespace})
	var missing *serviceerror.NamespaceNotFound
	if errors.As(err, &missing) {
		return fault.New(fault.NotFound, "no namespace %q on the server", p.namespace).WithHint("create it, or set TEMPORAL_NAMESPACE")
	}
	return p.explain(err, p.namespace)
}

// checkSearchAttributes compares the namespace's search attributes with ours, and registers missing ones when told to.
func (p *program) checkSearchAttributes(ctx context.Context, c client.Client, fix bool) finding {
	const check = "search attributes"
	missing, err := missingOn(ctx, c, p.namespace)
	if err == nil && len(missing) > 0 && fix {
		if err = register(ctx, c, p.namespace, missing); err == nil {
			names := attributeNames(missing)
			if missing, err = missingOn(ctx, c, p.namespace); err == nil && len(missing) == 0 {
				return finding{Check: check, State: stateOK, Detail: "registered " + names}
			}
		}
	}
	var wrong *wrongType
	switch {
	case errors.As(err, &wrong):
		return finding{check, stateFail, err.Error(), "remove it with `temporal operator search-attribute remove`, or use another namespace"}
	case err != nil:
		return failed(check, p.explain(err, check))
	case len(missing) > 0:
		return finding{check, stateFail, "missing: " + attributeNames(missing), "register them with `longshift doctor --fix`"}
	}
	return finding{Check: check, State: stateOK, Detail: fmt.Sprintf("all %d are registered", len(signals.Attributes()))}
}

func attributeNames(all []signals.Attribute) string {
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = a.Name
	}
	return strings.Join(names, ", ")
}

// wrongType is a search attribute of our name that has another type.
type wrongType struct{ name, has, wants string }

func (w *wrongType) Error() string {
	return fmt.Sprintf("%s is a %s and must be a %s", w.name, w.has, w.wants)
}

// missingOn gives our search attributes that the namespace does not have. One of another type is an error.
func missingOn(ctx context.Context, c client.Client, namespace string) ([]signals.Attribute, error) {
	call, cancel := answer(ctx)
	defer cancel()
	have, err := c.OperatorService().ListSearchAttributes(call, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
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
		if kind != typeOf(a) {
			return nil, &wrongType{a.Name, kind.String(), a.Type}
		}
	}
	return missing, nil
}

func register(ctx context.Context, c client.Client, namespace string, attributes []signals.Attribute) error {
	request := &operatorservice.AddSearchAttributesRequest{Namespace: namespace, SearchAttributes: map[string]enumspb.IndexedValueType{}}
	for _, a := range attributes {
		request.SearchAttributes[a.Name] = typeOf(a)
	}
	call, cancel := answer(ctx)
	defer cancel()
	_, err := c.OperatorService().AddSearchAttributes(call, request)
	return err
}

func typeOf(a signals.Attribute) enumspb.IndexedValueType {
	kind, _ := enumspb.IndexedValueTypeFromString(a.Type) // our own list; a test checks that each is known
	return kind
}
