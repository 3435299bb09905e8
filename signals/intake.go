package signals

import (
	"time"

	"github.com/longshift/longshift/task"
)

// IssueIntake is the workflow type of one poll of a source: it lists waiting work and starts tasks for new work. A Temporal Schedule
// starts it repeatedly. Its input is an IntakeInput. Its result is a PollResult, which is passed to the next poll.
const IssueIntake = "IssueIntake"

// IntakeScheduleID is the id of an intake's schedule.
func IntakeScheduleID(name string) string { return "intake:" + name }

// IntakeInput says what to poll, and with which limits tasks are started.
type IntakeInput struct {
	Name       string       `json:"name"`
	Source     string       `json:"source"`     // github, linear, backlog or heartbeat
	Repository string       `json:"repository"` // repository in which the work is done
	Label      string       `json:"label,omitempty"`
	Assignee   string       `json:"assignee,omitempty"`
	Team       string       `json:"team,omitempty"`
	Path       string       `json:"path,omitempty"`
	Base       string       `json:"base,omitempty"`
	Guard      task.Guard   `json:"guard,omitzero"`
	Queue      int          `json:"queue,omitempty"` // tasks that may wait for admission at once; 0 for DefaultQueue
	Config     *task.Config `json:"config,omitempty"`
	Adaptive   bool         `json:"adaptive,omitempty"` // polled less often while nothing comes
}

// DefaultQueue is how many tasks of an intake may wait for admission. Further work stays at the source and is found by a later poll.
const DefaultQueue = 10

// PollResult is the result of one poll.
type PollResult struct {
	At      time.Time          `json:"at"`
	Seen    int                `json:"seen"`              // pieces of work examined
	Started []string           `json:"started,omitempty"` // workflow ids of the started tasks
	Waiting int                `json:"waiting,omitempty"` // tasks that were already waiting for admission; known when there was new work
	Others  int                `json:"others,omitempty"`  // tasks of people at work, if a file waits for the end of one
	Skipped []Skipped          `json:"left,omitempty"`    // work that was not started, with the reason; at most 20
	More    bool               `json:"more,omitempty"`    // there is more work than was examined
	Refused map[string]Refusal `json:"refused,omitempty"` // work that must not be started, by its key and text
	Again   time.Duration      `json:"again,omitempty"`   // nanoseconds until the source can be listed, because somebody is editing it
	Quiet   int                `json:"quiet,omitempty"`   // polls in a row, with this one, that have found nothing
	Passed  Passed             `json:"passed,omitzero"`   // pieces at the head of the list that are read only if they have changed
}

// Passed is a position in the list of a source: that of the last piece of work that was read, which need not be in the list any more.
type Passed struct {
	Key      string    `json:"key"`
	Priority int       `json:"priority,omitempty"`
	Created  time.Time `json:"created,omitzero"`
	At       time.Time `json:"at"` // when it was read
}

// Refusal is why work must not be started, and when that was determined.
type Refusal struct {
	At  time.Time `json:"at"`
	Why string    `json:"why"`
}

// Skipped is a piece of work that was not started.
type Skipped struct {
	Key string `json:"key"`
	Why string `json:"why"`
}
