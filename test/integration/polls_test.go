package integration

import (
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/schedule/intakes"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// A task that waits for the money of the whole installation is at no limiter of its repository. It counts all the same.
func TestRoomBesideTheMoneyOfAll(t *testing.T) {
	t.Parallel()
	p := newPolled(t)
	p.add(5)
	want := func(when string, issues, files, files2, lists int) {
		t.Helper()
		got := [...]int{p.room(intake.GitHub, 1), p.room(intake.Backlog, 1), p.room(intake.Backlog, 2), p.room(intake.Heartbeat, 1)}
		if got != [...]int{issues, files, files2, lists} {
			t.Errorf("%s: there is room for %v", when, got)
		}
	}
	of, all, money := signals.LimiterID("github.com", task.Repository{Owner: "acme", Name: "web"}), signals.LimiterOfAll, task.Guard{DailyCost: 20}
	want("nobody is there", 2, 1, 2, 1)
	p.asks(all, "another", "other", money)
	p.asks(all, "person", "", money)
	want("others wait for money", 2, 1, 2, 1)
	p.asks(all, "first", "calc", money)
	want("one waits for money", 1, 0, 1, 0)
	p.asks(of, "first", "calc", task.Guard{})
	want("it has not given the repository's admission back yet", 1, 0, 1, 0)
	p.asks(all, "second", "calc", money)
	want("two wait for money", 0, 0, 0, 0)
	p.schedule(intakes.Spec{IntakeInput: signals.IntakeInput{Name: "calc", Repository: "acme/web"}, Every: time.Hour})
	s, err := intakes.Get(t.Context(), p.Client, "calc", "github.com")
	if err != nil || len(s.Queue) != 2 || s.Queue[0].Task != "first" || s.Queue[1].Task != "second" || s.Queue[1].For != signals.WaitCost {
		t.Errorf("the intake shows %+v, %v", s.Queue, err)
	}
}

// A person's task takes the place of one for a file, and none in the queue of a tracker. One without limits asks no limiter.
func TestRoomBesideOthers(t *testing.T) {
	t.Parallel()
	p := newPolled(t)
	p.add(5)
	rooms := func() [5]int {
		return [...]int{p.room(intake.GitHub, 1), p.room(intake.Backlog, 0), p.room(intake.Backlog, 1), p.room(intake.Backlog, 3), p.room(intake.Heartbeat, 1)}
	}
	if got := rooms(); got != [...]int{2, 1, 1, 3, 1} {
		t.Errorf("nobody is there: there is room for %v", got)
	}
	of := signals.LimiterID("github.com", task.Repository{Owner: "acme", Name: "web"})
	p.asks(of, "another", "other", task.Guard{Sessions: 3})
	if got := rooms(); got != [...]int{2, 1, 1, 3, 1} {
		t.Errorf("another intake's task is admitted, and files wait for their turn beside it: there is room for %v", got)
	}
	p.asks(of, "person", "", task.Guard{Sessions: 3})
	if got := rooms(); got != [...]int{2, 1, 0, 2, 0} {
		t.Errorf("a person's task is admitted: there is room for %v", got)
	}
	run, err := p.Client.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{TaskQueue: signals.Queue, TypedSearchAttributes: temporal.NewSearchAttributes(
		temporal.NewSearchAttributeKeyKeyword(signals.AttrRepository).ValueSet("acme/web"))}, signals.CodingTask)
	if err != nil {
		t.Fatal(err)
	}
	lab.Eventually(t, 30*time.Second, "the one that asks no limiter counts", func() bool { return rooms() == [...]int{2, 1, 0, 1, 0} })
	p.acquire(signals.LimiterOfAll, run, "", task.Guard{DailyCost: 20})
	if got := rooms(); got != [...]int{2, 1, 0, 1, 0} {
		t.Errorf("it asks the limiter of all: there is room for %v", got)
	}
}

// Many refused pieces of work at the head of a list keep nobody from what is behind them, however long the pause between two looks.
func TestRefusalsStarveNothing(t *testing.T) {
	t.Parallel()
	p := newPolled(t)
	p.add(61)
	for _, i := range p.items[:60] {
		p.refused = append(p.refused, i.Key)
	}
	var last signals.PollResult
	look := func(after time.Duration) (found []string) {
		t.Helper()
		p.read = nil
		f := p.poll(activities.PollSourceInput{Now: polledAt.Add(after), Refused: last.Refused, Passed: last.Passed,
			Intake: signals.IntakeInput{Source: string(intake.GitHub), Queue: 10}})
		for _, w := range f.Work {
			found = append(found, w.Key)
		}
		last = f.PollResult
		return found
	}
	if found := look(0); len(found) > 0 || len(p.read) != 50 || !last.More {
		t.Errorf("found %q after %d were read", found, len(p.read))
	}
	p.refused = slices.DeleteFunc(p.refused, func(key string) bool { return key == "3" }) // somebody else has labelled it
	p.items[2].Changed = polledAt.Add(10 * time.Minute)
	if found := look(31 * time.Minute); !slices.Equal(found, []string{"3", "61"}) || len(p.read) != 12 || last.More {
		t.Errorf("found %q after %d were read", found, len(p.read))
	}
	if look(62 * time.Minute); p.read[0] != "1" {
		t.Errorf("the look after the end of the list begins at %s", p.read[0])
	}
	p.items, p.refused = nil, nil
	p.records()
}

// records checks that the source is told which listed work has had its task, before the server forgets that, and not which is at work. What
// can't be told stops no poll.
func (p *polled) records() {
	p.add(4)
	for _, i := range p.items[:3] {
		run, err := p.Client.ExecuteWorkflow(p.t.Context(), client.StartWorkflowOptions{ID: i.ID, TaskQueue: signals.Queue}, goesOn)
		if err == nil && i.Key != "2" {
			err = p.Client.TerminateWorkflow(p.t.Context(), i.ID, run.GetRunID(), "it has ended")
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
	var last signals.PollResult
	for _, c := range []struct {
		when  string
		noted int
	}{{"it can't be told", 1}, {"it can", 2}, {"it was", 0}} {
		p.noted, p.closed = nil, c.noted == 1
		f := p.poll(activities.PollSourceInput{Now: polledAt, Refused: last.Refused,
			Intake: signals.IntakeInput{Source: string(intake.GitHub), Queue: 10}})
		last = f.PollResult
		if len(p.noted) != c.noted || len(f.Work) != 1 || f.Work[0].Key != "4" || len(f.Skipped) != 2 {
			p.t.Errorf("%s: told %q, found %+v, skipped %+v", c.when, p.noted, f.Work, f.Skipped)
		}
		if len(p.noted) == 2 && (!strings.HasPrefix(p.noted[0], "1: This issue has had its task: `work-1`.") || p.noted[1][0] != '3') {
			p.t.Errorf("told %q", p.noted)
		}
	}
}
