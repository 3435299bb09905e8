package forge

import (
	"context"
	"errors"
	"time"

	"github.com/longshift/longshift/internal/task"
)

// A Tracker reads issues as pieces of work, and who has asked for them. It changes nothing.
type Tracker interface {
	// Issues calls visit for each open issue that q describes, in the order in which they were opened, until visit returns false. Pull
	// requests are none. It reads page by page and calls visit outside of any lock; a page that has not changed costs nothing.
	Issues(ctx context.Context, r task.Repository, q IssueQuery, visit func(ListedIssue) bool) error
	// Asked reads an issue as it is now, with those who have made it what q describes. Without is not looked at. A number that is
	// missing, was deleted or has moved away, or is a pull request's, is a fault of kind NotFound.
	Asked(ctx context.Context, r task.Repository, number int, q IssueQuery) (Asked, error)
	// Edits lists who has changed an issue's body since a time, that second included. Where the forge can't be asked, and for a body with
	// more edits than anybody reads, the error is ErrUntold: then nobody knows.
	Edits(ctx context.Context, r task.Repository, number int, since time.Time) ([]Act, error)
}

// ErrUntold is the answer of a forge that gives none to this question.
var ErrUntold = errors.New("the forge does not tell")

// A Marker shows at an issue what becomes of it. Every call may be made again with the effect of one.
type Marker interface {
	// SetLabel puts a label on an issue, which need not exist before, or takes it off.
	SetLabel(ctx context.Context, r task.Repository, number int, label string, on bool) error
	// SetNote writes the one comment of a key, or brings it up to date. Empty fields keep what stands there; a comment that is new needs
	// a text.
	SetNote(ctx context.Context, r task.Repository, number int, n Note) error
	// Notes lists what SetNote has written at an issue with the token's account, oldest first, without the texts.
	Notes(ctx context.Context, r task.Repository, number int) ([]Note, error)
}

// IssueQuery says which issues are meant: those with all that is named.
type IssueQuery struct {
	Label    string
	Assignee string // user name; "me" is the account of the token
	Without  string // leaves out issues with this label
}

// ListedIssue is an issue as a list has it.
type ListedIssue struct {
	Number  int
	Title   string // cleaned, one line
	URL     string
	Sum     string // see IssueSum
	Created time.Time
	Updated time.Time // when anything of it changed last
}

// Asked is an issue as somebody has asked for it.
type Asked struct {
	Issue   task.Issue // cleaned and bounded
	Open    bool
	Author  string // "" for an account that is gone
	Labels  []string
	Created time.Time
	Updated time.Time // when anything of it changed last
	Fits    bool      // it is what the query describes
	By      []Act     // when it fits: who has set the label, the assignment; one for each that the query names
	Renamed []Act     // who has changed the title since the last of these
}

// Act is something that somebody has done. By is "" where nobody can tell who it was.
type Act struct {
	What string // "label", "assign", "edit" or "rename"
	By   string
	Bot  bool // the account is no person's
	At   time.Time
}

// Note is a comment of ours that is kept up to date.
type Note struct {
	Key     string
	State   string // a word for ourselves, of small letters, which the page does not show
	Text    string // Markdown
	ID      int64  // rises from comment to comment; SetNote takes no notice of it
	Changed time.Time
}
