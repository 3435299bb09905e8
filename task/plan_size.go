package task

import "fmt"

// Limits of what a planner says of the size of its plan.
const (
	maxLines = 1_000_000
	maxSplit = 12
)

// Measured returns the plan compared with what a pull request should keep to, 0 for no limit. Only a plan that is larger keeps the proposal
// how to split it.
func (p Plan) Measured(most int) Plan {
	p.MaxLines = most
	if most == 0 || p.Lines <= most {
		p.MaxLines, p.Split = 0, nil
	}
	return p
}

// Size says how large the change will be, "" when the planner has not said. The tasks of Split belong below it.
func (p Plan) Size() string {
	if p.Lines == 0 {
		return ""
	}
	text := fmt.Sprintf("about %d lines", p.Lines)
	switch {
	case p.MaxLines == 0:
		return text
	case len(p.Split) == 0:
		return text + fmt.Sprintf(", more than the %d of pullRequest.maxLines; the planner proposes no split", p.MaxLines)
	}
	return text + fmt.Sprintf(", more than the %d of pullRequest.maxLines; it could be split into these tasks:", p.MaxLines)
}
