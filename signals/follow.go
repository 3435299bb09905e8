package signals

import (
	"strconv"
	"strings"
	"time"

	"github.com/longshift/longshift/task"
)

// PullRequestFlow is the workflow type of what looks after one open pull request of ours until it is merged or closed. Its input is
// a Follow. It answers the same query and takes the same messages as a CodingTask, and Changed on top of them.
const PullRequestFlow = "PullRequest"

// Changed is the signal that something has happened at the pull request, or that its base has moved. It is a wake-up and no more:
// what happened is read from the forge. Its payload is a ChangedRequest.
const Changed = "changed"

// ChangedRequest says where a wake-up comes from.
type ChangedRequest struct {
	Message
	What string `json:"what,omitempty"` // such as "review", for the log
}

// PullRequestInput starts a PullRequest workflow: what the task hands over, and what one run of it hands to the next.
type PullRequestInput struct {
	Input    task.Input    `json:"input"`    // of the task
	Settings task.Settings `json:"settings"` // of the task's base commit
	Task     string        `json:"task"`     // workflow id of the task
	Run      string        `json:"run"`      // of the task
	TaskID   string        `json:"taskId"`
	Fence    int           `json:"fence"` // of the last attempt
	PullRequest
	Branch string     `json:"branch"`
	Base   string     `json:"base"`
	Head   string     `json:"head,omitempty"`
	Plan   *task.Plan `json:"plan,omitempty"`
	Budget
	Conversation bool             `json:"conversation,omitempty"` // there is a Conversation
	Sessions     int              `json:"sessions,omitempty"`     // numbers given out
	Limiter      string           `json:"limiter,omitempty"`      // workflow id of the repository's limiter, when it has admitted the task
	Limited      bool             `json:"limited,omitempty"`      // the operator limits every task of a repository
	Shared       bool             `json:"shared,omitempty"`       // the operator limits all tasks together
	Fork         *task.Repository `json:"fork,omitempty"`         // has the branch

	State *PullRequestState `json:"state,omitempty"` // of the run before this one
}

// Budget is what the work on a pull request has used, its task's included, and what it may use.
type Budget struct {
	Usage      task.Usage    `json:"usage,omitzero"` // so far
	BudgetUSD  float64       `json:"budgetUsd"`
	Worked     time.Duration `json:"worked,omitempty"`
	BudgetTime time.Duration `json:"budgetTime"`
	MaxCost    float64       `json:"maxCost,omitempty"` // the operator's limits, which a resume can't pass
	MaxTime    time.Duration `json:"maxTime,omitempty"`
}

// PullRequestState is where a PullRequest workflow stands when it begins a new run.
type PullRequestState struct {
	Started  time.Time         `json:"started"`            // of the first run
	Sessions int               `json:"sessions,omitempty"` // numbers given out
	Notices  int               `json:"notices,omitempty"`  // numbers given out
	Rounds   int               `json:"rounds,omitempty"`   // since a person has resumed it last
	Stamp    string            `json:"stamp,omitempty"`    // of the last look
	Tried    map[string]string `json:"tried,omitempty"`    // what a round has worked on: a blocker's name to the head on which it stood
	Done     map[string]string `json:"done,omitempty"`     // what has its answer: an item's key to what was answered
	Seen     []string          `json:"seen,omitempty"`     // ids of messages that have counted
	Log      []LogLine         `json:"log,omitempty"`
	Progress []task.Entry      `json:"progress,omitempty"`
	Tells    []TellRequest     `json:"tells,omitempty"`
	Parked   *Parked           `json:"parked,omitempty"`
}

// Parked is why a person is asked to look at a pull request.
type Parked struct {
	Reason Reason `json:"reason"`
	Detail string `json:"detail"`
}

// IssueTaskID is the workflow id of the one task that works on an issue of a forge.
func IssueTaskID(host, owner, name string, number int) string {
	return forgeID("issue", host, owner, name, number)
}

// PullRequestID is the workflow id of the one workflow that looks after a pull request.
func PullRequestID(host, owner, name string, number int) string {
	return forgeID("pull", host, owner, name, number)
}

// forgeID names something of a repository, in whatever case the repository's name is written. No part of a name holds the colon.
func forgeID(kind, host, owner, name string, number int) string {
	if host, _, _ = strings.Cut(host, ":"); host == "" { // without its port: not everybody names that
		host = "github.com"
	}
	repository := strings.ReplaceAll(strings.ReplaceAll(host, ":", "_")+":"+owner+":"+name, "/", ":")
	return kind + ":" + strings.ToLower(repository) + ":" + strconv.Itoa(number)
}
