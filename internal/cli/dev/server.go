package dev

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/checkup"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/signals"
)

// serverCheck checks the server, the namespace and the workers.
type serverCheck struct {
	server *server.Connector
	now    func() time.Time
}

// all makes every check. Without a server the rest is left out, and without workers for workflows there is no client to ask hosts with.
func (s *serverCheck) all(ctx context.Context, fix bool) (findings []finding, asks client.Client) {
	c, err := s.server.Connect(ctx)
	if err != nil {
		return here(checkup.Failed("server", err)), nil
	}
	findings = here(good("server", s.server.Address()))
	namespace := s.namespace(ctx, c)
	findings = append(findings, here(namespace)...)
	if namespace.State == signals.HostFail {
		return findings, nil
	}
	findings = append(findings, here(s.attributes(ctx, c, fix))...)
	asks = c
	for _, q := range queuesOf(config.RoleAll) {
		f := s.queue(ctx, c, q)
		if q.name == signals.Queue && f.State == signals.HostFail {
			asks = nil
		}
		findings = append(findings, here(f)...)
	}
	return findings, asks
}

// queue looks for a worker on a queue.
func (s *serverCheck) queue(ctx context.Context, c client.Client, q queue) checkup.Finding {
	check := "worker, " + q.what
	all, err := server.Pollers(ctx, c, q.name, q.kind)
	if err != nil {
		return failed(s.server, check, err)
	}
	var at time.Time
	for _, last := range all {
		if last.After(at) {
			at = last
		}
	}
	if at.IsZero() {
		return checkup.Finding{Check: check, State: signals.HostFail, Detail: fmt.Sprintf("nobody polls the queue %s", q.name),
			Hint: "start one with `longshift dev` or longshift-worker"}
	}
	ago := s.now().Sub(at)
	if ago > 2*server.AnswerWithin+upWithin {
		return checkup.Finding{Check: check, State: signals.HostWarn,
			Detail: fmt.Sprintf("the queue %s was polled %s ago", q.name, term.Age(ago)), Hint: "the worker may be gone; see its log"}
	}
	return good(check, "polls the queue "+q.name)
}

func good(check, detail string) checkup.Finding {
	return checkup.Finding{Check: check, State: signals.HostOK, Detail: detail}
}

// failed makes a finding of an error of the server. For one that does not answer, other commands refer to doctor, which is who asks here.
func failed(s *server.Connector, check string, err error) checkup.Finding {
	f := checkup.Failed(check, s.Explain(err, check))
	if server.Unreachable(err) {
		f.Hint = "try again, and see that the server runs and that its disk has room; its log says more"
	}
	return f
}

// namespace asks the server about the namespace.
func (s *serverCheck) namespace(ctx context.Context, c client.Client) checkup.Finding {
	const check = "namespace"
	call, cancel := server.Answer(ctx)
	defer cancel()
	_, err := c.WorkflowService().DescribeNamespace(call, &workflowservice.DescribeNamespaceRequest{Namespace: s.server.Namespace()})
	var missing *serviceerror.NamespaceNotFound
	if errors.As(err, &missing) {
		return checkup.Finding{Check: check, State: signals.HostFail, Detail: fmt.Sprintf("no namespace %q on the server", s.server.Namespace()),
			Hint: "create it, or set TEMPORAL_NAMESPACE"}
	}
	if err != nil {
		return failed(s.server, check, err)
	}
	return good(check, s.server.Namespace())
}

// attributes looks for Longshift's search attributes in the namespace, and registers missing ones with fix.
func (s *serverCheck) attributes(ctx context.Context, c client.Client, fix bool) checkup.Finding {
	const check = "search attributes"
	missing, err := s.server.Missing(ctx, c)
	if err == nil && len(missing) > 0 && fix {
		err = s.server.Register(ctx, c, missing)
		if err != nil && !server.Unreachable(err) {
			return checkup.Failed(check, err) // its hint is better than what a refusal says elsewhere
		}
		if err == nil {
			names := server.Names(missing)
			if missing, err = s.server.Missing(ctx, c); err == nil && len(missing) == 0 {
				return good(check, "registered "+names)
			}
		}
	}
	var wrong *server.WrongType
	switch {
	case errors.As(err, &wrong):
		return checkup.Finding{Check: check, State: signals.HostFail, Detail: err.Error(),
			Hint: "remove it with `temporal operator search-attribute remove`, or use another namespace"}
	case err != nil:
		return failed(s.server, check, err)
	case len(missing) > 0:
		return checkup.Finding{Check: check, State: signals.HostFail, Detail: "missing: " + server.Names(missing),
			Hint: "register them with `longshift doctor --fix`"}
	}
	return good(check, fmt.Sprintf("all %d are registered", len(signals.Attributes())))
}
