package forge

import (
	"context"
	"time"

	"github.com/longshift/longshift/internal/task"
)

// EventKind is what happened on a forge that concerns us.
type EventKind string

// The kinds.
const (
	IssueWanted EventKind = "issue_wanted" // somebody gave an issue our label, or assigned it to us
	Commanded   EventKind = "commanded"    // somebody wrote a comment that begins with /longshift
	PullChanged EventKind = "pull_changed" // something happened at a pull request
	BaseMoved   EventKind = "base_moved"   // a branch has new commits
)

// Event is one thing that happened. Nothing in it is trusted but that the forge has sent it: who may do what is asked of the forge
// when the event is acted upon.
type Event struct {
	Kind    EventKind `json:"kind"`
	ID      string    `json:"id"`              // names what happened, the same for a webhook, its redelivery and a poll: letters, digits, ".", "-", "_"
	Host    string    `json:"host,omitempty"`  // of the forge
	Owner   string    `json:"owner,omitempty"` //
	Name    string    `json:"name,omitempty"`  // of the repository
	Number  int       `json:"number,omitempty"`
	Pull    bool      `json:"pull,omitempty"` // Number is a pull request's
	Actor   string    `json:"actor,omitempty"`
	Bot     bool      `json:"bot,omitempty"`     // the actor is no person
	What    string    `json:"what,omitempty"`    // the forge's own words, such as "check_suite completed"
	Branch  string    `json:"branch,omitempty"`  // BaseMoved; PullChanged without a Number: the branch that the pull request is from
	Comment int64     `json:"comment,omitempty"` // Commanded: its id
	Text    string    `json:"text,omitempty"`    // Commanded: what follows /longshift, cleaned, at most 16 KiB
	Sum     string    `json:"sum,omitempty"`     // IssueWanted: hash of the issue's title and body when it was made ours (see IssueSum); empty when unknown
	At      time.Time `json:"at,omitzero"`
}

// A Watcher reads what an event is about, and what nobody has told us.
type Watcher interface {
	// MayWrite asks the forge whether a user may write to the repository, at this moment. Bots may not.
	MayWrite(ctx context.Context, r task.Repository, user string) (bool, error)
	// Wanted reads the issue as it is now, and tells who made it ours last: the label that is named, or an assignment to the
	// account of the token. by is "" when it is not ours any more, or is closed.
	Wanted(ctx context.Context, r task.Repository, number int, label string) (i task.Issue, by string, bot bool, err error)
	// Since lists what a webhook would have told since cursor ("" begins now), oldest first, and the cursor that comes next. It asks
	// with the forge's own "has it changed", so that a look at a quiet repository costs nothing.
	Since(ctx context.Context, r task.Repository, label, cursor string) ([]Event, string, error)
}

// A Talker answers on a forge, and reads what it is asked about.
type Talker interface {
	// Issue reads an issue as it is now, cleaned and bounded as Wanted does it, and tells whether it is open. A number that is missing,
	// was deleted or has moved away, or is a pull request's, is a fault of kind NotFound.
	Issue(ctx context.Context, r task.Repository, number int) (i task.Issue, open bool, err error)
	// React marks a comment as heard. It tells whether this call has made the mark: false when it was there.
	React(ctx context.Context, r task.Repository, comment int64) (fresh bool, err error)
	// Comment writes a comment on an issue or a pull request, once for each key.
	Comment(ctx context.Context, r task.Repository, number int, key, text string) error
}
