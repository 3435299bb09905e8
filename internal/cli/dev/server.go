package dev

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// namespace asks the server about the namespace.
func (s *serverCheck) namespace(ctx context.Context, c client.Client) error {
	call, cancel := server.Answer(ctx)
	defer cancel()
	_, err := c.WorkflowService().DescribeNamespace(call, &workflowservice.DescribeNamespaceRequest{Namespace: s.server.Namespace()})
	var missing *serviceerror.NamespaceNotFound
	if errors.As(err, &missing) {
		return fault.New(fault.NotFound, "no namespace %q on the server", s.server.Namespace()).WithHint("create it, or set TEMPORAL_NAMESPACE")
	}
	return s.server.Explain(err, s.server.Namespace())
}

// attributes looks for Longshift's search attributes in the namespace, and registers missing ones with fix.
func (s *serverCheck) attributes(ctx context.Context, c client.Client, fix bool) finding {
	const check = "search attributes"
	missing, err := s.server.Missing(ctx, c)
	if err == nil && len(missing) > 0 && fix {
		if err = s.server.Register(ctx, c, missing); err == nil {
			names := server.Names(missing)
			if missing, err = s.server.Missing(ctx, c); err == nil && len(missing) == 0 {
				return finding{Check: check, State: stateOK, Detail: "registered " + names}
			}
		}
	}
	var wrong *server.WrongType
	switch {
	case errors.As(err, &wrong):
		return finding{check, stateFail, err.Error(), "remove it with `temporal operator search-attribute remove`, or use another namespace"}
	case err != nil:
		return failed(check, s.server.Explain(err, check))
	case len(missing) > 0:
		return finding{check, stateFail, "missing: " + server.Names(missing), "register them with `longshift doctor --fix`"}
	}
	return finding{Check: check, State: stateOK, Detail: fmt.Sprintf("all %d are registered", len(signals.Attributes()))}
}
