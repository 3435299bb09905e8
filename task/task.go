// Package task holds the domain types (input, plan, deliverable, review, outcome) and the pure rules about them. Of Longshift it imports
// only fault, excerpt, nearest and variable. It does no I/O and reads no clock.
package task

import (
	"time"
)

// Input is what starts a task: one JSON object, every field but Repository and Task optional.
type Input struct {
	Repository  string   `json:"repository"`            // owner/name, git URL, or absolute path
	Task        string   `json:"task"`                  // what to do, in words
	Spec        []string `json:"spec,omitempty"`        // files and folders of the repository with the specification to carry out
	Sync        bool     `json:"sync,omitempty"`        // change nothing but what the repository records of the specification's deliverables
	Words       bool     `json:"words,omitempty"`       // the task says more than the specification: it is planned, whatever is recorded already
	Images      []Image  `json:"images,omitempty"`      // pictures that belong to the task
	Review      string   `json:"review,omitempty"`      // a person's review of the present state, for the first plan
	Base        string   `json:"base,omitempty"`        // branch to start from and to merge into; the remote's default when empty
	Fork        bool     `json:"fork,omitempty"`        // push to a fork in the token's account; the pull request goes to the repository
	Issue       *Issue   `json:"issue,omitempty"`       // issue that the task was started for
	RequestedBy *Person  `json:"requestedBy,omitempty"` // who has asked for it
	Room        *Room    `json:"room,omitempty"`        // chat that follows the task, in addition to the operator's rooms
	Config      *Config  `json:"config,omitempty"`      // settings of this task, within the operator's limits
	Origin      *Origin  `json:"origin,omitempty"`      // of work from an intake, with the limits it waits for
}

// Issue is the ticket that a task was started for.
type Issue struct {
	Forge  string `json:"forge,omitempty"`
	Number int    `json:"number,omitempty"`
	Key    string `json:"key,omitempty"` // id in trackers without plain numbers: "ENG-12"
	Title  string `json:"title,omitempty"`
	Body   string `json:"body,omitempty"`
	URL    string `json:"url,omitempty"`
}

// OfForge tells whether the issue is one of the forge that the repository is on: other trackers have numbers, too.
func (i Issue) OfForge() bool { return i.Number > 0 && (i.Forge == "" || i.Forge == GitHub) }

// GitHub is the name of GitHub wherever a task says where something is from: an issue, its origin, a person, a room.
const GitHub = "github"

// Person is a person outside of Longshift.
type Person struct {
	Name string `json:"name,omitempty"`
	Via  string `json:"via,omitempty"` // cli, web, slack, github
}

// Role is the role of an agent in one session.
type Role string

// The roles. The pipeline uses the first three. The rules about what a session may do are the same for all.
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

// ReadOnly reports whether a session in the role must not be able to write.
func (r Role) ReadOnly() bool { return r != Implementer }

// Phase is the stage of a task.
type Phase string

// The phases, in the order of the pipeline.
const (
	Queued    Phase = "queued" // waiting for admission: others are at work, a pull request is open, today's budget is spent
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
	Waiting   Phase = "waiting"   // for the quota, with a durable timer
	Following Phase = "following" // the pull request is open; waiting for people and checks
	Ended     Phase = "ended"
)

// Outcome is how a task ended.
type Outcome string

// The outcomes. Good ones have exit code 0.
const (
	PullRequest   Outcome = "pull_request"
	AlreadyDone   Outcome = "already_done"
	Declined      Outcome = "declined"
	Rejected      Outcome = "rejected"
	AllBlocked    Outcome = "all_blocked"
	MaxIterations Outcome = "max_iterations"
	ChecksFailed  Outcome = "checks_failed" // as much as possible is done, and the check fails; any pull request is a draft
	Abandoned     Outcome = "abandoned"
	Cancelled     Outcome = "cancelled"
	Failed        Outcome = "failed"

	// Of a follower.
	PullMerged Outcome = "merged"
	PullClosed Outcome = "closed"
)

// Good reports whether the task was successful for the person who has asked for it.
func (o Outcome) Good() bool { return o == PullRequest || o == AlreadyDone || o == PullMerged }

