package reporting

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// Report is an accepted call of a tool.
type Report struct {
	Call

	Kind   task.MarkerKind // what it is for the task; "" for plan, review and what is for the session's log alone
	Text   string
	Answer json.RawMessage // the plan or the review
	Ends   bool            // the session is over
}

// Call is a call of a tool, as it is kept.
type Call struct {
	Time      time.Time       `json:"time"`
	ID        string          `json:"id,omitempty"` // the agent's name of the call
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// read says what a call means. It does not depend on the state of the session.
func (s *Session) read(c Call) (Report, error) {
	for _, t := range Tools(s.role) {
		if t.Name == c.Tool && t.read != nil {
			r, err := t.read(c.Arguments)
			r.Call, r.Ends = c, t.ends
			return r, err
		}
	}
	return Report{}, fault.New(fault.Work, "%s has no tool %q", s.role, c.Tool)
}

func readPlan(arguments []byte) (Report, error) {
	_, err := task.DecodePlan(arguments)
	return Report{Answer: arguments}, err
}

func readReview(arguments []byte) (Report, error) {
	_, err := task.DecodeReview(arguments)
	return Report{Answer: arguments}, err
}

// readText reads a report that is one text.
func readText(kind task.MarkerKind) func([]byte) (Report, error) {
	return func(arguments []byte) (Report, error) {
		var in struct {
			Text string `json:"text"`
		}
		if err := task.DecodeAnswer("the report", arguments, &in); err != nil {
			return Report{}, err
		}
		return Report{Kind: kind, Text: strings.TrimSpace(in.Text)}, present(in.Text)
	}
}

func readFinding(arguments []byte) (Report, error) {
	var in struct {
		Path string `json:"path"`
		Text string `json:"text"`
	}
	if err := task.DecodeAnswer("the finding", arguments, &in); err != nil {
		return Report{}, err
	}
	text := strings.TrimSpace(in.Text)
	if path := strings.TrimSpace(in.Path); path != "" {
		text = path + ": " + text
	}
	return Report{Kind: task.Found, Text: text}, present(in.Text)
}

// status is the status of a deliverable as it is reported.
type status struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Text   string `json:"text"`
}

func decodeStatus(arguments []byte) (in status, err error) {
	return in, task.DecodeAnswer("the status", arguments, &in)
}

func readStatus(arguments []byte) (Report, error) {
	in, err := decodeStatus(arguments)
	if err != nil {
		return Report{}, err
	}
	r := Report{Text: strings.TrimSpace(in.Text)}
	switch task.Status(in.Status) {
	case task.Passed:
		r.Kind = task.Progress
	case task.Blocked:
		r.Kind = task.Blocking
	default:
		return Report{}, fault.New(fault.Work, "status is %q: use passed or blocked", in.Status)
	}
	return r, present(in.Text)
}

// verification is what a reviewer has seen of one deliverable.
type verification struct {
	ID    string `json:"id"`
	Holds bool   `json:"holds"`
	Text  string `json:"text"`
}

func decodeVerification(arguments []byte) (in verification, err error) {
	return in, task.DecodeAnswer("the verification", arguments, &in)
}

func readVerification(arguments []byte) (Report, error) {
	in, err := decodeVerification(arguments)
	if err != nil {
		return Report{}, err
	}
	what := in.ID + " holds: "
	if !in.Holds {
		what = in.ID + " does not hold: "
	}
	return Report{Text: what + strings.TrimSpace(in.Text)}, present(in.Text)
}

func present(text string) error {
	if strings.TrimSpace(text) == "" {
		return fault.New(fault.Work, "text is empty")
	}
	return nil
}
