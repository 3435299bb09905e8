package signals

import (
	"strings"
	"time"

	"github.com/longshift/longshift/internal/task"
)

// Ask is the update by which a host asks a person whether a command may run: a Question goes in, an Answer comes back, at once
// when there is one and after the time of commands.wait at the latest. It is for hosts; there is no signal of that name.
const Ask = "ask"

// Question is a command that policy leaves to a person, or a push (see Push).
type Question struct {
	ID      string    `json:"id"`      // of the exact text, its folder and the task; an approval is bound to it
	Session int       `json:"session"` // number of the session that asks
	Role    task.Role `json:"role"`
	Tool    string    `json:"tool"`
	Command string    `json:"command"`       // as people see it: escapes visible, secrets hidden, at most 4 KiB; of a push what deserves a second look in it
	Dir     string    `json:"dir,omitempty"` // below the workspace; empty for its root
	Rule    string    `json:"rule"`          // the rule that asks
	Reason  string    `json:"reason"`        // why, in a sentence
	Asked   time.Time `json:"asked,omitzero"`
	Expires time.Time `json:"expires,omitzero"` // no answer by then is a no; a push waits as long as it takes
}

// PushID begins the id of a question that is about a push of the task's branch.
const PushID = "push-"

// IsPush tells whether a question with this id is about a push.
func IsPush(id string) bool { return strings.HasPrefix(id, PushID) }

// Push tells whether the question is about a push of the task's branch, which no session has asked for.
func (q Question) Push() bool { return IsPush(q.ID) }

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
	Expires time.Time `json:"expires,omitzero"` // for Yes: the command must be asked about again after it
}
