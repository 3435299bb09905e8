package reporting

import (
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// fitsVerification refuses what is said of a deliverable that is not there to be confirmed.
func (s *Session) fitsVerification(r Report) error {
	in, err := decodeVerification(r.Arguments)
	if err != nil {
		return err
	}
	if s.about.Plan != nil {
		if d, ok := s.about.Plan.Find(in.ID); ok && d.Status == task.Passed {
			return nil
		}
	}
	return fault.New(fault.Work, "id is %q: deliverable_list has those that are reported as passed", in.ID)
}

// fitsReview refuses an approval that leaves out a deliverable which the session has to confirm, or that contradicts what it said of one.
func (s *Session) fitsReview(r Report) error {
	review, err := task.DecodeReview(r.Arguments)
	if err != nil || !review.Approved || !s.about.Confirms || s.about.Plan == nil {
		return err
	}
	said := map[string]bool{}
	for _, k := range s.reports {
		if k.Tool != "deliverable_verify" {
			continue
		}
		in, err := decodeVerification(k.Arguments)
		if err != nil {
			return err
		}
		said[in.ID] = in.Holds // the last word counts
	}
	for _, d := range s.about.Plan.Deliverables {
		if d.Status != task.Passed {
			continue
		}
		switch holds, ok := said[d.ID]; {
		case !ok:
			return fault.New(fault.Work, "%s is not verified: say by deliverable_verify of each deliverable that has passed whether it holds, "+
				"then approve", d.ID)
		case !holds:
			return fault.New(fault.Work, "%s does not hold, by your own word: request changes, or verify it again", d.ID)
		}
	}
	return nil
}
