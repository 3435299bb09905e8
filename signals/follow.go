package signals

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/longshift/longshift/task"
)

// PullRequestFlow is the workflow type of a follower: it follows one of our pull requests until it is merged or closed. Its input is a
// PullRequestInput. It answers the same query and takes the same messages as a CodingTask, and also Changed.
const PullRequestFlow = "PullRequest"

// Changed is the signal that something has happened at the pull request, or that its base has moved. It only wakes the follower up, which
// then reads the forge. Its payload is a ChangedRequest.
const Changed = "changed"

// ChangedRequest says what has caused a wake-up.
type ChangedRequest struct {
	Message
	What string `json:"what,omitempty"` // such as "review", for the log
	Now  bool   `json:"now,omitempty"`  // the follower looks without waiting for what else comes up
}

// PullRequestInput starts a PullRequest workflow. It comes from the task, or from the previous run.
type PullRequestInput struct {
	Input    task.Input    `json:"input"`    // input of the task
	Settings task.Settings `json:"settings"` // settings from the task's base commit
	Task     string        `json:"task"`     // workflow id of the task
	Run      string        `json:"run"`      // run id of the task
	TaskID   string        `json:"taskId"`
	Fence    int           `json:"fence"` // fence of the last attempt
	PullRequest
	Branch string     `json:"branch"`
	Base   string     `json:"base"`
	Head   string     `json:"head,omitempty"`
	Plan   *task.Plan `json:"plan,omitempty"`
	Budget
	Conversation bool             `json:"conversation,omitempty"` // the task has a Conversation
	Sessions     int              `json:"sessions,omitempty"`     // session numbers used so far
	Limiter      string           `json:"limiter,omitempty"`      // workflow id of a limiter that has admitted the task: the repository's, where it has one
	Limited      bool             `json:"limited,omitempty"`      // the operator limits the tasks of each repository
	Shared       bool             `json:"shared,omitempty"`       // the operator limits all tasks together
	Fork         *task.Repository `json:"fork,omitempty"`         // repository of the branch, if it is a fork
	CheckRuns    int              `json:"checkRuns,omitempty"`    // number of the newest check run; 0 where the forge takes none
	BaseCheck    *Check           `json:"baseCheck,omitempty"`    // before the task's own work
	Tells        []TellRequest    `json:"tells,omitempty"`        // messages that no session of the task was told

	Answers map[string]Answer `json:"answers,omitempty"` // of people to commands, for every run, by the command's text

	State *PullRequestState `json:"state,omitempty"` // state of the previous run
}

// Budget is what the pull request's work, including its task, has used and may use.
type Budget struct {
	Usage      task.Usage    `json:"usage,omitzero"` // so far
	BudgetUSD  float64       `json:"budgetUsd"`
	Worked     time.Duration `json:"worked,omitempty"`
	BudgetTime time.Duration `json:"budgetTime"`
	MaxCost    float64       `json:"maxCost,omitempty"` // the operator's limits, which a resume can't raise
	MaxTime    time.Duration `json:"maxTime,omitempty"`
}

// PullRequestState is handed from one run of a PullRequest workflow to the next.
type PullRequestState struct {
	Started  time.Time         `json:"started"`            // start of the first run
	Sessions int               `json:"sessions,omitempty"` // session numbers used so far
	Notices  int               `json:"notices,omitempty"`  // notice numbers used so far
	Rounds   int               `json:"rounds,omitempty"`   // since a person has last resumed it
	Stamp    string            `json:"stamp,omitempty"`    // of the last snapshot
	Tried    map[string]string `json:"tried,omitempty"`    // blockers that a round has worked on: name to the head at that time
	Done     map[string]string `json:"done,omitempty"`     // items that have been answered: key to what was answered
	Seen     []string          `json:"seen,omitempty"`     // ids of messages already counted
	Log      []LogLine         `json:"log,omitempty"`
	Progress []task.Entry      `json:"progress,omitempty"`
	Tells    []TellRequest     `json:"tells,omitempty"`
	Parked   *Parked           `json:"parked,omitempty"`
	Warnings []string          `json:"warnings,omitempty"` // of the newest snapshot
	Pushed   string            `json:"pushed,omitempty"`   // the last commit of the branch that is ours
	Others   bool              `json:"others,omitempty"`   // others have pushed to the branch, or may have

	CheckedHead string `json:"checkedHead,omitempty"` // commit of the newest check run
	Unswept     bool   `json:"unswept,omitempty"`     // the last round's workspace or checkpoint may be left
}

// Parked says why a person is asked to look at a pull request.
type Parked struct {
	Reason Reason `json:"reason"`
	Detail string `json:"detail"`
	About  string `json:"about,omitempty"` // names what the round was about that has ended badly
	Head   string `json:"head,omitempty"`  // of the branch then
}

// IssueTaskID is the workflow id of the one task for an issue of a forge.
func IssueTaskID(host, owner, name string, number int) string {
	return forgeID("issue", host, owner, name, number)
}

// PullRequestID is the workflow id of the one follower of a pull request.
func PullRequestID(host, owner, name string, number int) string {
	return forgeID("pull", host, owner, name, number)
}

// forgeID builds an id for something in a repository, whatever the case of the repository's name, and however its host is named. No part
// of a name contains a colon; that of an IPv6 address becomes "_".
func forgeID(kind, host, owner, name string, number int) string {
	host = strings.ReplaceAll(cmp.Or(task.HostName(host), "github.com"), ":", "_")
	repository := strings.ReplaceAll(host+":"+owner+":"+name, "/", ":")
	return kind + ":" + strings.ToLower(repository) + ":" + strconv.Itoa(number)
}
