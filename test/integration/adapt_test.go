package integration

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/schedule/intakes"
	"github.com/longshift/longshift/test/lab"
)

// scheduled are intakes on a stage, as their schedules stand.
type scheduled struct {
	*lab.Stage
}

// add adds an intake of the issues by the command line, and waits for its first look.
func (s scheduled) add(name string, args ...string) intakes.Status {
	s.T.Helper()
	lab.Eventually(s.T, 30*time.Second, "intake "+name+" is added", func() bool { // once the worker has registered our attributes
		return s.Longshift(s.T, append([]string{"intake", "add", name, "--source", "github", "--repo", lab.Name, "--label", "longshift"}, args...)...).Code == 0
	})
	return s.looked(name, 0)
}

func (s scheduled) get(name string) (intakes.Status, error) {
	s.T.Helper()
	ctx, cancel := context.WithTimeout(s.T.Context(), 10*time.Second)
	defer cancel()
	return intakes.Get(ctx, s.Client, name, "127.0.0.1")
}

// looked waits for the end of a look after so many.
func (s scheduled) looked(name string, after int) (now intakes.Status) {
	s.T.Helper()
	lab.Eventually(s.T, time.Minute, fmt.Sprintf("intake %s has looked more than %d times", name, after), func() bool {
		var err error
		now, err = s.get(name)
		return err == nil && now.Runs > after && now.Last != nil && now.Last.Pass != nil
	})
	again, err := s.get(name) // the look may have ended between what was read of the schedule and what of the look
	s.must(err)
	now.Interval = again.Interval
	return now
}

// look has an intake look once more.
func (s scheduled) look(before intakes.Status) intakes.Status {
	s.T.Helper()
	s.must(intakes.Run(s.T.Context(), s.Client, before.Name))
	return s.looked(before.Name, before.Runs)
}

func (s scheduled) must(err error) {
	s.T.Helper()
	if err != nil {
		s.T.Fatal(err)
	}
}

// hours has an intake look until it does so each hour. Each of these looks is followed by the interval that is due. One for which the worker says
// that a busy server did not let it change the interval is followed by another look, which compares again.
func (s scheduled) hours(now intakes.Status) intakes.Status {
	s.T.Helper()
	for refused := 0; ; {
		due := intakes.Interval(intake.GitHub, now.Last.Pass.Quiet)
		if n := strings.Count(s.Worker.Log(), "The interval of the intake stays as it is"); now.Interval != due && n > refused {
			refused, now = n, s.look(now)
			continue
		}
		if now.Interval != due || len(now.Last.Pass.Started) > 0 {
			s.T.Fatalf("after %d quiet looks it looks every %s, and not %s", now.Last.Pass.Quiet, now.Interval, due)
		}
		if due == time.Hour {
			return now
		}
		now = s.look(now)
	}
}

// A quiet intake looks less often. A webhook still has it look at once, and work that it finds has it look often again. One whose interval
// was given keeps it.
func TestIntakeAdapts(t *testing.T) {
	t.Parallel()
	h := newHooked(t, lab.QuickSettings, "LONGSHIFT_ROLE=control", "LONGSHIFT_GITHUB_POLL=0s")
	s := scheduled{h.Stage}
	fixed := s.add("fixed", "--every", "15m", "--paused=false")
	quiet := s.hours(s.add("quiet", "--pause-if-open-pr=false"))
	if quiet.Last.Pass.Quiet < 8 || !quiet.Adaptive || quiet.Every != 15*time.Minute || quiet.Next.Sub(quiet.Last.At) > 61*time.Minute {
		t.Errorf("it stands as %+v", quiet)
	}
	if show := h.Longshift(t, "intake", "show", "quiet").Out; !strings.Contains(show, "every        1h, 15m when busy\n") {
		t.Errorf("it is shown as\n%s", show)
	}
	for range 5 {
		fixed = s.look(fixed)
	}
	if fixed.Last.Pass.Quiet < 6 || fixed.Interval != 15*time.Minute || fixed.Adaptive {
		t.Errorf("the other one stands as %+v", fixed)
	}
	s.must(intakes.Remove(t.Context(), h.Client, "fixed"))
	quiet = s.look(quiet) // nothing to change
	issue := h.GitHub.AddIssue(lab.Name, forgetest.Issue{Title: "Add is wrong", Body: "It subtracts.", Author: "eve"})
	h.GitHub.Label(lab.Name, issue, "ada", "longshift")
	h.labelled(issue, "ada", "Add is wrong", "It subtracts.")
	found := s.looked("quiet", quiet.Runs)
	if len(found.Last.Pass.Started) != 1 || found.Last.Pass.Quiet != 0 || found.Interval != 15*time.Minute {
		t.Errorf("the webhook has it stand as %+v, after %+v", found, found.Last.Pass)
	}
	lab.Eventually(t, 30*time.Second, "the server counts three changes: twice to be slower, once to be quick", func() bool {
		return h.Counted()["grpc_UpdateSchedule"] == 3
	})
}

