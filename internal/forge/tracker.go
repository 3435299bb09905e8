package forge

import (
	"context"
	"errors"
	"time"

	"github.com/longshift/longshift/task"
)

// A Tracker reads issues as requests for work, and who made them. It changes nothing.
type Tracker interface {
	// Issues calls visit for each open issue that q describes, oldest first, until visit returns false. It leaves out pull requests. It
	// reads page by page and calls visit without holding a lock; a page that has not changed costs nothing.
	Issues(ctx context.Context, r task.Repository, q IssueQuery, visit func(ListedIssue) bool) error
	// Asked reads an issue as it is now, with the people who made it match q; it ignores Without. A number that does not exist, was
	// deleted or transferred, or is a pull request's, is a fault of kind NotFound.
	Asked(ctx context.Context, r task.Repository, number int, q IssueQuery) (Asked, error)
	// Edits lists the changes to an issue's body since a time, including that second. The error is ErrUntold when the forge can't say,
	// and when there are too many edits to read.
	Edits(ctx context.Context, r task.Repository, number int, since time.Time) ([]Act, error)
}

// ErrUntold is the error of a forge that can't say who has edited an issue.
var ErrUntold = errors.New("the forge does not tell")

// A Marker shows at an issue what becomes of it. Every call may be repeated with the effect of one.
type Marker interface {
	// SetLabel adds a label to an issue, creating it when necessary, or removes it.
	SetLabel(ctx context.Context, r task.Repository, number int, label string, on bool) error
	// SetNote writes the one comment of a key, or updates it. Empty fields keep their value; a new comment needs a text.
	SetNote(ctx context.Context, r task.Repository, number int, n Note) error
	// Notes lists the notes that the account of the token has written at an issue, oldest first, without their texts.
	Notes(ctx context.Context, r task.Repository, number int) ([]Note, error)
}

// IssueQuery selects issues: those that match every field that is set.
type IssueQuery struct {
	Label    string
	Assignee string // user name; "me" is the account of the token
	Without  string // excludes issues with this label
}

type ListedIssue struct {
	Number  int
	Title   string // cleaned, one line
	URL     string
	Sum     string // see IssueSum
	Created time.Time
	Updated time.Time // when anything of it changed last
}

// Asked is an issue with the people who asked for it.
type Asked struct {
	Issue   task.Issue // cleaned and bounded
	Open    bool
	Author  string // "" for a deleted account
	Labels  []string
	Created time.Time
	Updated time.Time // when anything of it changed last
	Fits    bool      // it matches the query
	By      []Act     // when it fits: who set the label and the assignment that the query names
	Renamed []Act     // who has changed the title since the last act in By
}

// Act is something that a person or program did. By is "" when nobody can tell who it was.
type Act struct {
	What string // "label", "assign", "edit" or "rename"
	By   string
	Bot  bool // the account is not a person's
	At   time.Time
}

// Note is a comment of Longshift that is kept up to date.
type Note struct {
	Key     string
	State   string // a word of lower-case letters, hidden from the page
	Text    string // Markdown that is shown as it is: CommentLine neutralises what others have written
	ID      int64  // increases from comment to comment; SetNote ignores it
	Changed time.Time
}
