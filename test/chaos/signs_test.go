package chaos

import (
	"fmt"
	"slices"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/longshift/longshift/internal/agent/agenttest"
)

// signs gives, for each task, when it went on: when one of its steps was completed, or when it asked the model.
func (s *scene) signs() [][]time.Time {
	all := make([][]time.Time, len(s.jobs))
	for _, j := range s.jobs {
		if j.end == nil {
			continue
		}
		for _, e := range s.History(s.T, j.id) {
			if e.EventType == enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED {
				all[j.n] = append(all[j.n], e.EventTime.AsTime())
			}
		}
	}
	for _, c := range s.Model.Calls() {
		if n, ok := s.jobOf(c); ok {
			all[n] = append(all[n], c.Time)
		}
	}
	for _, times := range all {
		slices.SortFunc(times, time.Time.Compare)
	}
	return all
}

// answered gives when turns that were said already went out whole once more: those of one task, rule and place.
func (s *scene) answered() (again []time.Time) {
	seen := map[string]bool{}
	for _, c := range s.Model.Calls() {
		n, ok := s.jobOf(c)
		if !ok {
			s.T.Errorf("a call of the model that is of no task: %.80q", c.First)
		}
		if !ok || !c.Whole || c.Status != 200 {
			continue
		}
		turn := fmt.Sprintf("%d %s %d", n, c.Rule, c.Turn)
		if seen[turn] {
			again = append(again, c.Time)
		}
		seen[turn] = true
	}
	return again
}

// jobOf gives the task that a call is of: the prompt that its conversation began with says so.
func (s *scene) jobOf(c agenttest.Call) (int, bool) {
	n, ok := jobOf(c.First)
	return n, ok && n < len(s.jobs)
}
