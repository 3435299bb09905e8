package forge

import (
	"time"

	"github.com/longshift/longshift/task"
)

// Summary is what a pull request says about its task. Every field but Title may be empty; its line is then left out. Texts may come
// from a model or from strangers: Compose neutralises them.
type Summary struct {
	Title        string             `json:"title,omitempty"`    // one line; the first line of Overview or Task when empty
	Task         string             `json:"task,omitempty"`     // what was asked for
	Images       []task.Image       `json:"images,omitempty"`   // that belong to what was asked for
	Overview     string             `json:"overview,omitempty"` // how it was planned: Markdown
	Deliverables []task.Deliverable `json:"deliverables,omitempty"`
	Recorded     *Recorded          `json:"recorded,omitempty"` // what else is recorded of a specification; nil without one
	Checks       []Check            `json:"checks,omitempty"`
	Before       *Check             `json:"before,omitempty"`    // the check on the base, when it failed there
	RanBefore    *task.Ran          `json:"ranBefore,omitempty"` // tests that the check ran on the base
	Unchecked    bool               `json:"unchecked,omitempty"` // there is no check command
	Review       *task.Review       `json:"review,omitempty"`
	Sensitive    []task.Finding     `json:"sensitive,omitempty"` // changes that deserve a second look
	Findings     []string           `json:"findings,omitempty"`  // what agents want people to look at before they merge
	ToRead       []task.ChangedFile `json:"toRead,omitempty"`    // changed files, those to read first in front; not all of many
	Notes        []string           `json:"notes,omitempty"`     // what agents decided and saw
	Files        int                `json:"files,omitempty"`     // files changed
	Added        int                `json:"added,omitempty"`     // lines
	Removed      int                `json:"removed,omitempty"`   // lines
	Routine      int                `json:"routine,omitempty"`   // lines added and removed in files that programs write
	MaxLines     int                `json:"maxLines,omitempty"`  // what the pull request should keep to without those; 0 for no limit
	Usage        task.Usage         `json:"usage,omitzero"`
	Sessions     int                `json:"sessions,omitempty"`
	Turns        int                `json:"turns,omitempty"`
	Duration     time.Duration      `json:"duration,omitempty"` // running time, without waits for people
	RequestedBy  *task.Person       `json:"requestedBy,omitempty"`
	Issue        *task.Issue        `json:"issue,omitempty"`    // the merge closes it when it has a number on this forge
	RunURL       string             `json:"runUrl,omitempty"`   // page of the run in Temporal Web
	Followed     bool               `json:"followed,omitempty"` // Longshift works on what people ask for on the pull request
}

// Recorded is what a pull request changes of the deliverables that the repository has on record.
type Recorded struct {
	Only    bool     `json:"only,omitempty"`    // it changes nothing else
	Dropped []string `json:"dropped,omitempty"` // "FEAT-001: text" of those that the specification no longer asks for
}

type Check struct {
	Command  string        `json:"command,omitempty"`
	Passed   bool          `json:"passed,omitempty"`
	Exit     int           `json:"exit,omitempty"`    // exit code
	Flaky    bool          `json:"flaky,omitempty"`   // it failed first and passed when it was run again
	Known    bool          `json:"known,omitempty"`   // each of its failing tests failed on the base
	Failing  []string      `json:"failing,omitempty"` // names of failing tests, where they are known
	Ran      *task.Ran     `json:"ran,omitempty"`     // tests, where the output says how many
	Tail     string        `json:"tail,omitempty"`    // end of its output
	Duration time.Duration `json:"duration,omitempty"`
}
