package forge

import (
	"context"
	"time"

	"github.com/longshift/longshift/task"
)

type EventKind string

const (
	IssueWanted EventKind = "issue_wanted" // somebody set the label, or assigned the issue to the account of the token
	Commanded   EventKind = "commanded"    // somebody wrote a comment that begins with /longshift
	PullChanged EventKind = "pull_changed" // something happened at a pull request
	BaseMoved   EventKind = "base_moved"   // a branch has new commits
)

// Event is one thing that happened on a forge. Only its origin can be trusted: before anybody acts on it, the forge is asked what its
// actor may do.
type Event struct {
	Kind    EventKind `json:"kind"`
	ID      string    `json:"id"`              // the same for a webhook, its redelivery and a poll: letters, digits, ".", "-", "_"
	Host    string    `json:"host,omitempty"`  // of the forge
	Owner   string    `json:"owner,omitempty"` //
	Name    string    `json:"name,omitempty"`  // of the repository
	Number  int       `json:"number,omitempty"`
	Pull    bool      `json:"pull,omitempty"` // Number is a pull request's
	Actor   string    `json:"actor,omitempty"`
	Bot     bool      `json:"bot,omitempty"`     // the actor is not a person
	What    string    `json:"what,omitempty"`    // the forge's own words, such as "check_suite completed"
	Branch  string    `json:"branch,omitempty"`  // BaseMoved; PullChanged without a Number: the head branch of the pull request
	Comment int64     `json:"comment,omitempty"` // Commanded: its id
	Text    string    `json:"text,omitempty"`    // Commanded: what follows /longshift, cleaned, at most 16 KiB
	Sum     string    `json:"sum,omitempty"`     // IssueWanted, and Commanded to run: IssueSum of the issue at that moment; empty when unknown
	Ended   bool      `json:"ended,omitempty"`   // PullChanged: it was merged or closed
	At      time.Time `json:"at,omitzero"`       // of a poll's first listing of issues: when that poll began

	Labelled  bool     `json:"labelled,omitempty"`  // IssueWanted: it has the label
	Assigned  bool     `json:"assigned,omitempty"`  // IssueWanted: it is assigned to the account of the token
	Assignees []string `json:"assignees,omitempty"` // IssueWanted: the accounts that it is assigned to
}

// A Watcher reads what an event is about, and events that no webhook has delivered.
type Watcher interface {
	// MayWrite asks the forge whether a user may write to the repository now. Bots may not.
	MayWrite(ctx context.Context, r task.Repository, user string) (bool, error)
	// Wanted reads the issue as it is now, and returns who last set the label or assigned it to the account of the token. by is "" when
	// neither holds any more, or when the issue is closed.
	Wanted(ctx context.Context, r task.Repository, number int, label string) (i task.Issue, by string, bot bool, err error)
	// Since lists the events that webhooks would have delivered since cursor ("" begins now), oldest first, and returns the next
	// cursor. It uses conditional requests, so that polling a quiet repository costs nothing.
	Since(ctx context.Context, r task.Repository, label, cursor string) ([]Event, string, error)
}

// A Talker answers people on a forge, and reads what they ask about.
type Talker interface {
	// Issue reads an issue as it is now, cleaned and bounded as by Wanted, and tells whether it is open. A number that does not exist,
	// was deleted or transferred, or is a pull request's, is a fault of kind NotFound.
	Issue(ctx context.Context, r task.Repository, number int) (i task.Issue, open bool, err error)
	// React marks a comment as read. fresh is false when the mark was already there.
	React(ctx context.Context, r task.Repository, comment int64) (fresh bool, err error)
	// Comment writes a comment on an issue or a pull request, once for each key.
	Comment(ctx context.Context, r task.Repository, number int, key, text string) error
}
