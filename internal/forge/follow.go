package forge

import (
	"context"
	"time"

	"github.com/longshift/longshift/internal/task"
)

// A Follower reads what has become of a pull request of ours, and answers. Every method may be called again after a crash with the
// same effect as one call.
type Follower interface {
	// Snapshot reads the pull request as it is now. seen is the Stamp of an earlier look, "" for none: when nothing that Look reads has
	// changed since, as the forge itself says, the answer has Unchanged set and nothing else.
	Snapshot(ctx context.Context, r task.Repository, number int, seen string) (Snapshot, error)
	// Answer writes what was done about each item, where the item stands, and asks those for a review again who asked for changes.
	// An answer that stands already, by its hidden mark, is not written again. The text is Markdown from a model: it is neutralised.
	Answer(ctx context.Context, r task.Repository, number int, answers []Reply) error
}

// Snapshot is a pull request as it stands, with what there is to do for us.
type Snapshot struct {
	Unchanged  bool   `json:"unchanged,omitempty"`
	Stamp      string `json:"stamp,omitempty"` // what the next Look is told; at most 1 KiB
	State      State  `json:"state,omitempty"`
	Draft      bool   `json:"draft,omitempty"`
	Head       string `json:"head,omitempty"` // commit
	Base       string `json:"base,omitempty"` // branch; people may change it
	BaseHead   string `json:"baseHead,omitempty"`
	Mergeable  *bool  `json:"mergeable,omitempty"` // nil: the forge has not found out yet
	MergedBy   string `json:"mergedBy,omitempty"`  // or closed by, when that is known
	Pending    int    `json:"pending,omitempty"`   // checks that still run on the head
	Passed     int    `json:"passed,omitempty"`    // checks that passed on it
	Items      []Item `json:"items,omitempty"`     // in the order in which they came up: at most 20
	More       int    `json:"more,omitempty"`      // items that were left out
	Ignored    int    `json:"ignored,omitempty"`   // comments of people without write access, and of bots
	ApprovedBy string `json:"approvedBy,omitempty"`

	Warnings []string `json:"warnings,omitempty"` // what could not be read and does not spoil the rest: one line each, at most 3
}

// ItemKind is what there is to do about.
type ItemKind string

// The kinds.
const (
	CheckItem   ItemKind = "check"   // a check, or commit status, failed on the head
	ThreadItem  ItemKind = "thread"  // a thread of review comments on a line, without an answer of ours after the last word of people
	ReviewItem  ItemKind = "review"  // a review that asks for changes, or comments with a text, without an answer of ours; an approval is none
	CommentItem ItemKind = "comment" // a comment in the conversation without an answer of ours that is meant for us: it begins with /longshift, and is no order (see IsOrder), or mentions the account of the token
)

// Item is one thing to do: by somebody with write access, asked of the forge at this moment, or a failed check.
type Item struct {
	Key    string    `json:"key"` // names it for good: "check:NAME", "thread:ID", "review:ID", "comment:ID"; at most 206 bytes
	Kind   ItemKind  `json:"kind"`
	By     string    `json:"by,omitempty"`   // user name; at most 80 bytes
	Path   string    `json:"path,omitempty"` // ThreadItem: of the file; at most 200 bytes
	Line   int       `json:"line,omitempty"`
	Text   string    `json:"text"`           // what people wrote (the last words of a thread, each with its author), or the check's summary; cleaned, at most 4 KiB
	Hunk   string    `json:"hunk,omitempty"` // ThreadItem: the lines that it is about; at most 2 KiB
	Log    string    `json:"log,omitempty"`  // CheckItem: the end of its log, times and colours taken out; at most 4 KiB
	Sign   string    `json:"sign,omitempty"` // CheckItem: the same for the same failure on another head (numbers, ids, times and paths of the machine left out)
	URL    string    `json:"url,omitempty"`  // http or https, at most 300 bytes; "" for others
	Last   int64     `json:"last,omitempty"` // id of the last comment in it: what an answer answers
	At     time.Time `json:"at,omitzero"`
	Change bool      `json:"change,omitempty"` // ReviewItem: it asks for changes
}

// Reply is the answer to one item.
type Reply struct {
	Item Item   `json:"item"`
	Text string `json:"text"` // Markdown, untrusted
	Key  string `json:"key"`  // in the hidden mark: the task's id, the item's key and Last
}
