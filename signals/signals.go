// Package signals is the contract with the outside: names and payloads of signals, updates and queries, workflow ids,
// task queues, search attributes. It imports the standard library and task only, so that any client can use it.
package signals

import (
	"time"

	"github.com/longshift/longshift/task"
)

// CodingTask is the workflow type of one task. Its input is one task.Input as JSON.
const CodingTask = "CodingTask"

// Names of messages. Each is both an Update (with an answer) and a Signal (without), with the same payload.
// Every payload field is optional, and so is the payload.
const (
	Approve = "approve" // ApproveRequest
	Edit    = "edit"    // EditRequest
	Reject  = "reject"  // RejectRequest
	Resume  = "resume"  // ResumeRequest
	Abandon = "abandon" // AbandonRequest
	Tell    = "tell"    // TellRequest
	Allow   = "allow"   // AllowRequest
	Deny    = "deny"    // DenyRequest
)

// QueryStatus gives a Status.
const QueryStatus = "status"

// Message is what every request carries. ID makes a redelivered message count once.
type Message struct {
	ID string `json:"id,omitempty"` // delivery id; a second message with the same one is ignored
	By string `json:"by,omitempty"` // who sends it, as people know them
}

// ApproveRequest lets a plan pass.
type ApproveRequest struct {
	Message
	Revision int    `json:"revision,omitempty"` // plan revision meant; 0 means the current one
	Comment  string `json:"comment,omitempty"`  // told to the next session
}

// EditRequest sends a plan back to the planner with a wish.
type EditRequest struct {
	Message
	Revision int    `json:"revision,omitempty"`
	Text     string `json:"text,omitempty"` // what is to change
}

