package devserver_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// The SDK starts this binary as it starts the official one.
func TestSDKStartsTheServer(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	phase := temporal.NewSearchAttributeKeyKeyword(attribute)
	out := &lockedBuffer{}
	server, err := testsuite.StartDevServer(ctx, testsuite.DevServerOptions{
		ExistingPath:     binary,
		ClientOptions:    &client.Options{Namespace: "from-sdk", Logger: silent{}},
		DBFilename:       filepath.Join(t.TempDir(), "sdk.db"),
		EnableUI:         true,
		LogFormat:        "pretty",
		LogLevel:         "error",
		SearchAttributes: temporal.NewSearchAttributes(phase.ValueSet("")),
		ExtraArgs:        []string{"--sqlite-pragma", "synchronous=normal"},
		Stdout:           out,
		Stderr:           out,
	})
	if err != nil {
		t.Fatalf("start through the SDK: %v; output: %s", err, out)
	}
	c := server.Client()
	startWorker(t, c)
	run := startParked(ctx, t, c, "one", 3)
	if err := c.SignalWorkflow(ctx, "one", "", "go", nil); err != nil {
		t.Fatal(err)
	}
	expect(ctx, t, run, 12)
	if err := server.Stop(); err != nil {
		t.Errorf("stop through the SDK: %v; output: %s", err, out)
	}
}

// stuck never heartbeats, so only a command pushed to the worker can tell it that it was cancelled.
func stuck(ctx context.Context, started chan<- struct{}) error {
	close(started)
	<-ctx.Done()
	return ctx.Err()
}

func TestCancelReachesAnActivityThatNeverHeartbeats(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c := launch(t, "--port", "0", "--headless").dial("default")
	started := make(chan struct{})
	w := worker.New(c, queue, worker.Options{})
	w.RegisterActivityWithOptions(func(ctx context.Context) error { return stuck(ctx, started) }, activity.RegisterOptions{Name: "Stuck"})
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context) error {
		return workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			StartToCloseTimeout: time.Hour, WaitForCancellation: true,
		}), "Stuck").Get(ctx, nil)
	}, workflow.RegisterOptions{Name: "RunStuck"})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: queue}, "RunStuck")
	if err != nil {
		t.Fatal(err)
	}
	<-started
	if err := c.CancelWorkflow(ctx, run.GetID(), ""); err != nil {
		t.Fatal(err)
	}
	if err := run.Get(ctx, nil); !temporal.IsCanceledError(err) {
		t.Errorf("workflow ended with %v, want cancelled", err)
	}
}

// A chain of small steps must not wait on the server's polling: see the queue rates in dynamicconfig.go.
func TestStepsFollowEachOtherQuickly(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c := launch(t, "--port", "0", "--headless").dial("default")
	const timers = 10
	w := worker.New(c, queue, worker.Options{})
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context) error {
		for range timers {
			if err := workflow.Sleep(ctx, time.Millisecond); err != nil {
				return err
			}
		}
		return nil
	}, workflow.RegisterOptions{Name: "Timers"})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	begin := time.Now()
	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: queue}, "Timers")
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Get(ctx, nil); err != nil {
		t.Fatal(err)
	}
	// The server's own default fires a timer up to a second late.
	if took := time.Since(begin); took > timers*time.Second/2 {
		t.Errorf("%d timers of 1 ms took %s", timers, took)
	}
}
