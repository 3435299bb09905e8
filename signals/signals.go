// Package signals is the contract with clients: names and payloads of signals, updates and queries, workflow ids, task queues and search
// attributes. It imports only the standard library and task, so that any client can use it.
package signals

import (
	"time"

	"github.com/longshift/longshift/task"
)

// CodingTask is the workflow type of one task. Its input is one task.Input as JSON.
const CodingTask = "CodingTask"

// Names of messages. Each is both an Update (with an answer) and a Signal (without), with the same payload. The payload and all its
// fields are optional.
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

// QueryStatus returns a Status.
const QueryStatus = "status"

// Message is the common part of every request. A message that is redelivered with the same ID counts once.
type Message struct {
	ID string `json:"id,omitempty"` // delivery id; a second message with the same one is ignored
	By string `json:"by,omitempty"` // sender's name for people
}

// How long the text of a message may be, in bytes. A task cuts a longer one without saying so, so clients should refuse it.
const (
	MaxText = 8_000
	MaxEdit = 32_000 // of EditRequest
)

// ApproveRequest approves a plan.
type ApproveRequest struct {
	Message
	Revision int    `json:"revision,omitempty"` // plan revision that is meant; 0 for the current one
	Comment  string `json:"comment,omitempty"`  // passed to the next session
}

// EditRequest sends a plan back to the planner with a request for changes.
type EditRequest struct {
	Message
	Revision int    `json:"revision,omitempty"`
	Text     string `json:"text,omitempty"` // what should change
}

