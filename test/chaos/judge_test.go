package chaos

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// judge waits for what has begun, and holds what is there then against what each task should have brought.
func (s *scene) judge() {
	s.settle(time.Now().Add(6*time.Minute + 10*(*heartbeat+*probe)))
	for _, j := range s.jobs {
		if j.end != nil && j.end.Outcome != task.PullRequest {
			s.T.Errorf("%s has ended as %s: %s%s", j.id, j.end.Outcome, j.end.Detail, lab.Log(*j.end))
		}
		s.suspended(j)
	}
	s.listed()
	s.stands(forge{s.Bare, s.pulls()}, func(j *job) bool { return !j.onDisk() })
	s.stands(forge{s.local, s.records()}, (*job).onDisk)
	s.said()
	for _, w := range slices.Concat(s.workers(), s.gone) {
		lab.Eventually(s.T, 15*time.Second, "nothing runs any more", func() bool { return len(w.Programs()) == 0 })
	}
	s.swept()
	s.figures.jobs = len(s.jobs)
	s.figures.recovered(s.signs())
	for _, wrong := range s.figures.repeated(s.answered(), *atWork) {
		s.T.Error(wrong)
	}
}

// settle waits until every task is done, and has a person lift what is true. Nothing else that chance does is a person's to mend.
func (s *scene) settle(deadline time.Time) {
	given := map[*job]bool{} // up
	for left := true; left; <-time.After(200 * time.Millisecond) {
		left = false
		s.tend(0)
		for _, j := range s.jobs {
			if given[j] || j.done() {
				continue
			}
			left = true
			now, answered := s.now(j)
			switch {
			case answered && now.Phase == task.Suspended && !s.lift(now):
				s.T.Errorf("%s is suspended, %s: %s%s", now.WorkflowID, now.Reason, now.Detail, lab.Log(now))
				given[j] = true
			case time.Now().After(deadline):
				s.T.Errorf("%s (chance-%d, %s) does not end: %s, %s: %s%s", j.id, j.n, j.way, now.Phase, now.Reason, now.Detail, lab.Log(now))
				given[j] = true
			}
		}
	}
}

// listed holds the list of tasks against what was begun: each is there, once, and says how it has ended.
func (s *scene) listed() {
	want := map[string]task.Outcome{}
	for _, j := range s.jobs {
		want[j.id] = "" // where it has not ended
		if j.end != nil {
			want[j.id] = j.end.Outcome
		}
		if j.pull != nil {
			want[j.pullID()] = j.pull.Outcome
		}
	}
	var rows []struct {
		ID      string       `json:"id"`
		Outcome task.Outcome `json:"outcome"`
	}
	ran := s.Longshift(s.T, "list", "--all", "-o", "json")
	if err := json.Unmarshal([]byte(ran.Out), &rows); err != nil {
		s.T.Errorf("longshift list: %v\n%s%s", err, ran.Out, ran.Err)
	}
	seen := map[string]int{}
	for _, r := range rows {
		seen[r.ID]++
		if outcome, begun := want[r.ID]; !begun || r.Outcome != outcome || seen[r.ID] > 1 {
			s.T.Errorf("longshift list has %s as %q, %d times; want %q", r.ID, r.Outcome, seen[r.ID], outcome)
		}
	}
	for id := range want {
		if seen[id] == 0 {
			s.T.Errorf("longshift list does not have %s", id)
		}
	}
}

// said looks for what people were told twice: answers to remarks, notes at issues, messages in the chat.
func (s *scene) said() {
	cards := map[string]int{}
	for _, j := range s.jobs {
		if j.end == nil || j.end.PullRequest == nil {
			continue
		}
		if j.said != 0 {
			if n := s.answers(j); n != 1 {
				s.T.Errorf("%s: the remark has %d answers", j.id, n)
			}
		}
		if j.issue != 0 {
			if notes := s.GitHub.Comments(lab.Name, j.issue); len(notes) != 1 {
				s.T.Errorf("%s: issue %d has %d notes: %+v", j.id, j.issue, len(notes), notes)
			}
		}
		if !j.onDisk() {
			if talk := s.GitHub.Comments(lab.Name, j.end.PullRequest.Number); len(talk) != 0 {
				s.T.Errorf("%s: nobody has asked for %+v", j.id, talk)
			}
		}
	}
	threads := map[[2]string]int{}
	for _, m := range s.slack.Messages(s.slack.General) {
		if m.Thread == "" {
			cards[m.TS]++
			continue
		}
		if threads[[2]string{m.Thread, m.Text}]++; threads[[2]string{m.Thread, m.Text}] == 2 {
			s.T.Errorf("said twice in one thread of the chat: %q", m.Text)
		}
	}
	if len(cards) != len(s.jobs) {
		s.T.Errorf("%d tasks have %d cards in the chat", len(s.jobs), len(cards))
	}
}

// sessions are those of a job, also after its pull request was opened.
func (j *job) sessions() (all []signals.Session) {
	for _, end := range []*signals.Status{j.end, j.pull} {
		if end != nil {
			all = slices.Concat(all, end.Sessions)
		}
	}
	return all
}
