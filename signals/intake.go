package signals

import (
	"time"

	"github.com/longshift/longshift/task"
)

// IssueIntake is the workflow type of one look at a source: it lists work that waits, and starts a task for what is new. A Temporal
// Schedule starts it again and again; its input is an IntakeInput, its result a Pass, which the next look is handed.
const IssueIntake = "IssueIntake"

// IntakeScheduleID is the id of the schedule of an intake.
func IntakeScheduleID(name string) string { return "intake:" + name }

// IntakeInput says where to look and what limits hold for what is found.
type IntakeInput struct {
	Name       string       `json:"name"`
	Source     string       `json:"source"`     // github, linear, backlog or heartbeat
	Repository string       `json:"repository"` // in which the work is done
	Label      string       `json:"label,omitempty"`
	Assignee   string       `json:"assignee,omitempty"`
	Team       string       `json:"team,omitempty"`
	Path       string       `json:"path,omitempty"`
	Base       string       `json:"base,omitempty"`
	Guard      task.Guard   `json:"guard,omitzero"`
	Queue      int          `json:"queue,omitempty"` // tasks that may wait for their turn at a time; 0 for DefaultQueue
	Config     *task.Config `json:"config,omitempty"`
}

// DefaultQueue is how many tasks of an intake may wait for their turn. What is beyond stays where it is, and is found by a later look.
const DefaultQueue = 10

// PollResult is what one look has come to.
type PollResult struct {
	At      time.Time          `json:"at"`
	Seen    int                `json:"seen"`              // pieces of work that were looked at
	Started []string           `json:"started,omitempty"` // workflow ids of tasks
	Waiting int                `json:"waiting,omitempty"` // tasks that waited for their turn already
	Skipped []Skipped          `json:"left,omitempty"`    // what was not begun, and why; at most 20
	More    bool               `json:"more,omitempty"`    // there is more work than was looked at
	Refused map[string]Refusal `json:"refused,omitempty"` // work that must not be begun, by its key and text
	Again   time.Duration      `json:"again,omitempty"`   // nanoseconds until the source lists anything: somebody is writing there
}

// Refusal is why work must not be begun, and when that was found out.
type Refusal struct {
	At  time.Time `json:"at"`
	Why string    `json:"why"`
}

// Released is a piece of work that was not begun.
type Skipped struct {
	Key string `json:"key"`
	Why string `json:"why"`
}
