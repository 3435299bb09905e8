// Package task holds the words of the domain: input, plan, deliverable, review, outcome, and the pure rules on them.
// It imports nothing of ours but fault, does no I/O, and reads no clock.
package task

import (
	"time"
)

// Input is what starts a task: one JSON object, every field but Repository and Task optional.
type Input struct {
	Repository  string  `json:"repository"`            // owner/name, git URL, or absolute path
	Task        string  `json:"task"`                  // what is to be done, in words
	Base        string  `json:"base,omitempty"`        // branch to start from and to merge into; the remote's default when empty
	Fork        bool    `json:"fork,omitempty"`        // branches go to a fork in the token's account, the pull request to the repository
	Issue       *Issue  `json:"issue,omitempty"`       // where the task comes from
	RequestedBy *Person `json:"requestedBy,omitempty"` // who asked
	Room        *Room   `json:"room,omitempty"`        // where it is followed in chat, beside the rooms that the operator names
	Config      *Config `json:"config,omitempty"`      // overrides for this task, under the operator's limits
	Origin      *Origin `json:"origin,omitempty"`      // of work that has come by itself, with the limits it waits for
}

// Issue is the ticket a task comes from.
type Issue struct {
	Forge  string `json:"forge,omitempty"`
	Number int    `json:"number,omitempty"`
	Key    string `json:"key,omitempty"` // of a tracker that names issues otherwise: "ENG-12"
	Title  string `json:"title,omitempty"`
	Body   string `json:"body,omitempty"`
	URL    string `json:"url,omitempty"`
}

// Person is somebody in the outside world.
type Person struct {
	Name string `json:"name,omitempty"`
	Via  string `json:"via,omitempty"` // cli, web, slack, github
}

// Role is what an agent is asked to be in one session.
type Role string

// The roles. The pipeline has the first three; what a session in any of them may do is decided alike.
const (
	Planner     Role = "planner"
	Implementer Role = "implementer"
	Reviewer    Role = "reviewer"
	Auditor     Role = "auditor"
	Verifier    Role = "verifier"
	Manager     Role = "manager"
)

// Roles lists all of them.
func Roles() []Role { return []Role{Planner, Implementer, Reviewer, Auditor, Verifier, Manager} }

// ReadOnly tells whether a session in the role must be unable to write.
func (r Role) ReadOnly() bool { return r != Implementer }

// Phase is the stage a task is in.
type Phase string

// The phases, in the order of the pipeline.
const (
	Queued    Phase = "queued" // waiting for its turn: others are at work, a pull request is open, today's money is spent
	Preparing Phase = "preparing"
	Planning  Phase = "planning"
	Approving Phase = "approving"
	SettingUp Phase = "setup"
	Executing Phase = "executing"
	Checking  Phase = "checking"
	Reviewing Phase = "reviewing"
	Publish   Phase = "publishing"
	Cleaning  Phase = "cleaning"
	Suspended Phase = "suspended"
	Waiting   Phase = "waiting"   // for quota, by a durable timer
	Following Phase = "following" // the pull request stands; waiting for what people and checks say
	Ended     Phase = "ended"
)

// Outcome is how a task ended.
type Outcome string

// The outcomes. Good ones exit 0.
const (
	PullRequest   Outcome = "pull_request"
	AlreadyDone   Outcome = "already_done"
	Declined      Outcome = "declined"
	Rejected      Outcome = "rejected"
	AllBlocked    Outcome = "all_blocked"
	MaxIterations Outcome = "max_iterations"
	ChecksFailed  Outcome = "checks_failed" // the work is done as far as it goes, and the check fails; where there is work, its pull request is a draft
	Abandoned     Outcome = "abandoned"
	Cancelled     Outcome = "cancelled"
	Failed        Outcome = "failed"

	// Of what looks after a pull request.
	PullMerged Outcome = "merged"
	PullClosed Outcome = "closed"
)

// Good tells whether the person who asked got what the task was about.
func (o Outcome) Good() bool { return o == PullRequest || o == AlreadyDone || o == PullMerged }

// Plan is what the planner proposes. Its revision is what a decision names.
type Plan struct {
	Revision     int           `json:"revision"`
	Verdict      Verdict       `json:"verdict,omitempty"` // "" or "work": there is work; or already_done, declined
	Summary      string        `json:"summary"`
	Approach     string        `json:"approach,omitempty"`
	Files        []string      `json:"files,omitempty"`
	Risks        []string      `json:"risks,omitempty"`
	Evidence     string        `json:"evidence,omitempty"` // for already_done and declined: why
	Deliverables []Deliverable `json:"deliverables"`
}

// Verdict is the planner's answer to "is there work to do".
type Verdict string

// The verdicts.
const (
	VerdictWork        Verdict = "work"
	VerdictAlreadyDone Verdict = "already_done"
	VerdictDeclined    Verdict = "declined"
)

// Deliverable is a verifiable unit of work.
type Deliverable struct {
	ID          string   `json:"id"` // {TYPE}-{NNN}
	Description string   `json:"description"`
	Acceptance  []string `json:"acceptance,omitempty"`
	Status      Status   `json:"status,omitempty"`
	Reason      string   `json:"reason,omitempty"` // why it is blocked
}

// Status is where a deliverable stands.
type Status string

// The statuses.
const (
	Pending Status = "pending"
	Passed  Status = "passed"
	Blocked Status = "blocked"
)

// Review is the reviewer's verdict.
type Review struct {
	Approved bool   `json:"approved"`
	Text     string `json:"text,omitempty"`
}

// Usage is what model calls cost and counted.
type Usage struct {
	Input      int64   `json:"input,omitempty"`      // tokens, uncached
	Output     int64   `json:"output,omitempty"`     // tokens
	CacheRead  int64   `json:"cacheRead,omitempty"`  // tokens
	CacheWrite int64   `json:"cacheWrite,omitempty"` // tokens
	CostUSD    float64 `json:"costUsd,omitempty"`    // list price, US dollars
	Calls      int     `json:"calls,omitempty"`      // model calls
}

// Add gives the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Output + v.Output, u.CacheRead + v.CacheRead,
		u.CacheWrite + v.CacheWrite, u.CostUSD + v.CostUSD, u.Calls + v.Calls}
}

// Sub gives u less v.
func (u Usage) Sub(v Usage) Usage {
	return Usage{u.Input - v.Input, u.Output - v.Output, u.CacheRead - v.CacheRead,
		u.CacheWrite - v.CacheWrite, u.CostUSD - v.CostUSD, u.Calls - v.Calls}
}

// MarkerKind is the kind of a report that an agent makes in its text.
type MarkerKind string

// The markers. BLOCKED is ours; the rest are the field's.
const (
	Note           MarkerKind = "NOTE"
	SpecIssue      MarkerKind = "SPEC_ISSUE"
	PlanComplete   MarkerKind = "PLAN_COMPLETE"
	Progress       MarkerKind = "PROGRESS"
	Done           MarkerKind = "DONE"
	Blocking       MarkerKind = "BLOCKED"
	Approved       MarkerKind = "APPROVED"
	RequestChanges MarkerKind = "REQUEST_CHANGES"
	ToBeDiscussed  MarkerKind = "TO_BE_DISCUSSED"
)

// Marker is one report.
type Marker struct {
	Kind MarkerKind `json:"kind"`
	Text string     `json:"text"`
}

// Entry is one line of the progress log that the next session and people read.
type Entry struct {
	Time time.Time `json:"time"`
	Kind string    `json:"kind"` // a marker kind, or an event of the pipeline in lower case
	Text string    `json:"text"`
}
