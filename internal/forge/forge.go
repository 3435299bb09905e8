// Package forge is the port to forges, where pull requests are opened. It holds the interfaces, the request and the text of a pull
// request. Drivers are leaves below it; it imports none of them.
package forge

import (
	"context"
	"time"

	"github.com/longshift/longshift/task"
)

// A Forge opens pull requests. Every method may be called again after a crash, with the same effect as one call.
type Forge interface {
	// EnsurePullRequest opens the pull request of a task, or finds it by its head branch and hidden tag when it exists. An open pull
	// request from the same branch with another tag is a fault of kind Changed; one that a newer attempt of the task has written is a
	// fault of kind Fenced. When the forge asks for a pause, the error holds a *fault.Later.
	EnsurePullRequest(ctx context.Context, r Request) (PullRequest, error)
}

// A Stater returns the state of a pull request. One that does not exist in a repository that can be read is a fault of kind NotFound.
type Stater interface {
	State(ctx context.Context, r task.Repository, number int) (State, error)
}

// A Closer closes the pull requests of tasks.
type Closer interface {
	// Close closes the pull request of a task without merging it, and returns the state that it had. One that is closed already is left as
	// it is. A merged one is a fault of kind Conflict, one without the task's hidden tag a fault of kind Changed, and one that does not exist
	// a fault of kind NotFound.
	Close(ctx context.Context, r task.Repository, number int, taskID string) (State, error)
}

// A Differ shows what pull requests change.
type Differ interface {
	// Diff returns the changes of a pull request since its branch began, as a patch, and at most that many bytes of it. A pull request that
	// does not exist is a fault of kind NotFound, a patch that the forge does not make because it is too large one of kind Input.
	Diff(ctx context.Context, r task.Repository, number, most int) (string, error)
}

// A Forker keeps forks.
type Forker interface {
	// Fork finds or makes the fork of a repository in the account of the token, and returns when git can push to it. While the forge is
	// still making it, the error is a fault of kind Infra.
	Fork(ctx context.Context, r task.Repository) (task.Repository, error)
	// FindFork returns what Fork would, and the zero value where that does not exist: it makes nothing. A fork of another name is found where
	// its own is taken.
	FindFork(ctx context.Context, r task.Repository) (task.Repository, error)
}

// Request describes the pull request that a task asks for.
type Request struct {
	Repository task.Repository
	TaskID     string // goes into the hidden tag
	Fence      int    // attempt of the task; goes into the hidden tag
	Head       string // branch, already pushed
	HeadOwner  string // owner of the fork that holds Head; "" when Repository holds it
	HeadCommit string // full id of what was pushed
	Base       string // branch to merge into
	Title      string // one line
	Body       string // Markdown; the forge appends the hidden tag
	Draft      bool
	Labels     []string
	Reviewers  []string // user names; team reviewers as org/team
}

type State string

const (
	Open   State = "open"
	Closed State = "closed" // without being merged
	Merged State = "merged"
)

type PullRequest struct {
	Number   int       `json:"number"`
	URL      string    `json:"url"` // for people; a path and a ref for the local forge
	Head     string    `json:"head"`
	Base     string    `json:"base"`
	State    State     `json:"state"`
	Found    bool      `json:"found,omitempty"` // it existed before this call
	Created  time.Time `json:"created,omitzero"`
	Warnings []string  `json:"warnings,omitempty"` // what could not be done, although the rest was: one line each

	// Its repository, as the forge spells it; empty when nothing can follow the pull request (see Follower).
	Host  string `json:"host,omitempty"` // without a port
	Owner string `json:"owner,omitempty"`
	Name  string `json:"name,omitempty"`

	CheckRuns bool `json:"checkRuns,omitempty"` // the forge takes check runs, see CheckRunner
}
