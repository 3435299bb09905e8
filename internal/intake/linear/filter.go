package linear

// filter is the part of Linear's IssueFilter that we use. The generated type would add about a hundred others.
type filter struct {
	And      []filter `json:"and,omitempty"`
	Or       []filter `json:"or,omitempty"`
	State    *state   `json:"state,omitempty"`
	Labels   *labels  `json:"labels,omitempty"`
	Assignee *user    `json:"assignee,omitempty"`
	Delegate *user    `json:"delegate,omitempty"`
	Team     *team    `json:"team,omitempty"`
	Priority *number  `json:"priority,omitempty"`
}

type (
	state struct {
		Type text `json:"type"`
	}
	labels struct {
		Some label `json:"some"`
	}
	label struct {
		Name text `json:"name"`
	}
	team struct {
		Key text `json:"key"`
	}
	number struct {
		Eq float64 `json:"eq"`
	}
	truth struct {
		Eq bool `json:"eq"`
	}
	text struct {
		Eq   string `json:"eq,omitempty"`
		Fold string `json:"eqIgnoreCase,omitempty"`
	}
	user struct {
		Or          []user `json:"or,omitempty"`
		IsMe        *truth `json:"isMe,omitempty"`
		Email       *text  `json:"email,omitempty"`
		Name        *text  `json:"name,omitempty"`
		DisplayName *text  `json:"displayName,omitempty"`
	}
)
