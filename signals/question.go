package signals

import (
	"cmp"
	"strings"
	"time"

	"github.com/longshift/longshift/task"
)

// Ask is the update by which a host asks a person whether a command may run. It takes a Question and returns an Answer, as soon as there
// is one and at the latest after commands.wait. Only hosts use it; there is no signal of that name.
const Ask = "ask"

// Question is a command that policy leaves to a person, or a push (see Push).
type Question struct {
	ID      string    `json:"id"`               // hash of the exact text, its folder, the task and Files; an approval is bound to it
	TextID  string    `json:"textId,omitempty"` // the same hash without Files; empty if there are none
	Session int       `json:"session"`          // number of the session that has asked
	Role    task.Role `json:"role"`
	Tool    string    `json:"tool"`
	Command string    `json:"command"`           // for people: escapes visible, secrets hidden, at most 4 KiB; a push's changes
	Dir     string    `json:"dir,omitempty"`     // relative to the workspace; empty for its root
	Files   []File    `json:"files,omitempty"`   // files that the command names, with checksums
	Changed []string  `json:"changed,omitempty"` // files that have changed since the command was last asked about
	Rule    string    `json:"rule"`              // rule that has caused the question
	Reason  string    `json:"reason"`            // reason, in one sentence
	AtOnce  bool      `json:"atOnce,omitempty"`  // the session does not wait: the answer is Later unless there is one already
	Asked   time.Time `json:"asked,omitzero"`
	Expires time.Time `json:"expires,omitzero"` // without an answer by then, it may not run for now; a push waits without limit
}

// File is a file that a command names. Its content stays on the host.
type File struct {
	Path string `json:"path"`          // for people, relative to the workspace if it lies there
	Sum  string `json:"sum,omitempty"` // start of the content's SHA-256; empty if an approval can't be bound to it
}

// PushID is the prefix of ids of questions about a push of the task's branch.
const PushID = "push-"

// IsPush reports whether a question with this id is about a push.
func IsPush(id string) bool { return strings.HasPrefix(id, PushID) }

// Push reports whether the question is about a push of the task's branch, which no session has asked for.
func (q Question) Push() bool { return IsPush(q.ID) }

// Text returns the id of the command regardless of its files' content.
func (q Question) Text() string { return cmp.Or(q.TextID, q.ID) }

// Bound says in a sentence or two what an approval is bound to in addition to the text, "" for nothing.
func (q Question) Bound() string {
	var bound, not []string
	for _, f := range q.Files {
		if f.Sum == "" {
			not = append(not, f.Path)
			continue
		}
		bound = append(bound, f.Path+" ("+f.Sum+")")
	}
	text := ""
	if len(q.Changed) > 0 {
		text += "Changed since it was last asked: " + strings.Join(q.Changed, ", ") + ". "
	}
	if len(bound) > 0 {
		text += "An approval is bound to the content of " + strings.Join(bound, ", ") + ". "
	}
	if len(not) > 0 {
		text += "It can't be bound to the content of " + strings.Join(not, ", ") + ". "
	}
	return strings.TrimSuffix(text, " ")
}

// ForTask describes the wider approval; all channels use this text.
const ForTask = "every time, whatever its files contain then"

// Verdict answers a Question.
type Verdict string

// The verdicts. Later means that nobody has answered yet.
const (
	Yes   Verdict = "allow"
	No    Verdict = "deny"
	Later Verdict = "later"
)

type Answer struct {
	Verdict Verdict   `json:"verdict"`
	By      string    `json:"by,omitempty"`
	Note    string    `json:"note,omitempty"`
	Expires time.Time `json:"expires,omitzero"`  // when the command must be asked about again; zero if the answer is lasting
	ForTask bool      `json:"forTask,omitempty"` // for Yes: valid for every run, whatever the files contain; otherwise once

	// for No: nobody has said it, in time or before the task was resumed. It is valid once, so that a person can still allow the command.
	Unanswered bool `json:"unanswered,omitempty"`
}

// Lasting reports whether the answer is valid for every run of the text, and not only for one run of these files.
func (a Answer) Lasting() bool { return a.Verdict == No && !a.Unanswered || a.ForTask }
