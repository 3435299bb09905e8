package app

import (
	"context"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/client"

	cliserver "github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// RegisterAttributes makes sure that the namespace has every search attribute with the right type. A workflow that sets a missing one
// would retry forever, so a worker does not start without them.
func RegisterAttributes(ctx context.Context, c client.Client, namespace string) error {
	missing, err := missingAttributes(ctx, c, namespace)
	if err != nil || len(missing) == 0 {
		return err
	}
	request := &operatorservice.AddSearchAttributesRequest{Namespace: namespace, SearchAttributes: missing}
	if _, err = c.OperatorService().AddSearchAttributes(ctx, request); err != nil {
		return cliserver.Unregistered(namespace, missing, err)
	}
	return awaitAttributes(ctx, c, namespace)
}

// awaitAttributes waits until the server knows newly registered attributes. Databases other than SQLite need a moment.
func awaitAttributes(ctx context.Context, c client.Client, namespace string) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		missing, err := missingAttributes(ctx, c, namespace)
		if err != nil || len(missing) == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return fault.New(fault.Infra, "search attributes are still missing in namespace %s", namespace).
				WithHint("%s", cliserver.ByHand(namespace, missing, nil))
		case <-tick.C:
		}
	}
}

func missingAttributes(ctx context.Context, c client.Client, namespace string) (map[string]enumspb.IndexedValueType, error) {
	have, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if err != nil {
		return nil, fault.New(fault.Infra, "list search attributes of namespace %s: %w", namespace, err)
	}
	missing := map[string]enumspb.IndexedValueType{}
	for _, a := range signals.Attributes() {
		want, err := enumspb.IndexedValueTypeFromString(a.Type)
		if err != nil {
			return nil, fmt.Errorf("type of search attribute %s: %w", a.Name, err)
		}
		switch got, ok := have.GetCustomAttributes()[a.Name]; {
		case !ok:
			missing[a.Name] = want
		case got != want:
			return nil, fault.New(fault.Input, "search attribute %s has type %s, it must be %s", a.Name, got, want).
				WithHint("remove it from namespace %s or use another namespace", namespace)
		}
	}
	return missing, nil
}
