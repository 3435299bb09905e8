package app

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/signals"
)

// starts is a server that notes which workflows are started.
type starts struct {
	client.Client
	t   *testing.T
	mu  sync.Mutex
	ids []string
}

func (s *starts) ExecuteWorkflow(_ context.Context, o client.StartWorkflowOptions, workflow any, _ ...any) (client.WorkflowRun, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.WorkflowIDConflictPolicy != enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING || workflow != signals.Watch {
		s.t.Errorf("started %v with %+v", workflow, o)
	}
	s.ids = append(s.ids, o.ID)
	return nil, nil
}

func (s *starts) taken() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.ids
	s.ids = nil
	return all
}

// A worker that does not know a repository yet ends what watches it. That is started again within minutes: until then nothing is heard from there.
func TestWatchesAreStartedAgain(t *testing.T) {
	t.Parallel()
	cfg := load(t, "LONGSHIFT_GITHUB_TOKEN=t", "LONGSHIFT_GITHUB_REPOSITORIES=acme/web,acme/*,acme/api")
	synctest.Test(t, func(t *testing.T) {
		server := &starts{t: t}
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { (&listeners{cfg: cfg, client: server, log: slog.New(slog.DiscardHandler)}).watch(ctx) })
		want := []string{"watch:github.com:acme:web:0", "watch:github.com:acme:api:0"}
		synctest.Wait()
		for n := range 3 {
			if got := server.taken(); !slices.Equal(got, want) {
				t.Errorf("after %d times five minutes: started %q, want %q", n, got, want)
			}
			time.Sleep(5 * time.Minute)
			synctest.Wait()
		}
		stop()
		running.Wait()
	})
}
