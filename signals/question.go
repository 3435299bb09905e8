package signals

import (
	"cmp"
	"strings"
	"time"

	"github.com/longshift/longshift/task"
)

// Ask is the update by which a host asks a person whether a command may run: a Question goes in, an Answer comes back, at once
// when there is one and after the time of commands.wait at the latest. It is for hosts; there is no signal of that name.
const Ask = "ask"

// Question is a command that policy leaves to a person, or a push (see Push).
type Question struct {
	ID      string    `json:"id"`               // of the exact text, its folder, the task and Files; an approval is bound to it
	TextID  string    `json:"textId,omitempty"` // of the same without Files; empty where there are none
	Session int       `json:"session"`          // number of the session that asks
	Role    task.Role `json:"role"`
	Tool    string    `json:"tool"`
	Command string    `json:"command"`           // as people see it: escapes visible, secrets hidden, at most 4 KiB; of a push what deserves a second look in it
	Dir     string    `json:"dir,omitempty"`     // below the workspace; empty for its root
	Files   []File    `json:"files,omitempty"`   // that the command names, with what they hold
	Changed []string  `json:"changed,omitempty"` // of these, those that are not as they were when the command was last asked about
	Rule    string    `json:"rule"`              // the rule that asks
	Reason  string    `json:"reason"`            // why, in a sentence
	Asked   time.Time `json:"asked,omitzero"`
	Expires time.Time `json:"expires,omitzero"` // no answer by then is a no; a push waits as long as it takes
}

// File is a file that a command names. Its content stays on the host.
type File struct {
	Path string `json:"path"`          // as people see it, below the workspace where it lies there
	Sum  string `json:"sum,omitempty"` // the beginning of the SHA-256 of what it holds; empty where an approval can't be bound to that
}

// PushID begins the id of a question that is about a push of the task's branch.
const PushID = "push-"

// IsPush tells whether a question with this id is about a push.
func IsPush(id string) bool { return strings.HasPrefix(id, PushID) }

// Push tells whether the question is about a push of the task's branch, which no session has asked for.
func (q Question) Push() bool { return IsPush(q.ID) }

// Text gives the id of the command whatever its files hold.
func (q Question) Text() string { return cmp.Or(q.TextID, q.ID) }

// Bound says in a sentence or two what an approval is bound to beside the text, "" when that is nothing.
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

// ForTask says what the wider approval means, in the words of all channels.
const ForTask = "as often as it comes, whatever its files hold then"

// Verdict answers a Question.
type Verdict string

// The verdicts. Later means that nobody has answered yet.
const (
	Yes   Verdict = "allow"
	No    Verdict = "deny"
	Later Verdict = "later"
)

// Answer is what came of a Question.
type Answer struct {
	Verdict Verdict   `json:"verdict"`
	By      string    `json:"by,omitempty"`
	Note    string    `json:"note,omitempty"`
	Expires time.Time `json:"expires,omitzero"`  // for Yes: the command must be asked about again after it; zero for one that is ForTask
	ForTask bool      `json:"forTask,omitempty"` // for Yes: as often as the text comes, whatever its files hold; without it, once
}

// Lasting tells whether the answer holds for the text as often as it comes, and not only for one run of these files.
func (a Answer) Lasting() bool { return a.Verdict == No || a.ForTask }
