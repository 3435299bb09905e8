package watch

import (
	"time"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// The types of events.
const (
	eventWaiting   = "waiting"   // there is nothing to do
	eventFound     = "found"     // a file has its task, or the task of one runs already
	eventStarted   = "started"   // its turn has come
	eventBlocked   = "blocked"   // it waits for a person, and the files behind it with it where blocks is true
	eventUnblocked = "unblocked" // it does so no more
	eventEnded     = "ended"
	eventKept      = "kept"      // a file stays where it is, and why
	eventError     = "error"     // something does not work; it is tried again
	eventRecovered = "recovered" // it works again
)

// event is something that has changed.
type event struct {
	Type        string         `json:"type"`
	Time        time.Time      `json:"time"`
	File        string         `json:"file,omitempty"`
	Title       string         `json:"title,omitempty"`
	Task        string         `json:"task,omitempty"`
	Run         string         `json:"run,omitempty"`
	Web         string         `json:"web,omitempty"`
	Running     bool           `json:"running,omitempty"` // found: it was begun by somebody else, or by an earlier watch
	Reason      signals.Reason `json:"reason,omitempty"`
	Blocks      bool           `json:"blocks,omitempty"` // blocked: no other file is begun meanwhile
	Outcome     task.Outcome   `json:"outcome,omitempty"`
	PullRequest string         `json:"pullRequest,omitempty"`
	Removed     bool           `json:"removed,omitempty"` // ended: the file is gone
	Edited      bool           `json:"edited,omitempty"`  // kept: it is new work
	Sessions    int            `json:"sessions,omitempty"`
	CostUSD     float64        `json:"costUsd,omitempty"`
	Seconds     float64        `json:"seconds,omitempty"`
	Files       []string       `json:"files,omitempty"`  // waiting: what lies there and is not begun
	Detail      string         `json:"detail,omitempty"` // for people
}