// meddling is the server's API, in which somebody is quicker than the change of a schedule that was decided on.
type meddling struct {
	workflowservice.WorkflowServiceClient
	before func()
}

func (m meddling) WorkflowService() workflowservice.WorkflowServiceClient { return m }

func (m meddling) UpdateSchedule(ctx context.Context, in *workflowservice.UpdateScheduleRequest, opts ...grpc.CallOption) (
	*workflowservice.UpdateScheduleResponse, error) {
	m.before()
	return m.WorkflowServiceClient.UpdateSchedule(ctx, in, opts...)
}

// What a person does with an intake at the moment at which its interval changes stays done.
func TestIntakeAdaptsBesidePeople(t *testing.T) {
	t.Parallel()
	s := scheduled{lab.NewScriptedStage(t, lab.Script(), lab.QuickSettings, "LONGSHIFT_ROLE=control")}
	ctx := t.Context()
	const quarter = 15 * time.Minute
	adapt := func(name string, before func()) {
		t.Helper()
		s.must(intakes.Adapt(ctx, meddling{s.Client.WorkflowService(), before}, "default", name, 9))
	}
	stands := func(name string) intakes.Status {
		t.Helper()
		now, err := s.get(name)
		s.must(err)
		return now
	}

	s.add("paused")
	adapt("paused", func() { s.must(intakes.Pause(ctx, s.Client, "paused", "ada")) })
	if now := stands("paused"); !now.Paused || now.Note != "paused by ada" || now.Interval != quarter {
		t.Errorf("paused meanwhile, it stands as %+v", now)
	}
	adapt("paused", func() { t.Error("a paused schedule is changed") })
	paused := s.look(stands("paused"))
	if !paused.Paused || paused.Interval != quarter {
		t.Errorf("looking on demand, it stands as %+v", paused)
	}
	s.must(intakes.Resume(ctx, s.Client, "paused", "ada"))
	adapt("paused", func() {})
	slow := stands("paused")
	if slow.Paused || slow.Note != "resumed by ada" || slow.Interval != time.Hour || slow.Runs != paused.Runs {
		t.Errorf("resumed, it stands as %+v", slow)
	}
	s.must(intakes.Pause(ctx, s.Client, "paused", "ada"))
	s.must(intakes.Resume(ctx, s.Client, "paused", "ada"))
	if now := s.looked("paused", slow.Runs); now.Paused || now.Interval != quarter {
		t.Errorf("resumed once it was slow, it has looked at once and stands as %+v", now)
	}

	s.add("removed")
	adapt("removed", func() { s.must(intakes.Remove(ctx, s.Client, "removed")) })
	adapt("removed", func() { t.Error("a removed schedule is changed") })
	if now, err := s.get("removed"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("removed meanwhile, it stands as %+v, %v", now, err)
	}

	s.add("fixed", "--every", "15m")
	adapt("fixed", func() { t.Error("the interval that was given is changed") })
	if now := stands("fixed"); now.Interval != quarter {
		t.Errorf("its interval given, it stands as %+v", now)
	}
}
