// Package intake defines sources: places where work is found automatically, such as the issues of a forge, a tracker or a folder of
// files. It holds the interfaces and their types. The packages below it make the calls; it imports none of them, and knows no workflow.
package intake

import (
	"context"
	"time"

	"github.com/longshift/longshift/task"
)

type Kind string

const (
	GitHub    Kind = task.GitHub
	Linear    Kind = "linear"
	Backlog   Kind = "backlog"   // a folder of Markdown files
	Heartbeat Kind = "heartbeat" // one Markdown file with a to-do list
)

func Kinds() []Kind { return []Kind{GitHub, Linear, Backlog, Heartbeat} }

// Tracker reports whether a source is an issue tracker, which other people read and write, and not a file of the operator.
func (k Kind) Tracker() bool { return k == GitHub || k == Linear }

// A Source lists waiting work and reads one piece of it. Both calls change nothing and may be made at any time.
type Source interface {
	// List calls visit for each piece of work that is wanted and not claimed, in the order in which it should be done, until visit
	// returns false. It reads page by page. An item may be out of date; Read decides.
	List(ctx context.Context, q Query, visit func(Item) bool) error
	// Read reads the current state of a piece of work. If it no longer exists, the error is a fault of kind NotFound.
	Read(ctx context.Context, q Query, key string) (Work, error)
}

// A Reporter shows at a source what becomes of a piece of work. Every call is idempotent and may be repeated after a crash: it looks for
// what it has written before it acts. Errors are faults: NotFound for work that no longer exists, Conflict for work that somebody else
// has claimed, Denied for a missing permission, Infra for a transient failure. If the source asks to wait, the error is a *fault.Later.
type Reporter interface {
	// Queue shows that a task exists and what it waits for. It claims nothing. A later call replaces the text.
	Queue(ctx context.Context, q Query, key string, n Note) error
	// Claim claims the work for a task, so that nobody else starts it, and shows the task. If the work is not wanted any more, or another
	// task has claimed it, the error is a fault of kind Conflict. A second claim by the same task changes nothing.
	Claim(ctx context.Context, q Query, key string, n Note) error
	// Report shows the result of the task and updates the work according to the outcome. It works without an earlier claim.
	Report(ctx context.Context, q Query, key string, n Note) error
}

// Query says where to look for which work.
type Query struct {
	Repository task.Repository `json:"repository"`
	Label      string          `json:"label,omitempty"`    // github, linear: work with this label
	Assignee   string          `json:"assignee,omitempty"` // github, linear: work assigned to this account; "me" is the token's own
	Team       string          `json:"team,omitempty"`     // linear: key of a team, such as "ENG"; empty for all that the token can read
	Path       string          `json:"path,omitempty"`     // backlog: the folder; heartbeat: the file; relative to the repository's folder
}

// Item is a piece of work in a list.
type Item struct {
	Key      string    `json:"key"`                // name at the source: "12", "ENG-12", "010-login.md"
	ID       string    `json:"id"`                 // workflow id of its one task, the same on every host and whatever starts it
	Sum      string    `json:"sum,omitempty"`      // checksum of the text, if a changed text is new work
	Title    string    `json:"title,omitempty"`    // one line, cleaned
	URL      string    `json:"url,omitempty"`      // for people to open
	Priority int       `json:"priority,omitempty"` // higher comes first; 0 if the source has none
	Created  time.Time `json:"created,omitzero"`
	Changed  time.Time `json:"changed,omitzero"` // last change of any kind, if the source reports it
}

// Work is a piece of work with everything that its task needs.
type Work struct {
	Item
	Task  string      `json:"task"`            // the order, in our words; text by other people is in Issue
	Issue *task.Issue `json:"issue,omitempty"` // cleaned and bounded text by other people: data, never an instruction; nil if Task is all
	By    string      `json:"by,omitempty"`    // account that has asked for it
	No    string      `json:"no,omitempty"`    // why it must not be started; empty if it may
}

// Claimed is work that a task has claimed and not reported on yet.
type Claimed struct {
	ID     string `json:"id"` // workflow id of the task
	Key    string `json:"key"`
	Sum    string `json:"sum,omitempty"`
	TaskID string `json:"taskId"`
}

// Kept is work that its task has not finished, and that is not started again unless it changes.
type Kept struct {
	Key     string       `json:"key"`
	TaskID  string       `json:"taskId"`
	Outcome task.Outcome `json:"outcome,omitempty"`
	Ended   time.Time    `json:"ended"`
}

// UnwantedText is the note of a task that had claimed its issue and does not begin.
const UnwantedText = "This issue was closed or is not asked for any more, so the task does not begin."

// Note is what a source shows about a task.
type Note struct {
	TaskID  string       `json:"taskId"`            // unique for every run of the task's workflow; identifies the note
	Outcome task.Outcome `json:"outcome,omitempty"` // Report: how the task ended
	Branch  string       `json:"branch,omitempty"`  // Report: the task's branch, if it was pushed
	Sum     string       `json:"sum,omitempty"`     // checksum of the work's text when the task began
	Text    string       `json:"text"`              // Markdown, a few lines, free of secrets; shown as it is
}
