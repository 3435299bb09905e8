package forge

import (
	"time"

	"github.com/longshift/longshift/internal/task"
)

// Summary is what a pull request tells about the task behind it. Every field but Title may be empty; its line is then left out.
// Texts may come from a model or from strangers: Compose makes them harmless.
type Summary struct {
	Title        string // one line; the first line of Overview or Task when empty
	Task         string // what was asked for
	Overview     string // what was done: Markdown
	Deliverables []task.Deliverable
	Checks       []Check
	Review       *task.Review
	Notes        []string // what a person should look at
	Files        int      // files changed
	Added        int      // lines
	Removed      int      // lines
	Usage        task.Usage
	Sessions     int
	Turns        int
	Duration     time.Duration // running time, waits for people left out
	RequestedBy  *task.Person
	Issue        *task.Issue // closed by the merge when its number is known and it lives on the forge
	RunURL       string      // page of the run in Temporal Web
}

// Check is one run of a check command.
type Check struct {
	Command  string
	Passed   bool
	Tail     string // end of its output
	Duration time.Duration
}
