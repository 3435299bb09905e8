package signals

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/longshift/longshift/task"
)

// Limiter is the workflow type of the one workflow that admits tasks of a repository, a limited number at a time. It needs no input and
// never ends. Every request carries its own limits, so one limiter serves tasks with and without them.
const Limiter = "Limiter"

// LimiterOfAll is the workflow id of the limiter for the whole installation.
const LimiterOfAll = "limiter:all"

// LimiterID is the workflow id of a repository's limiter. It contains no local path, because people see it.
func LimiterID(host string, r task.Repository) string {
	if r.Owner == "" {
		sum := sha256.Sum256([]byte(r.Text))
		return "limiter:" + r.Slug() + ":" + hex.EncodeToString(sum[:4])
	}
	if r.Host != "" {
		host = r.Host
	}
	return strings.TrimSuffix(forgeID("limiter", host, r.Owner, r.Name, 0), ":0")
}

// Updates and the query of a Limiter. A caller starts the workflow with its first update.
const (
	Acquire      = "acquire" // takes an AcquireRequest, returns an AcquireAnswer; repeating it changes nothing
	Release      = "release" // takes a ReleaseRequest, returns nothing
	QueryLimiter = "limiter" // returns a LimiterState
)

// Admission is the signal by which a Limiter admits a waiting task, or says that it now waits for something else. Its payload is an
// AcquireAnswer.
const Admission = "admission"

// AcquireRequest asks for the admission of a task.
type AcquireRequest struct {
	Workflow   string        `json:"workflow"`         // id of the task's workflow
	Run        string        `json:"run"`              // its first run: another run under the same id is another holder
	Intake     string        `json:"intake,omitempty"` // name of the intake that has started the task
	Repository string        `json:"repository,omitempty"`
	Prefix     string        `json:"prefix,omitempty"` // prefix of the followers' workflow ids for the repository; empty if it has none
	Priority   int           `json:"priority,omitempty"`
	Guard      task.Guard    `json:"guard"`
	Budget     float64       `json:"budget,omitempty"`  // US dollars that the task may spend in total
	Before     float64       `json:"before,omitempty"`  // US dollars that it has spent so far
	Reserve    bool          `json:"reserve,omitempty"` // asked by the intake: refused if the task itself has already released
	Lease      time.Duration `json:"lease,omitempty"`   // how long a holder counts as running before it is checked
}

// Priorities of waiters. Waiters of equal priority are admitted in the order of their requests.
const (
	PriorityIntake = 0   // to 9: started by an intake
	PriorityPerson = 50  // started by a person
	PriorityResume = 100 // unfinished work
)

// Wait is what a task waits for.
type Wait string

// IntakePriority converts the priority of work at its source to that of a waiter.
func IntakePriority(p int) int { return PriorityIntake + min(max(p, 0), 9) }

// What a task may wait for.
const (
	WaitSessions Wait = "sessions"          // other tasks of the repository hold all admissions
	WaitPull     Wait = "open_pull_request" // a pull request of Longshift is open
	WaitCost     Wait = "daily_cost"        // today's budget is spent, or reserved for others
	WaitErrors   Wait = "errors"            // too many tasks in a row have stopped with errors
)

// KeepsAdmission reports whether a task keeps its admission while it is suspended for a reason. It does if the same cause would stop the
// next task. Errors may be the task's own, so it does not keep it then; the limiter counts consecutive tasks with errors. In a backlog, a
// question holds up the tasks behind it. source is that of the task's origin, "" for none.
func KeepsAdmission(why Reason, source string) bool {
	switch why {
	case ReasonQuota, ReasonInfra, ReasonAccess:
		return true
	case ReasonSpecIssue, ReasonQuestion:
		return source == "backlog"
	}
	return false
}

// AcquireAnswer says whether a task is admitted.
type AcquireAnswer struct {
	Limiter  string    `json:"limiter,omitempty"` // workflow id of the limiter
	Admitted bool      `json:"admitted"`
	Wait     Wait      `json:"wait,omitempty"`    // what the task waits for, if it is not admitted
	Detail   string    `json:"detail,omitempty"`  // the same, one line for people
	Until    time.Time `json:"until,omitzero"`    // if known
	Ceiling  float64   `json:"ceiling,omitempty"` // US dollars reserved for the task; 0 for no limit
}

// ReleaseRequest releases an admission.
type ReleaseRequest struct {
	Workflow  string    `json:"workflow"`
	Run       string    `json:"run"`
	Spent     float64   `json:"spent,omitempty"`     // US dollars since the task was admitted
	Succeeded bool      `json:"succeeded,omitempty"` // the task has succeeded
	Failed    bool      `json:"failed,omitempty"`    // the task was suspended, or has ended, with errors
	Pull      *OpenPull `json:"pull,omitempty"`      // the pull request that is open now
	Closed    string    `json:"closed,omitempty"`    // workflow id of a follower that ends now; with pull when that is still open
}

// OpenPull is a pull request of Longshift that other tasks may have to wait for.
type OpenPull struct {
	Workflow   string          `json:"workflow,omitempty"` // workflow id of its follower; empty when there is none
	Task       string          `json:"task,omitempty"`     // workflow id of the task that has opened it, when nobody follows it
	Repository task.Repository `json:"repository"`
	Number     int             `json:"number"`
	URL        string          `json:"url,omitempty"`
}

// LimiterState is the state of a Limiter, which one run hands to the next.
type LimiterState struct {
	Holders    []Holder      `json:"holders,omitempty"`
	Waiters    []Waiter      `json:"waiters,omitempty"`
	Pulls      []OpenPull    `json:"pulls,omitempty"`
	Released   []Holder      `json:"released,omitempty"` // the most recent holders that have released
	Failures   int           `json:"failures,omitempty"` // consecutive tasks with errors
	Failed     []string      `json:"failed,omitempty"`   // which, the most recent ones
	Closed     []string      `json:"closed,omitempty"`   // followers that have ended, although visibility may still list them
	Day        string        `json:"day,omitempty"`      // UTC, such as 2026-11-20
	Spent      float64       `json:"spent,omitempty"`
	N          int           `json:"n,omitempty"` // number of requests so far
	Lease      time.Duration `json:"lease,omitempty"`
	Reconciled time.Time     `json:"reconciled,omitzero"` // when the holders were last checked
	Others     int           `json:"others,omitempty"`    // running tasks of the repository that have not asked this limiter
}

// Holder is a task that is admitted.
type Holder struct {
	Workflow string    `json:"workflow"`
	Run      string    `json:"run"`
	Intake   string    `json:"intake,omitempty"` // intake that has started the task
	Since    time.Time `json:"since"`
	Reserved float64   `json:"reserved,omitempty"` // US dollars reserved for it
	Before   float64   `json:"before,omitempty"`   // US dollars that it had spent before its admission
}

// Waiter is a task that is not admitted yet.
type Waiter struct {
	AcquireRequest
	N      int           `json:"n"` // position in the order of requests
	Since  time.Time     `json:"since"`
	Answer AcquireAnswer `json:"answer"` // the last answer it was sent
}
