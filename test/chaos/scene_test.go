package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/channel/slack/slacktest"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/test/lab"
)

// settings of the repositories: pull requests are looked at every second.
const settings = lab.QuickSettings + "pullRequest:\n  poll: 1s\n  batch: 1s\n"

// ada may do everything, on GitHub and on Slack.
const ada, adaSlack = "ada", "U0ADA"

// scene is one server with its workers, a forge that is called and a repository on disk, and the tasks that run there.
type scene struct {
	*lab.Stage
	seed    uint64
	agent   lab.Agent  // that works beside the scripted one
	chance  *rand.Rand // of the kills
	choice  *rand.Rand // of the tasks
	slack   *slacktest.Server
	local   string        // the repository on disk
	env     []string      // of every worker
	hosts   []*lab.Worker // that agents run on
	others  []*lab.Worker // where each has one role
	gone    []*lab.Worker // with their disks
	jobs    []*job
	figures figures
}

func newScene(t *testing.T, seed uint64, agent string) *scene {
	t.Helper()
	a := lab.AgentFor(t, agent)
	settings, script := a.Settings+settings, script().In(a.Tools)
	s := &scene{seed: seed, agent: a, chance: newChance(seed, 0), choice: newChance(seed, 1), slack: slacktest.New(t), local: gittest.NewBare(t, lab.Repository(settings))}
	scenario := filepath.Join(t.TempDir(), "scenario.yaml")
	if err := os.WriteFile(scenario, []byte(played), 0o600); err != nil {
		t.Fatal(err)
	}
	s.env = append(a.Env, "LONGSHIFT_HEARTBEAT="+heartbeat.String(), "LONGSHIFT_PROBE="+probe.String(), "LONGSHIFT_SCENARIO="+scenario, "LONGSHIFT_GATE_LEASE=2s",
		fmt.Sprintf("LONGSHIFT_SLOTS=%d", slots()), "LONGSHIFT_KEEP=1ns", // a worker that starts removes what ended tasks have left
		"LONGSHIFT_SLACK_BOT_TOKEN="+s.slack.BotToken, "LONGSHIFT_SLACK_APP_TOKEN="+s.slack.AppToken, "LONGSHIFT_SLACK_URL="+s.slack.URL,
		"LONGSHIFT_SLACK_CHANNELS="+s.slack.General, "LONGSHIFT_SLACK_START="+adaSlack, "LONGSHIFT_SLACK_APPROVE="+adaSlack)
	server := func() *lab.Server { return lab.StartServer(t, false) }
	if *postgres {
		server = func() *lab.Server { return lab.StartOnPostgres(t) }
	}
	if *split {
		s.Stage = lab.NewStageOn(t, server, script, settings, s.with("control")...)
		s.others = []*lab.Worker{s.Worker, s.worker("control"), s.worker("listen")}
		s.hosts = []*lab.Worker{s.worker("host"), s.worker("host")}
	} else {
		s.Stage = lab.NewStageOn(t, server, script, settings, s.env...)
		s.hosts = []*lab.Worker{s.Worker, s.worker("all")}
	}
	s.GitHub.SetPermission(lab.Name, ada, "write")
	s.intake()
	return s
}

// with is the environment of a worker of a role. Where one of them listens, no other one does.
func (s *scene) with(role string) []string {
	return append([]string{"LONGSHIFT_ROLE=" + role, fmt.Sprintf("LONGSHIFT_LISTENERS=%t", role == "listen" || role == "all")}, s.env...)
}

func (s *scene) worker(role string) *lab.Worker { return s.NewWorker(lab.Claude(s.T), s.with(role)...) }

// workers are all that run now.
func (s *scene) workers() []*lab.Worker { return slices.Concat(s.hosts, s.others) }

// closed gives the last status of a workflow that has ended. No worker is asked.
func (s *scene) closed(id string) (end signals.Status, ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	d, err := s.Client.DescribeWorkflowExecution(ctx, id, "")
	if err != nil || d.WorkflowExecutionInfo.CloseTime == nil {
		return end, false
	}
	err = s.Client.GetWorkflow(ctx, id, "").Get(ctx, &end)
	if failed, ok := errors.AsType[*temporal.WorkflowExecutionError](err); ok {
		s.T.Errorf("%s has ended with %v", id, failed)
	} else if err != nil { // the server has been killed since
		return end, false
	}
	return end, true
}
