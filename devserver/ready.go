package devserver

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
)

const (
	readyWithin   = 30 * time.Second
	readyInterval = 10 * time.Millisecond
	// The name under which the frontend reports its health.
	frontendHealth = "temporal.api.workflowservice.v1.WorkflowService"
)

// waitServing returns once the frontend says that it serves.
func waitServing(ctx context.Context, address string) error {
	conn, err := grpc.NewClient("passthrough:///"+address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return fmt.Errorf("connect to %s: %w", address, err)
	}
	defer conn.Close()
	health := grpc_health_v1.NewHealthClient(conn)
	return poll(ctx, func(ctx context.Context) error {
		answer, err := health.Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: frontendHealth})
		if err != nil {
			return err
		}
		if answer.Status != grpc_health_v1.HealthCheckResponse_SERVING {
			return fmt.Errorf("frontend reports %s", answer.Status)
		}
		return nil
	})
}

// poll tries until there is no error, or ctx ends.
func poll(ctx context.Context, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	tick := time.NewTicker(readyInterval)
	defer tick.Stop()
	for {
		err := try(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("not ready: %w", err)
		case <-tick.C:
		}
	}
}
