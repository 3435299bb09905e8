package devserver_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/types/known/durationpb"
)

const (
	queue     = "q"
	attribute = "LongshiftPhase"
)

func double(_ context.Context, n int) (int, error) { return 2 * n, nil }

// parked runs an activity, waits for a signal and a timer, and runs another activity.
func parked(ctx workflow.Context, n int) (int, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	if err := workflow.ExecuteActivity(ctx, double, n).Get(ctx, &n); err != nil {
		return 0, err
	}
	timer := workflow.NewTimer(ctx, time.Second)
	workflow.GetSignalChannel(ctx, "go").Receive(ctx, nil)
	if err := timer.Get(ctx, nil); err != nil {
		return 0, err
	}
	return n, workflow.ExecuteActivity(ctx, double, n).Get(ctx, &n)
}

func startWorker(t *testing.T, c client.Client) worker.Worker {
	t.Helper()
	w := worker.New(c, queue, worker.Options{})
	w.RegisterWorkflow(parked)
	w.RegisterActivity(double)
	if err := w.Start(); err != nil {
		t.Fatalf("start worker: %v", err)
	}
	t.Cleanup(w.Stop)
	return w
}

func startParked(ctx context.Context, t *testing.T, c client.Client, id string, n int) client.WorkflowRun {
	t.Helper()
	phase := temporal.NewSearchAttributeKeyKeyword(attribute)
	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: id, TaskQueue: queue, TypedSearchAttributes: temporal.NewSearchAttributes(phase.ValueSet("plan")),
	}, parked, n)
	if err != nil {
		t.Fatalf("start %s: %v", id, err)
	}
	return run
}

// waitForTimer returns when the workflow has done its first activity and is parked.
func waitForTimer(ctx context.Context, t *testing.T, c client.Client, id string) {
	t.Helper()
	events := c.GetWorkflowHistory(ctx, id, "", true, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			t.Fatalf("history of %s: %v", id, err)
		}
		if event.EventType == enumspb.EVENT_TYPE_TIMER_STARTED {
			return
		}
	}
	t.Fatalf("history of %s ended without a timer", id)
}

func TestKilledServerComesBackWithEverything(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	file := filepath.Join(t.TempDir(), "temporal.db")
	args := []string{"--db-filename", file, "--headless", "--namespace", "team", "--search-attribute", attribute + "=Keyword"}
	first := launch(t, append(args, "--port", "0")...)
	c := first.dial("team")
	_, err := c.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace: "by-api", WorkflowExecutionRetentionPeriod: durationpb.New(48 * time.Hour),
	})
	if err != nil {
		t.Fatalf("register namespace: %v", err)
	}
	clusterID := readClusterID(ctx, t, c)
	w := startWorker(t, c)
	closed := startParked(ctx, t, c, "closed", 1)
	if err := c.SignalWorkflow(ctx, "closed", "", "go", nil); err != nil {
		t.Fatalf("signal: %v", err)
	}
	expect(ctx, t, closed, 4)
	startParked(ctx, t, c, "open", 5)
	waitForTimer(ctx, t, c, "open")
	w.Stop()
	first.kill()

	_, port, _ := strings.Cut(first.printed["Temporal Server"], ":")
	second := launch(t, append(args, "--port", port)...)
	c = second.dial("team")
	if again := readClusterID(ctx, t, c); again != clusterID {
		t.Errorf("cluster id %s after the restart, %s before", again, clusterID)
	}
	if _, err := c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: "by-api"}); err != nil {
		t.Errorf("namespace made through the API: %v", err)
	}
	expect(ctx, t, c.GetWorkflow(ctx, "closed", ""), 4)
	startWorker(t, c)
	if err := c.SignalWorkflow(ctx, "open", "", "go", nil); err != nil {
		t.Fatalf("signal after restart: %v", err)
	}
	expect(ctx, t, c.GetWorkflow(ctx, "open", ""), 20)
	listed(ctx, t, c, attribute+" = 'plan' and ExecutionStatus = 'Completed'", 2)

	second.stop(syscall.SIGTERM)
	if files, _ := os.ReadDir(filepath.Dir(file)); len(files) != 1 {
		t.Errorf("after a clean stop there is more than the database: %v", files)
	}
}

func readClusterID(ctx context.Context, t *testing.T, c client.Client) string {
	t.Helper()
	info, err := c.WorkflowService().GetClusterInfo(ctx, &workflowservice.GetClusterInfoRequest{})
	if err != nil {
		t.Fatalf("cluster info: %v", err)
	}
	return info.ClusterId
}

func expect(ctx context.Context, t *testing.T, run client.WorkflowRun, want int) {
	t.Helper()
	var got int
	if err := run.Get(ctx, &got); err != nil || got != want {
		t.Fatalf("%s = %d, %v; want %d", run.GetID(), got, err, want)
	}
}

// listed waits until the query finds the wanted number: visibility is written behind the workflow.
func listed(ctx context.Context, t *testing.T, c client.Client, query string, want int64) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		found, err := c.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Query: query})
		if err != nil {
			t.Fatalf("count %q: %v", query, err)
		}
		if found.Count == want {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%q finds %d, want %d", query, found.Count, want)
		case <-tick.C:
		}
	}
}
