package app

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/sweep"
)

// sweepEvery is how often a host looks for leftovers of ended tasks. It also does so at its start.
const sweepEvery = time.Hour

func newSweeper(cfg config.Config, c describer, log *slog.Logger) (*sweep.Sweeper, error) {
	manager, err := newWorkspaces(cfg, log)
	if err != nil {
		return nil, err
	}
	return &sweep.Sweeper{Tasks: filepath.Join(cfg.Data, "tasks"), Keep: cfg.Keep.Tasks, Size: int64(cfg.Keep.Size) << 30, Spaces: spaces{manager, cfg},
		Temporary: []string{activities.TrialsIn(cfg.Data), manager.Temporary()},
		Asked:     func(ctx context.Context, o sweep.Owner) (sweep.State, error) { return stateOf(ctx, c, o) }, Now: time.Now, Log: log}, nil
}

// checkData refuses to clean a folder that no host has used. The workspaces would be made there, and a mistyped path would count as clean.
func checkData(data string) error {
	if _, err := os.Stat(filepath.Join(data, hostFile)); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fault.New(fault.NotFound, "no worker has used the data folder %s", data).
		WithHint("what tasks leave is kept on the host that ran them; go there, or set LONGSHIFT_DATA to its worker's")
}

// describer is the part of the client that a sweep uses.
type describer interface {
	DescribeWorkflowExecution(ctx context.Context, workflowID, runID string) (*workflowservice.DescribeWorkflowExecutionResponse, error)
}

var _ describer = client.Client(nil)

// stateOf asks the server about the owner of a folder.
func stateOf(ctx context.Context, c describer, o sweep.Owner) (s sweep.State, err error) {
	for _, run := range []string{o.Run, ""} { // the one that is noted, and the latest
		d, err := c.DescribeWorkflowExecution(ctx, o.Workflow, run)
		if _, ok := errors.AsType[*serviceerror.NotFound](err); ok {
			continue
		} else if err != nil {
			return sweep.State{}, err
		}
		s.Known = s.Known || run != ""
		if info := d.GetWorkflowExecutionInfo(); info.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
			s.Runs = info.GetExecution().GetRunId()
		}
	}
	return s, nil
}

// keepSweeping sweeps immediately and at each tick until ctx ends.
func keepSweeping(ctx context.Context, s *sweep.Sweeper, caches func(), tick <-chan time.Time) {
	for {
		sweepOnce(ctx, s, caches)
		select {
		case <-ctx.Done():
			return
		case <-tick:
		}
	}
}

func sweepOnce(ctx context.Context, s *sweep.Sweeper, caches func()) {
	caches()
	all, err := s.Find(ctx)
	if err == nil {
		_, err = s.Clear(ctx, all)
	}
	if err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "What ended tasks have left can't be removed", "error", err)
	}
}
