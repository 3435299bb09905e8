package signals

// Undo is the workflow type that takes back what an ended task has left outside: it closes the pull request, and deletes the task's branch,
// checkpoint and fence. Its input is an UndoInput, its result an Undone.
const Undo = "Undo"

// UndoID is the workflow id of the one Undo of a task.
func UndoID(workflowID string) string { return "undo-" + workflowID }

// UndoInput names what a task may have left.
type UndoInput struct {
	TaskID      string   `json:"taskId"`
	Repository  string   `json:"repository"`
	Fork        bool     `json:"fork,omitempty"`        // the task's branch and refs are in a fork
	PullRequest int      `json:"pullRequest,omitempty"` // number; 0 for none
	Branch      string   `json:"branch,omitempty"`
	Heads       []string `json:"heads,omitempty"` // commits that the task has pushed to its branch last; at another one the branch stays
}

// Undone says what was done. Nothing is set when nothing was left to do.
type Undone struct {
	Closed  bool     `json:"closed,omitempty"`  // the pull request was open
	Deleted []string `json:"deleted,omitempty"` // full names of refs
	NoFork  bool     `json:"noFork,omitempty"`  // there is no fork of the repository's name: it was deleted, or has another name
	Moved   string   `json:"moved,omitempty"`   // commit of the branch, when it stays because somebody has moved it
}
