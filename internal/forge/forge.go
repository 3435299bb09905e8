// Package forge says what a forge is: the place where pull requests are opened.
// It holds the interface, the request and the text of a pull request. Leaves below it do the calls; it imports none of them.
package forge

import (
	"context"
	"time"

	"github.com/longshift/longshift/internal/task"
)

// A Forge opens pull requests. Every method may be called again after a crash, with the same effect as one call.
type Forge interface {
	// EnsurePullRequest opens the pull request, or finds the one this task has opened before: by head branch and hidden tag.
	// A pull request from the same branch with another task's tag is a fault of kind Changed; one that a newer attempt of
	// this task has written is a fault of kind Fenced. A wait that the forge asks for comes back as *RetryAfter.
	EnsurePullRequest(ctx context.Context, r Request) (PullRequest, error)
}

// A Stater tells where a pull request stands. One that is not there is a fault of kind NotFound.
type Stater interface {
	State(ctx context.Context, r task.Repository, number int) (State, error)
}

// A Forker keeps forks.
type Forker interface {
	// Fork finds the fork of a repository that is in the account of the token, or makes it, and returns when git can be pushed there.
	// While it is still being made the error is a fault of kind Infra.
	Fork(ctx context.Context, r task.Repository) (task.Repository, error)
}

// Request describes a pull request to be.
type Request struct {
	Repository task.Repository
	TaskID     string // goes into the hidden tag
	Fence      int    // attempt of the task; goes into the hidden tag
	Head       string // branch, already pushed
	HeadOwner  string // of the fork that it was pushed to; "" when that is Repository
	HeadCommit string // full id of what was pushed
	Base       string // branch to merge into
	Title      string // one line
	Body       string // Markdown; the forge appends the hidden tag
	Draft      bool
	Labels     []string
	Reviewers  []string // user names; team reviewers as org/team
}

// State is where a pull request stands.
type State string

// The states.
const (
	Open   State = "open"
	Closed State = "closed" // without being merged
	Merged State = "merged"
)

// PullRequest is one that stands.
type PullRequest struct {
	Number   int       `json:"number"`
	URL      string    `json:"url"` // for people; a path and a ref for the local forge
	Head     string    `json:"head"`
	Base     string    `json:"base"`
	State    State     `json:"state"`
	Found    bool      `json:"found,omitempty"` // it stood before this call
	Created  time.Time `json:"created,omitzero"`
	Warnings []string  `json:"warnings,omitempty"` // what could not be done and does not spoil the rest: one line each

	// Where it stands, as the forge itself spells it; empty when there is nobody who could look after it (see Follower).
	Host  string `json:"host,omitempty"` // without a port
	Owner string `json:"owner,omitempty"`
	Name  string `json:"name,omitempty"`
}
