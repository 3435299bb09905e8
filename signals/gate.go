package signals

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/task"
)

// Gate is the workflow type of the one workflow that lets tasks of a repository work, a limited number at a time. It needs no input and
// never ends. What it knows of limits, every task brings along: the same gate serves tasks with and without them.
const Gate = "Gate"

// GateOfAll is the workflow id of the gate that every task with a limit for the whole installation passes.
const GateOfAll = "gate:all"

// GateID is the workflow id of a repository's gate. No path is in it: an id is shown to people.
func GateID(host string, r task.Repository) string {
	if r.Owner == "" {
		sum := sha256.Sum256([]byte(r.Text))
		return "gate:" + r.Slug() + ":" + hex.EncodeToString(sum[:4])
	}
	if r.Host != "" {
		host = r.Host
	}
	return strings.TrimSuffix(forgeID("gate", host, r.Owner, r.Name, 0), ":0")
}

// Updates and the query of a Gate. A caller starts the workflow with its first update.
const (
	Enter     = "enter" // an EnterRequest goes in, an EnterAnswer comes back: once for a task, however often it is asked
	Leave     = "leave" // a LeaveRequest goes in, nothing comes back
	QueryGate = "gate"  // gives a GateState
)

// Turn is the signal by which a Gate tells a waiting task that it may work now, or that it waits for something else than before. Its
// payload is an EnterAnswer.
const Turn = "turn"

// EnterRequest asks to be let in.
type EnterRequest struct {
	Workflow   string        `json:"workflow"`         // id of the task's workflow
	Run        string        `json:"run"`              // its first run: another task under the same id is another holder
	Intake     string        `json:"intake,omitempty"` // name of the intake that the task has come by
	Repository string        `json:"repository,omitempty"`
	Prefix     string        `json:"prefix,omitempty"` // of the ids of what looks after the repository's pull requests; empty where nothing does
	Priority   int           `json:"priority,omitempty"`
	Guard      task.Guard    `json:"guard"`
	Budget     float64       `json:"budget,omitempty"`  // US dollars that the task may spend in all
	Before     float64       `json:"before,omitempty"`  // US dollars that it has spent in all until now
	Reserve    bool          `json:"reserve,omitempty"` // asked by its intake: not after the task itself has left
	Lease      time.Duration `json:"lease,omitempty"`   // how long a holder is believed to run without being looked at
}

// Priorities of those who wait at a gate. Within one, who came first is let in first.
const (
	PriorityIntake = 0   // to 9: what came by itself
	PriorityPerson = 50  // what a person has started
	PriorityResume = 100 // work that stands half done
)

// Wait is what a task waits for at a gate.
type Wait string

// IntakePriority is that of work that has come by itself, of its own priority at its source.
func IntakePriority(p int) int { return PriorityIntake + min(max(p, 0), 9) }

// The things that are waited for.
const (
	WaitSessions Wait = "sessions"          // others of the repository are at work
	WaitPull     Wait = "open_pull_request" // a pull request of ours is open
	WaitCost     Wait = "daily_cost"        // today's money is spent, or promised to others
	WaitErrors   Wait = "errors"            // too many tasks in a row have stopped with errors
)

// Holds tells whether a task that stops for a reason keeps its place meanwhile. What would stop the next one just the same keeps it: the next
// one must not run into the same wall. Errors of one task may be its own; a gate counts how many have them in a row. A question about
// the specification holds up what comes behind it in a backlog. source is that of the task's origin, "" for none.
func Holds(why Reason, source string) bool {
	switch why {
	case ReasonQuota, ReasonInfra, ReasonAccess:
		return true
	case ReasonSpecIssue:
		return source == "backlog"
	}
	return false
}

// EnterAnswer says whether a task is let in.
type EnterAnswer struct {
	Gate    string    `json:"gate,omitempty"` // its workflow id
	In      bool      `json:"in"`
	Wait    Wait      `json:"wait,omitempty"`    // when it is not
	Detail  string    `json:"detail,omitempty"`  // the same, one line for people
	Until   time.Time `json:"until,omitzero"`    // when that is known
	Ceiling float64   `json:"ceiling,omitempty"` // US dollars that are kept for the task; 0 for no limit
}

// LeaveRequest gives the place back.
type LeaveRequest struct {
	Workflow string    `json:"workflow"`
	Run      string    `json:"run"`
	Spent    float64   `json:"spent,omitempty"`   // US dollars since the task came in
	Good     bool      `json:"good,omitempty"`    // it has ended well
	Trouble  bool      `json:"trouble,omitempty"` // it has stopped, or ended, with errors
	Pull     *OpenPull `json:"pull,omitempty"`    // the pull request that stands now
	Closed   string    `json:"closed,omitempty"`  // workflow id of what looked after a pull request, and ends now
}

// OpenPull is a pull request of ours that others may have to wait for.
type OpenPull struct {
	Workflow   string          `json:"workflow,omitempty"` // id of what looks after it; empty when nothing does
	Repository task.Repository `json:"repository"`
	Number     int             `json:"number"`
	URL        string          `json:"url,omitempty"`
}

// GateState is what a Gate knows, and what one run of it hands to the next.
type GateState struct {
	Holders  []Holder      `json:"holders,omitempty"`
	Waiters  []Waiter      `json:"waiters,omitempty"`
	Pulls    []OpenPull    `json:"pulls,omitempty"`
	Left     []Holder      `json:"left,omitempty"`     // those who have left last
	Troubles int           `json:"troubles,omitempty"` // tasks in a row that have stopped with errors
	Closed   []string      `json:"closed,omitempty"`   // what looked after pull requests and said that it ends: it may still be listed
	Day      string        `json:"day,omitempty"`      // UTC, such as 2026-11-20
	Spent    float64       `json:"spent,omitempty"`
	N        int           `json:"n,omitempty"` // requests so far
	Lease    time.Duration `json:"lease,omitempty"`
	Surveyed time.Time     `json:"surveyed,omitzero"` // when the holders were last looked at
	Others   int           `json:"others,omitempty"`  // tasks of the repository at work that have not passed the gate
}

// Holder is a task that has been let in.
type Holder struct {
	Workflow string    `json:"workflow"`
	Run      string    `json:"run"`
	Intake   string    `json:"intake,omitempty"` // by which the task has come
	Since    time.Time `json:"since"`
	Kept     float64   `json:"kept,omitempty"`   // US dollars kept for it
	Before   float64   `json:"before,omitempty"` // US dollars that it had spent in all when it was let in
}

// Waiter is a task that is not let in yet.
type Waiter struct {
	EnterRequest
	N      int         `json:"n"` // the order of asking
	Since  time.Time   `json:"since"`
	Answer EnterAnswer `json:"answer"` // what it was told last
}