// RejectRequest rejects the plan and ends the task.
type RejectRequest struct {
	Message
	Revision int    `json:"revision,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// ResumeRequest resumes a suspended or waiting task.
type ResumeRequest struct {
	Message
	Note    string  `json:"note,omitempty"`    // passed to the next session
	AddCost float64 `json:"addCost,omitempty"` // US dollars to add to the budget
	AddTime string  `json:"addTime,omitempty"` // Go duration to add to the time budget, such as "30m"
}

// AbandonRequest ends a task for good. Its workspace and checkpoint are kept for a while.
type AbandonRequest struct {
	Message
	Reason string `json:"reason,omitempty"`
}

// TellRequest is a message for the next session or, with our own agent, for the one that runs.
type TellRequest struct {
	Message
	Text string `json:"text,omitempty"`
}

// AllowRequest allows a command that waits for a person: this text, in this folder, in this task, once, with its files unchanged, until
// the approval expires. Or it allows a waiting push.
type AllowRequest struct {
	Message
	Question string `json:"question,omitempty"` // id of the question, or a prefix of it; empty if there is only one
	Comment  string `json:"comment,omitempty"`  // passed to the session
	ForTask  bool   `json:"forTask,omitempty"`  // every run of the command in this task, whatever its files contain
}

// DenyRequest denies a command or push that waits for a person.
type DenyRequest struct {
	Message
	Question string `json:"question,omitempty"`
	Reason   string `json:"reason,omitempty"` // passed to the session
}

// Ack is the answer to an update.
type Ack struct {
	Phase    task.Phase `json:"phase"`
	Revision int        `json:"revision,omitempty"` // current plan revision
	Text     string     `json:"text"`               // what has happened, one line
}

type Session struct {
	N           int           `json:"n"`
	ID          string        `json:"id"`
	Role        task.Role     `json:"role"`
	Deliverable string        `json:"deliverable,omitempty"`
	Agent       string        `json:"agent,omitempty"`
	Host        string        `json:"host,omitempty"`
	Started     time.Time     `json:"started"`
	Duration    time.Duration `json:"duration,omitempty"` // nanoseconds, over all attempts
	Outcome     string        `json:"outcome,omitempty"`  // empty while it runs
	Usage       task.Usage    `json:"usage,omitzero"`
	Turns       int           `json:"turns,omitempty"`
	Resumed     int           `json:"resumed,omitempty"` // how often it was continued after an interruption
}

// Check is the result of the setup or the check command.
type Check struct {
	Command  string        `json:"command"`
	ExitCode int           `json:"exitCode"`
	Duration time.Duration `json:"duration"`
	Tail     string        `json:"tail,omitempty"` // last 4 KiB of the output
	File     string        `json:"file,omitempty"` // file with the whole output, relative to the host's data directory

	Commit     string    `json:"commit,omitempty"`     // commit that was checked
	Failing    []string  `json:"failing,omitempty"`    // names of failing tests, if known; for a flaky check those of the first run
	Ran        *task.Ran `json:"ran,omitempty"`        // tests, if the output says how many
	Flaky      bool      `json:"flaky,omitempty"`      // it failed and then passed on the same content
	Unfinished string    `json:"unfinished,omitempty"` // why the command was aborted; it has then neither passed nor failed
}

// Passed reports whether the command has finished with exit code 0.
func (c Check) Passed() bool { return c.ExitCode == 0 && c.Unfinished == "" }

type PullRequest struct {
	Number int    `json:"number"`
	URL    string `json:"url"`
}

// Status is the answer of the status query and the result of a finished task. It is wide because each field is a top-level key of status
// -o json, which scripts read.
type Status struct {
	WorkflowID   string               `json:"workflowId"`
	RunID        string               `json:"runId"`
	TaskID       string               `json:"taskId"` // part of ref, branch and folder names
	Repository   string               `json:"repository"`
	Task         string               `json:"task"`
	Images       []task.Image         `json:"images,omitempty"` // that belong to the task
	RequestedBy  string               `json:"requestedBy,omitempty"`
	Started      time.Time            `json:"started"`
	Phase        task.Phase           `json:"phase"`
	Reason       Reason               `json:"reason,omitempty"`
	Detail       string               `json:"detail,omitempty"`     // explains the reason in a few lines
	NextAction   string               `json:"nextAction,omitempty"` // what a person can do now; empty when nothing is needed
	NeedsHuman   bool                 `json:"needsHuman,omitempty"`
	WaitingUntil time.Time            `json:"waitingUntil,omitzero"` // deadline of the approval, or end of the wait
	Outcome      task.Outcome         `json:"outcome,omitempty"`     // set when the task has ended
	Host         string               `json:"host,omitempty"`
	Fence        int                  `json:"fence,omitempty"` // attempt of the task on a host
	Agent        string               `json:"agent,omitempty"`
	Branch       string               `json:"branch,omitempty"`
	Base         string               `json:"base,omitempty"`
	BaseCommit   string               `json:"baseCommit,omitempty"`
	Head         string               `json:"head,omitempty"`
	Pushed       string               `json:"pushed,omitempty"` // of a pull request that is looked after: the last commit of the branch that is ours
	Others       bool                 `json:"others,omitempty"` // others have pushed to that branch too
	Iteration    int                  `json:"iteration,omitempty"`
	Iterations   int                  `json:"iterations,omitempty"` // maximum
	Rounds       int                  `json:"rounds,omitempty"`     // follow-up rounds on an open pull request
	Plan         *task.Plan           `json:"plan,omitempty"`
	Commits      []Commit             `json:"commits,omitempty"`
	Files        int                  `json:"files,omitempty"` // changed since the base
	Added        int                  `json:"added,omitempty"`
	Deleted      int                  `json:"deleted,omitempty"`
	Setup        *Check               `json:"setup,omitempty"`     // last result
	Check        *Check               `json:"check,omitempty"`     // last result
	BaseCheck    *Check               `json:"baseCheck,omitempty"` // before the task's own work
	Review       *task.Review         `json:"review,omitempty"`
	Findings     []task.Entry         `json:"findings,omitempty"`   // what sessions want people to look at before the merge, the first ones
	Notes        []task.Entry         `json:"notes,omitempty"`      // what sessions have left for later ones, the newest ones
	SpecIssues   []task.Entry         `json:"specIssues,omitempty"` // what sessions found unclear, the newest ones; the log says who went on
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
	Log          []LogLine            `json:"log,omitempty"`    // the newest entries
}

type Commit struct {
	ID      string `json:"id"`
	Subject string `json:"subject"`
}

// LogLine is one line of the task's log; N counts from 1 and never repeats.
type LogLine struct {
	N int `json:"n"`
	task.Entry
}

// Heartbeat is sent by a running session. Clients read it from the pending activity's heartbeat details. It stays well under 1 KiB.
type Heartbeat struct {
	Session  string        `json:"session"` // the session's id
	N        int           `json:"n"`
	Role     task.Role     `json:"role"`
	Activity string        `json:"activity"` // "Thinking", "Running Bash", "Responding"
	Tools    int           `json:"tools"`    // tool calls so far
	Usage    task.Usage    `json:"usage,omitzero"`
	Started  time.Time     `json:"started"`
	Worked   time.Duration `json:"worked,omitempty"`  // running time of the ask, over all its attempts on this host
	Offset   int64         `json:"offset"`            // bytes of the session's log written so far
	Waiting  bool          `json:"waiting,omitempty"` // waiting for a slot of its host; other fields are unset then
}

// Envelope returns the common part of every request.
func (m Message) Envelope() Message { return m }
