package cli

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// A follow-up starts from a branch that was pushed; where there is none, it says how to go on.
func TestFollowedBranch(t *testing.T) {
	pull := &signals.PullRequest{Number: 7, URL: "https://example.com/7"}
	synced := signals.Status{BaseCommit: "a", Head: "b", PullRequest: pull} // the host has written the status file, and no session has committed
	for name, c := range map[string]struct {
		s    signals.Status
		fork bool
		pull task.Outcome
		want string
		hint string
	}{
		"pull request":          {s: signals.Status{BaseCommit: "a", Head: "b", PullRequest: pull, Commits: []signals.Commit{{ID: "b"}}}, want: "longshift/x"},
		"only the status file":  {s: synced, want: "longshift/x"},
		"merged":                {s: synced, pull: task.PullMerged, want: "trunk"},
		"never pushed":          {s: signals.Status{BaseCommit: "a", Head: "b", Commits: []signals.Commit{{ID: "b"}}}, hint: "`longshift checkout web-1`"},
		"nothing committed":     {s: signals.Status{BaseCommit: "a", Head: "a"}, hint: "`longshift run`"},
		"in a fork":             {s: synced, fork: true, hint: "in a comment on https://example.com/7"},
		"never pushed, in fork": {s: signals.Status{BaseCommit: "a", Head: "b"}, fork: true, hint: "`longshift retry web-1`"},
	} {
		t.Run(name, func(t *testing.T) {
			c.s.WorkflowID, c.s.Branch = "web-1", "longshift/x"
			got, err := followedBranch(task.Input{Base: "trunk", Fork: c.fork}, &c.s, c.pull)
			if got != c.want || (err == nil) != (c.hint == "") || !strings.Contains(fault.HintOf(err), c.hint) {
				t.Errorf("%q, %v (%s)", got, err, fault.HintOf(err))
			}
		})
	}
}

// What is asked for on top of a sync is work, and no other sync.
func TestFollowUpOfASyncIsNone(t *testing.T) {
	address, data := useServer(t)
	c := newConsole(t, "TEMPORAL_ADDRESS="+address, "LONGSHIFT_DATA="+data, "HOME="+t.TempDir(), "USER=ann")
	f := c.factory()
	defer f.close()
	server, err := f.server.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	in := task.Input{Repository: "acme/web", Task: "quick: sync", Spec: []string{"SPEC.md"}, Sync: true}
	if _, err := f.tasks.Start(t.Context(), server, "synced", in); err != nil {
		t.Fatal(err)
	}
	_ = server.GetWorkflow(t.Context(), "synced", "").Get(t.Context(), nil)
	if code := c.run("follow-up", "synced", "quick: the dates", "--id", "on-top", "--detach"); code != 0 {
		t.Fatalf("exit code %d: %s", code, c.Errs.String())
	}
	started, err := tasks.InputOf(t.Context(), server, tasks.Found{ID: "on-top"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := task.ParseInput(started)
	if err != nil || got.Sync || !got.Words || len(got.Spec) != 1 {
		t.Errorf("the input is %s, %v", started, err)
	}
}
