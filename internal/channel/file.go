package channel

import (
	"context"

	"github.com/longshift/longshift/task"
)

// File is a text that people open beside the messages.
type File struct {
	Key  string // unique within its room, at most 64 bytes
	Name string // such as "pull-request-12.diff"; a channel may add to it
	Note string // Markdown, one line that is shown with it
	Text string // not empty
}

// An Attacher is a channel that can write files. Errors are those of Channel.
type Attacher interface {
	// Attach writes a file. again means that an earlier call with the same key may have succeeded: it then looks for the
	// file before it writes.
	Attach(ctx context.Context, to task.Room, f File, again bool) error
}
