package dev

import (
	"context"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"

	"github.com/longshift/longshift/internal/checkup"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/signals"
)

// silent is a client of a server that has no room for what it is asked to do.
type silent struct{ client.Client }

var errSilent = serviceerror.NewUnavailable("database or disk is full")

func (silent) ExecuteWorkflow(context.Context, client.StartWorkflowOptions, any, ...any) (client.WorkflowRun, error) {
	return nil, errSilent
}

func (silent) DescribeTaskQueue(context.Context, string, enumspb.TaskQueueType) (*workflowservice.DescribeTaskQueueResponse, error) {
	return nil, errSilent
}

func (silent) WorkflowService() workflowservice.WorkflowServiceClient { return silentWorkflows{} }
func (silent) OperatorService() operatorservice.OperatorServiceClient { return silentOperator{} }

type silentWorkflows struct {
	workflowservice.WorkflowServiceClient
}

func (silentWorkflows) DescribeNamespace(
	context.Context, *workflowservice.DescribeNamespaceRequest, ...grpc.CallOption,
) (*workflowservice.DescribeNamespaceResponse, error) {
	return nil, errSilent
}

type silentOperator struct {
	operatorservice.OperatorServiceClient
}

func (silentOperator) ListSearchAttributes(
	context.Context, *operatorservice.ListSearchAttributesRequest, ...grpc.CallOption,
) (*operatorservice.ListSearchAttributesResponse, error) {
	return nil, errSilent
}

// Where the server does not answer, every check of doctor says what to do, which is not to call doctor.
func TestDoctorDoesNotSendToItself(t *testing.T) {
	connector := server.NewConnector(environ.Environ{}, nil)
	s, h := &serverCheck{connector, time.Now}, &hostsCheck{server: connector}
	for check, got := range map[string]checkup.Finding{
		"namespace":         s.namespace(t.Context(), silent{}),
		"search attributes": s.attributes(t.Context(), silent{}, false),
		"worker, workflows": s.queue(t.Context(), silent{}, queue{name: signals.Queue, what: "workflows"}),
		"workers":           h.ask(t.Context(), silent{}, []string{"build-2"})[0].Finding,
	} {
		if got.Check != check || got.State != signals.HostFail || !strings.Contains(got.Detail, "does not answer") ||
			got.Hint == "" || strings.Contains(got.Hint, "doctor") {
			t.Errorf("%s: %+v", check, got)
		}
	}
}