// Plan is the planner's proposal. Decisions refer to its revision.
type Plan struct {
	Revision     int           `json:"revision"`
	Verdict      Verdict       `json:"verdict,omitempty"` // "" or "work" if there is work; or already_done, declined
	Summary      string        `json:"summary"`
	Approach     string        `json:"approach,omitempty"`
	Files        []string      `json:"files,omitempty"`
	Risks        []string      `json:"risks,omitempty"`
	Evidence     string        `json:"evidence,omitempty"`   // for already_done and declined: the reasons
	Lines        int           `json:"lines,omitempty"`      // about how many will be added and removed; 0 when the planner has not said
	MaxLines     int           `json:"maxLines,omitempty"`   // what a pull request should keep to, when Lines is more
	Split        []string      `json:"split,omitempty"`      // then: the tasks that it could be split into
	Opens        []string      `json:"opens,omitempty"`      // files of paths.taskWritable that are open: people saw them and approved
	Deprecated   []string      `json:"deprecated,omitempty"` // recorded deliverables that the specification no longer asks for: "FEAT-001: why, or what"
	Deliverables []Deliverable `json:"deliverables"`
}

// Verdict is the planner's answer to whether there is work to do.
type Verdict string

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

	Proof  string  `json:"proof,omitempty"`  // shell command that fails before the work and passes after it; "" for none
	Proved *Proved `json:"proved,omitempty"` // nil while the proof has not passed on what is committed
}

// Proved says where the proof of a deliverable has passed.
type Proved struct {
	Commit string    `json:"commit"`
	Ran    *Ran      `json:"ran,omitempty"`    // nil when the output doesn't say how many tests have run
	Clean  bool      `json:"clean,omitempty"`  // the workspace held what is committed; only setup and other proofs had added to it
	Guard  bool      `json:"guard,omitempty"`  // it had passed before the work began, so it shows less
	Output string    `json:"output,omitempty"` // file with the output, in the host's data directory
	At     time.Time `json:"at,omitzero"`
}

// String is such as "passed at 1a2b3c4d5e, 3 tests".
func (p Proved) String() string {
	text := "passed at " + p.Commit[:min(len(p.Commit), 10)]
	if p.Ran != nil {
		text += ", " + p.Ran.String()
	}
	return text
}

type Status string

const (
	Pending Status = "pending"
	Passed  Status = "passed"
	Blocked Status = "blocked"
)

type Review struct {
	Approved bool   `json:"approved"`
	Text     string `json:"text,omitempty"`
}

// Usage is the cost and the token counts of model calls.
type Usage struct {
	Input      int64   `json:"input,omitempty"`      // tokens, uncached
	Output     int64   `json:"output,omitempty"`     // tokens
	CacheRead  int64   `json:"cacheRead,omitempty"`  // tokens
	CacheWrite int64   `json:"cacheWrite,omitempty"` // tokens
	CostUSD    float64 `json:"costUsd,omitempty"`    // list price, US dollars
	Calls      int     `json:"calls,omitempty"`      // model calls
}

func (u Usage) Add(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Output + v.Output, u.CacheRead + v.CacheRead,
		u.CacheWrite + v.CacheWrite, u.CostUSD + v.CostUSD, u.Calls + v.Calls}
}

func (u Usage) Sub(v Usage) Usage {
	return Usage{u.Input - v.Input, u.Output - v.Output, u.CacheRead - v.CacheRead,
		u.CacheWrite - v.CacheWrite, u.CostUSD - v.CostUSD, u.Calls - v.Calls}
}

// MarkerKind is the kind of a marker that an agent writes into its text.
type MarkerKind string

// The markers. BLOCKED is our own; the others are in common use.
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
	Found          MarkerKind = "FINDING" // a person must look at it before the change is merged
)

type Marker struct {
	Kind MarkerKind `json:"kind"`
	Text string     `json:"text"`
}

// Entry is one line of the progress log, which the next session and people read.
type Entry struct {
	Time time.Time `json:"time"`
	Kind string    `json:"kind"` // a marker kind, or an event of the pipeline in lower case
	Text string    `json:"text"`
}
