// Command client starts a task and waits for its result. It uses the Temporal SDK and, of Longshift, only the packages task and signals:
// a program of yours can do the same.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: client ID REPOSITORY TASK")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt) // the task goes on without this program
	defer stop()
	status, err := run(ctx, os.Args[1], task.Input{Repository: os.Args[2], Task: os.Args[3]})
	if err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
	fmt.Printf("%s, $%.2f\n", status.Outcome, status.Usage.CostUSD)
	if status.PullRequest != nil {
		fmt.Println(status.PullRequest.URL)
	}
	if !status.Outcome.Good() {
		os.Exit(1)
	}
}

// run starts the task, or joins the one that runs with this id, and waits for its end. The error of a task that could not be carried out
// is a temporal.ApplicationError whose type is the kind of fault.
func run(ctx context.Context, id string, in task.Input) (*signals.Status, error) {
	options, err := envconfig.LoadDefaultClientOptions() // TEMPORAL_ADDRESS and the rest, as for the temporal command
	if err != nil {
		return nil, err
	}
	c, err := client.DialContext(ctx, options)
	if err != nil {
		return nil, err
	}
	defer c.Close()

	started, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: id, TaskQueue: signals.Queue, WorkflowTaskTimeout: signals.WorkflowTaskTimeout,
	}, signals.CodingTask, in)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(os.Stderr, "started", started.GetID())

	var status signals.Status
	if err := started.Get(ctx, &status); err != nil {
		return nil, err
	}
	return &status, nil
}