// RejectRequest ends a task whose plan is not wanted.
type RejectRequest struct {
	Message
	Revision int    `json:"revision,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// ResumeRequest lets a suspended or waiting task go on.
type ResumeRequest struct {
	Message
	Note    string  `json:"note,omitempty"`    // told to the next session
	AddCost float64 `json:"addCost,omitempty"` // US dollars on top of the budget
	AddTime string  `json:"addTime,omitempty"` // Go duration on top of the time budget, such as "30m"
}

// AbandonRequest ends a task for good; its workspace and checkpoint are kept for a while.
type AbandonRequest struct {
	Message
	Reason string `json:"reason,omitempty"`
}

// TellRequest is a message for the next session.
type TellRequest struct {
	Message
	Text string `json:"text,omitempty"`
}

// AllowRequest lets a command run that waits for a person: this text, in this folder, in this task, once, with the files that it names
// as they are, until the approval expires. Or it lets a push happen that waits.
type AllowRequest struct {
	Message
	Question string `json:"question,omitempty"` // id of the question, or its beginning; empty when there is only one
	Comment  string `json:"comment,omitempty"`  // told to the session
	ForTask  bool   `json:"forTask,omitempty"`  // a command as often as it comes in this task, whatever its files hold then
}

// DenyRequest refuses a command, or a push, that waits for a person.
type DenyRequest struct {
	Message
	Question string `json:"question,omitempty"`
	Reason   string `json:"reason,omitempty"` // told to the session
}

// Ack is the answer to an update.
type Ack struct {
	Phase    task.Phase `json:"phase"`
	Revision int        `json:"revision,omitempty"` // current plan revision
	Text     string     `json:"text"`               // what happened, one line
}

// Reason says why a task is suspended or waiting.
type Reason string

// The reasons.
const (
	ReasonApproval  Reason = "approval"       // the plan waits for a decision
	ReasonBudget    Reason = "budget"         // money is used up
	ReasonTime      Reason = "time"           // running time is used up
	ReasonQuota     Reason = "quota"          // the account's quota is used up
	ReasonSpecIssue Reason = "spec_issue"     // the specification is unclear
	ReasonErrors    Reason = "errors"         // too many errors in a row
	ReasonInfra     Reason = "infrastructure" // the surroundings keep failing
	ReasonAccess    Reason = "access"         // a key or login is refused
	ReasonChanged   Reason = "branch_changed" // somebody else moved the branch
	ReasonCommand   Reason = "command"        // a command waits for a person
	ReasonLoop      Reason = "loop"           // an agent did the same over and over
	ReasonSecret    Reason = "secret"         // the work holds a secret and must not leave
	ReasonBlocker   Reason = "blocker"        // what a round has worked on stands as it stood before
	ReasonRounds    Reason = "rounds"         // as many rounds as a pull request gets are used up
	ReasonPush      Reason = "push"           // what is to be pushed deserves a second look, and waits for a person
	ReasonReview    Reason = "review"         // our own reviewer does not let a round's work pass
)

// Session is one agent session of a task.
type Session struct {
	N           int           `json:"n"`
	ID          string        `json:"id"`
	Role        task.Role     `json:"role"`
	Deliverable string        `json:"deliverable,omitempty"`
	Host        string        `json:"host,omitempty"`
	Started     time.Time     `json:"started"`
	Duration    time.Duration `json:"duration,omitempty"` // nanoseconds, over all attempts
	Outcome     string        `json:"outcome,omitempty"`  // empty while it runs
	Usage       task.Usage    `json:"usage,omitzero"`
	Turns       int           `json:"turns,omitempty"`
	Resumed     int           `json:"resumed,omitempty"` // how often it was gone on with after an interruption
}

// Check is the result of the setup or the check command.
type Check struct {
	Command  string        `json:"command"`
	ExitCode int           `json:"exitCode"`
	Duration time.Duration `json:"duration"`
	Tail     string        `json:"tail,omitempty"` // last 4 KiB of the output
	File     string        `json:"file,omitempty"` // the whole output, relative to the data directory of the host

	Commit     string   `json:"commit,omitempty"`     // what was checked
	Failing    []string `json:"failing,omitempty"`    // names of failing tests, where the output says them; of a flaky check those that failed first
	Flaky      bool     `json:"flaky,omitempty"`      // it failed first, and passed when it was run again on the same content
	Unfinished string   `json:"unfinished,omitempty"` // why it could not come to its end; then it has neither passed nor failed
}

// Passed tells whether the command came to its end with code 0.
func (c Check) Passed() bool { return c.ExitCode == 0 && c.Unfinished == "" }

// PullRequest is where the work went.
type PullRequest struct {
	Number int    `json:"number"`
	URL    string `json:"url"`
}

// Status is what the status query answers, and what a finished task returns. It is wide because each field
// is a key at the top of what status -o json prints, and scripts read them there.
type Status struct {
	WorkflowID   string               `json:"workflowId"`
	RunID        string               `json:"runId"`
	TaskID       string               `json:"taskId"` // names refs, branch and folders
	Repository   string               `json:"repository"`
	Task         string               `json:"task"`
	RequestedBy  string               `json:"requestedBy,omitempty"`
	Started      time.Time            `json:"started"`
	Phase        task.Phase           `json:"phase"`
	Reason       Reason               `json:"reason,omitempty"`
	Detail       string               `json:"detail,omitempty"`     // one or a few lines on the reason
	NextAction   string               `json:"nextAction,omitempty"` // what a person can do now; empty when nothing is needed
	NeedsHuman   bool                 `json:"needsHuman,omitempty"`
	WaitingUntil time.Time            `json:"waitingUntil,omitzero"` // deadline of the approval or end of the quota wait
	Outcome      task.Outcome         `json:"outcome,omitempty"`     // set when the task has ended
	Host         string               `json:"host,omitempty"`
	Fence        int                  `json:"fence,omitempty"` // attempt of the task on a host
	Agent        string               `json:"agent,omitempty"`
	Branch       string               `json:"branch,omitempty"`
	Base         string               `json:"base,omitempty"`
	BaseCommit   string               `json:"baseCommit,omitempty"`
	Head         string               `json:"head,omitempty"`
	Iteration    int                  `json:"iteration,omitempty"`
	Iterations   int                  `json:"iterations,omitempty"` // at most
	Rounds       int                  `json:"rounds,omitempty"`     // of work on a pull request that stands
	Plan         *task.Plan           `json:"plan,omitempty"`
	Commits      []Commit             `json:"commits,omitempty"`
	Files        int                  `json:"files,omitempty"` // changed since base
	Added        int                  `json:"added,omitempty"`
	Deleted      int                  `json:"deleted,omitempty"`
	Setup        *Check               `json:"setup,omitempty"`     // the last one
	Check        *Check               `json:"check,omitempty"`     // the last one
	BaseCheck    *Check               `json:"baseCheck,omitempty"` // before the task's own work
	Review       *task.Review         `json:"review,omitempty"`
	PullRequest  *PullRequest         `json:"pullRequest,omitempty"`
	Usage        task.Usage           `json:"usage,omitzero"`
	BudgetUSD    float64              `json:"budgetUsd,omitempty"`
	Worked       time.Duration        `json:"worked,omitempty"` // running time of agents, setup and checks so far
	BudgetTime   time.Duration        `json:"budgetTime,omitempty"`
	Sessions     []Session            `json:"sessions,omitempty"`
	Tells        int                  `json:"tells,omitempty"`     // messages that wait for the next session
	Questions    []Question           `json:"questions,omitempty"` // commands that wait for a person
	Warnings     []string             `json:"warnings,omitempty"`
	Notify       *task.NotifySettings `json:"notify,omitempty"` // which notices people want
	Log          []LogLine            `json:"log,omitempty"`    // the newest lines
}

// Commit is one commit of the task.
type Commit struct {
	ID      string `json:"id"`
	Subject string `json:"subject"`
}

// LogLine is one line of the task's log; N counts from 1 and never repeats.
type LogLine struct {
	N int `json:"n"`
	task.Entry
}

// Heartbeat is what a running session reports with its heartbeats; clients read it as the pending activity's heartbeat details.
// It stays well under 1 KiB.
type Heartbeat struct {
	Session  string     `json:"session"` // the session's id
	N        int        `json:"n"`
	Role     task.Role  `json:"role"`
	Activity string     `json:"activity"` // "Thinking", "Running Bash", "Responding"
	Tools    int        `json:"tools"`    // tool calls so far
	Usage    task.Usage `json:"usage,omitzero"`
	Started  time.Time  `json:"started"`
	Offset   int64      `json:"offset"`            // bytes of the session's log written so far
	Waiting  bool       `json:"waiting,omitempty"` // for a slot of its host; nothing else is known then
}

// Envelope gives the part that every request has.
func (m Message) Envelope() Message { return m }
