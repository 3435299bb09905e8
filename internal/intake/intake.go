// Package intake says what a source is: a place where work comes from by itself, such as the issues of a forge, a tracker, a folder of
// files. It holds the interfaces and their words. Leaves below it make the calls; it imports none of them, and knows no workflow.
package intake

import (
	"context"
	"time"

	"github.com/longshift/longshift/task"
)

// Kind names a source.
type Kind string

// The kinds.
const (
	GitHub    Kind = "github"
	Linear    Kind = "linear"
	Backlog   Kind = "backlog"   // a folder of Markdown files
	Heartbeat Kind = "heartbeat" // one Markdown file with things to do
)

// Kinds lists all of them.
func Kinds() []Kind { return []Kind{GitHub, Linear, Backlog, Heartbeat} }

// Tracker tells whether a source is a tracker of issues, which others see and write to, and not a file of the operator's.
func (k Kind) Tracker() bool { return k == GitHub || k == Linear }

// A Source lists work that waits, and reads a piece of it. Both change nothing, and may be called at any time.
type Source interface {
	// List calls visit for each piece of work that is asked for and that nobody has claimed, in the order in which it is to be worked on,
	// until visit returns false. It reads page by page and keeps none. What it gives is a hint: Read decides.
	List(ctx context.Context, q Query, visit func(Item) bool) error
	// Read reads a piece of work as it is now. One that is not there any more is a fault of kind NotFound.
	Read(ctx context.Context, q Query, key string) (Work, error)
}

// A Reporter shows at a source what becomes of a piece of work. Every call may be made again after a crash, with the effect of one: it
// looks for what it left before it acts. Errors are faults: NotFound for work that is gone, Conflict for work that somebody else has
// taken, Denied for a right that is missing, Infra for what passes. A wait that the source asks for comes back as *fault.Later.
type Reporter interface {
	// Queue shows that a task is there, and what it waits for. It claims nothing. Called again with another text it replaces the first.
	Queue(ctx context.Context, q Query, key string, n Note) error
	// Claim takes the work for a task, so that nobody else begins it, and shows who works on it. Work that is not wanted any more, or
	// that another task has claimed, is a fault of kind Conflict; a second claim by the same task is the first one.
	Claim(ctx context.Context, q Query, key string, n Note) error
	// Report shows what came of the task, and does with the work what its outcome asks for. It needs no claim before it.
	Report(ctx context.Context, q Query, key string, n Note) error
}

// Query says where to look, and for what.
type Query struct {
	Repository task.Repository `json:"repository"`
	Label      string          `json:"label,omitempty"`    // github, linear: work with this label
	Assignee   string          `json:"assignee,omitempty"` // github, linear: work of this account; "me" is that of the token
	Team       string          `json:"team,omitempty"`     // linear: key of a team, such as "ENG"; empty for all that the token sees
	Path       string          `json:"path,omitempty"`     // backlog: the folder, heartbeat: the file, below the repository's folder
}

// Item is a piece of work as a list has it.
type Item struct {
	Key      string    `json:"key"`                // what the source finds it by: "12", "ENG-12", "010-login.md"
	ID       string    `json:"id"`                 // workflow id of its one task: the same whoever starts it, and on every host
	Sum      string    `json:"sum,omitempty"`      // of its text where that may change what is asked for: another text is other work
	Title    string    `json:"title,omitempty"`    // one line, cleaned
	URL      string    `json:"url,omitempty"`      // for people
	Priority int       `json:"priority,omitempty"` // the higher the sooner; 0 where the source has none
	Created  time.Time `json:"created,omitzero"`
	Changed  time.Time `json:"changed,omitzero"` // when anything of it changed last, where the source tells
}

// Work is a piece of work as it is to be done.
type Work struct {
	Item
	Task  string      `json:"task"`            // the order, in our words; what others have written is in Issue
	Issue *task.Issue `json:"issue,omitempty"` // cleaned and bounded text, which is data and no order; nil where the order is all
	By    string      `json:"by,omitempty"`    // who has asked for it
	No    string      `json:"no,omitempty"`    // why it must not be begun; empty when it may
}

// Claimed is work that a task has claimed and has not reported on.
type Claimed struct {
	ID     string `json:"id"` // workflow id of the task
	Key    string `json:"key"`
	Sum    string `json:"sum,omitempty"`
	TaskID string `json:"taskId"`
}

// Kept is work that its task has left undone, and that is not begun again as it is.
type Kept struct {
	Key     string       `json:"key"`
	TaskID  string       `json:"taskId"`
	Outcome task.Outcome `json:"outcome,omitempty"`
	Ended   time.Time    `json:"ended"`
}

// Note is what is shown at the source about a task.
type Note struct {
	TaskID  string       `json:"taskId"`            // new with every run of the task's workflow; the key of what is written
	Outcome task.Outcome `json:"outcome,omitempty"` // Report: how the task ended
	Branch  string       `json:"branch,omitempty"`  // Report: the task's branch, where it was pushed
	Sum     string       `json:"sum,omitempty"`     // of the work's text when the task began
	Text    string       `json:"text"`              // Markdown, a few lines, free of secrets
}
