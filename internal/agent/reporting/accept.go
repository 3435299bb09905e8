package reporting

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// mostText limits the text of a report, in bytes.
const mostText = 16 << 10

// mostReports limits what one session may report, so that a loop does not fill the disk.
const mostReports = 200

// Call makes a call of a tool, for an agent that has no need of a server. ok is false for a tool that the role has not.
func (s *Session) Call(id, tool string, arguments json.RawMessage) (text string, failed, ok bool) {
	for _, t := range Tools(s.role) {
		if t.Name == tool {
			text, failed = s.answer(t, id, arguments)
			return text, failed, true
		}
	}
	return "", true, false
}

// answer is what the agent is told of a call.
func (s *Session) answer(t Tool, id string, arguments json.RawMessage) (text string, failed bool) {
	text, err := s.take(t, Call{ID: id, Tool: t.Name, Arguments: json.RawMessage(s.hide(string(arguments)))})
	if err != nil {
		return fmt.Sprintf("not recorded: %v\nA call looks like this: %s", err, t.form), true
	}
	return text, false
}

// take accepts a call, or says why not. An accepted report is on disk before take returns. The same report again changes nothing: agents and
// connections repeat calls whose answers they have missed.
func (s *Session) take(t Tool, c Call) (answer string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.about == nil {
		return "", fault.New(fault.Work, "the session has not begun")
	}
	if t.read == nil {
		return s.list()
	}
	r, err := s.read(c)
	if err != nil {
		return "", err
	}
	if s.known(r) {
		return "recorded before", nil
	}
	if end, ended := s.end(); ended {
		return "", fault.New(fault.Work, "the session has ended with %s; make no further calls", end.Tool)
	}
	if err := s.fits(r); err != nil {
		return "", err
	}
	r.Time = s.now().UTC()
	if err := s.kept.add(r.Call); err != nil {
		return "", fault.New(fault.Infra, "it can't be written down (%w); report it again later", err)
	}
	s.reports = append(s.reports, r)
	s.about.Accepted(r)
	if r.Ends {
		return "recorded; the session ends here: make no further calls and say nothing more", nil
	}
	return "recorded", nil
}

// list is the answer to deliverable_list.
func (s *Session) list() (string, error) {
	if s.about.Plan == nil {
		return "", fault.New(fault.Work, "there is no plan yet")
	}
	text, err := json.MarshalIndent(s.about.Plan.Deliverables, "", " ")
	return string(text), err
}

// known tells whether the same was reported before. Of what is said of a deliverable the last word counts, so that may be said again.
func (s *Session) known(r Report) bool {
	verified, _ := decodeVerification(r.Arguments)
	for _, k := range slices.Backward(s.reports) {
		if k.Tool != r.Tool {
			continue
		}
		if sameJSON(k.Arguments, r.Arguments) {
			return true
		}
		if before, _ := decodeVerification(k.Arguments); r.Tool == "deliverable_verify" && before.ID == verified.ID {
			return false
		}
	}
	return false
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// fits checks a report against what the session works on.
func (s *Session) fits(r Report) error {
	if !r.Ends && len(s.reports) >= mostReports {
		return fault.New(fault.Work, "the session has made %d reports, which is the most; end it", mostReports)
	}
	if n := len(r.Text); n > mostText {
		return fault.New(fault.Work, "text has %d bytes: give at most %d", n, mostText)
	}
	same := 0
	for _, k := range s.reports {
		if k.Kind == r.Kind {
			same++
		}
	}
	if (r.Kind == task.Note || r.Kind == task.Found) && same >= task.MaxNotes {
		return fault.New(fault.Work, "the session has reported %d by %s, which is the most; say the rest in the text of its last report", same, r.Tool)
	}
	switch r.Tool {
	case "deliverable_set_status":
		return s.fitsStatus(r)
	case "deliverable_verify":
		return s.fitsVerification(r)
	case "review_submit":
		return s.fitsReview(r)
	}
	return nil
}

func (s *Session) fitsStatus(r Report) error {
	in, err := decodeStatus(r.Arguments)
	if err != nil {
		return err
	}
	mine := s.about.Deliverable
	if mine == nil {
		return fault.New(fault.Work, "this session has no deliverable")
	}
	if in.ID != mine.ID {
		return fault.New(fault.Work, "id is %q: this session works on %s and reports on no other", in.ID, mine.ID)
	}
	return nil
}
