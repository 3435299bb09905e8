package forge

import (
	"context"
	"time"

	"github.com/longshift/longshift/task"
)

// A Follower reads the state of a pull request that Longshift has opened, and answers on it. Every method may be called again after a
// crash, with the effect of one call.
type Follower interface {
	// Snapshot reads the pull request as it is now. seen is the Stamp of an earlier snapshot, "" for none: when the forge says that
	// nothing has changed since, the result has Unchanged set and nothing else.
	Snapshot(ctx context.Context, r task.Repository, number int, seen string) (Snapshot, error)
	// Answer replies to each item where it was written, and requests another review from those who asked for changes. It finds its
	// earlier replies by their hidden mark and does not write them again. The text is Markdown from a model: it is neutralised.
	Answer(ctx context.Context, r task.Repository, number int, answers []Reply) error
}

// Snapshot is the state of a pull request, with what there is to do.
type Snapshot struct {
	Unchanged  bool   `json:"unchanged,omitempty"`
	Stamp      string `json:"stamp,omitempty"` // for the next call; at most 1 KiB
	State      State  `json:"state,omitempty"`
	Draft      bool   `json:"draft,omitempty"`
	Head       string `json:"head,omitempty"` // commit
	Base       string `json:"base,omitempty"` // branch; people may change it
	BaseHead   string `json:"baseHead,omitempty"`
	Mergeable  *bool  `json:"mergeable,omitempty"` // nil: the forge does not know yet
	MergedBy   string `json:"mergedBy,omitempty"`  // or who closed it, when known
	Pending    int    `json:"pending,omitempty"`   // checks on the head that have not ended, and may be waited for
	Passed     int    `json:"passed,omitempty"`    // checks that passed on it
	Items      []Item `json:"items,omitempty"`     // oldest first, at most 20
	More       int    `json:"more,omitempty"`      // items that were left out
	Ignored    int    `json:"ignored,omitempty"`   // comments of people without write access, and of bots
	ApprovedBy string `json:"approvedBy,omitempty"`

	PassedKeys []string `json:"passedKeys,omitempty"` // keys of checks that succeeded, of whose name no other one is still to end

	Warnings []string `json:"warnings,omitempty"` // what could not be read, although the rest could: one line each, at most 3
}

type ItemKind string

const (
	CheckItem   ItemKind = "check"   // a check, or commit status, failed on the head
	ThreadItem  ItemKind = "thread"  // a thread of review comments on a line whose last comment has no answer yet
	ReviewItem  ItemKind = "review"  // a review with a text, or one that requests changes, without an answer; approvals do not count
	CommentItem ItemKind = "comment" // a comment without an answer that mentions us, or begins with /longshift and is no order
)

// Item is one thing to do: a failed check, or something that a person with write access has written.
type Item struct {
	Key    string    `json:"key"` // stable: "check:NAME", "thread:ID", "review:ID", "comment:ID"; at most 206 bytes
	Kind   ItemKind  `json:"kind"`
	By     string    `json:"by,omitempty"`   // user name; at most 80 bytes
	Path   string    `json:"path,omitempty"` // ThreadItem: of the file; at most 200 bytes
	Line   int       `json:"line,omitempty"`
	Text   string    `json:"text"`           // cleaned, at most 4 KiB: what people wrote, or the check's summary
	Hunk   string    `json:"hunk,omitempty"` // ThreadItem: the commented lines; at most 2 KiB
	Log    string    `json:"log,omitempty"`  // CheckItem: the end of its log, without times and colours; at most 4 KiB
	Sign   string    `json:"sign,omitempty"` // CheckItem: the same for the same failure on another head (see Sign)
	URL    string    `json:"url,omitempty"`  // http or https, at most 300 bytes; "" for others
	Last   int64     `json:"last,omitempty"` // id of its last comment, which an answer refers to
	At     time.Time `json:"at,omitzero"`
	Change bool      `json:"change,omitempty"` // ReviewItem: it requests changes
}

// Reply is the answer to one item.
type Reply struct {
	Item Item   `json:"item"`
	Text string `json:"text"` // Markdown, untrusted
	Key  string `json:"key"`  // in the hidden mark: the task's id, the item's key and Last
}
