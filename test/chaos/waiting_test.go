package chaos

import (
	"context"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// TestHostGoneWhileATaskWaits deletes a host while one task works there in its only slot and another waits for it. Both go on elsewhere,
// the one that waits as soon as the other.
func TestHostGoneWhileATaskWaits(t *testing.T) {
	t.Parallel()
	var once sync.Once
	works, gone := make(chan struct{}), make(chan struct{})
	s := lab.NewStage(t, lab.With(lab.Script(), "fix", 1, func(turn *agenttest.Turn) {
		turn.Before = func(*agenttest.Call) { once.Do(func() { close(works); <-gone }) }
	}), lab.QuickSettings, "LONGSHIFT_SLOTS=1")
	release := sync.OnceFunc(func() { close(gone) })
	defer release()
	first := s.Play()
	select {
	case <-works:
	case <-time.After(4 * time.Minute):
		t.Fatal("the first task does not work")
	}
	second := s.Play()
	lab.Eventually(t, 60*time.Second, "the second waits for a slot", func() bool { return waits(s, second) })
	before := len(s.History(t, second.GetID()))
	lab.Eventually(t, 60*time.Second, "it has waited longer than the host has for an answer", func() bool {
		events := s.History(t, second.GetID())
		return time.Since(events[len(events)-1].EventTime.AsTime()) > 6*time.Second
	})
	if n := len(s.History(t, second.GetID())); n != before {
		t.Errorf("waiting has added %d events to its history", n-before)
	}
	s.Worker.Kill()
	died := time.Now()
	release()
	if err := os.RemoveAll(s.Worker.Data); err != nil {
		t.Error(err)
	}
	s.NewWorker(lab.Claude(t), "LONGSHIFT_SLOTS=1")
	for name, run := range map[string]client.WorkflowRun{"first": first, "second": second} {
		end := s.End(t, run, 3*time.Minute)
		if end.Outcome != task.PullRequest || end.Fence != 2 {
			t.Errorf("%s: outcome %s with fence %d%s", name, end.Outcome, end.Fence, lab.Log(end))
		}
		for _, l := range end.Log {
			if l.Kind == "host" && l.Time.After(died) {
				t.Logf("%s: %s %.1f s after the kill; heartbeat 2 s, probe 4 s", name, l.Text, l.Time.Sub(died).Seconds())
				break
			}
		}
	}
}

// waits tells whether a task says that it waits for a slot.
func waits(s *lab.Stage, run client.WorkflowRun) bool {
	list, err := pending(s, run)
	return err == nil && slices.ContainsFunc(list, func(a *workflowpb.PendingActivityInfo) bool {
		var beat signals.Heartbeat
		return converter.GetDefaultDataConverter().FromPayloads(a.HeartbeatDetails, &beat) == nil && beat.Waiting
	})
}

// pending are the activities that a task waits for.
func pending(s *lab.Stage, run client.WorkflowRun) ([]*workflowpb.PendingActivityInfo, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	d, err := s.Client.DescribeWorkflowExecution(ctx, run.GetID(), "")
	return d.GetPendingActivities(), err
}
