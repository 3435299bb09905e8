package task

// ChangedFile is a file that a task has changed, as the pull request names it for its readers.
type ChangedFile struct {
	Path    string `json:"path"`              // with hidden characters escaped
	Added   int    `json:"added,omitempty"`   // lines
	Removed int    `json:"removed,omitempty"` // lines
	Why     string `json:"why,omitempty"`     // why people should read it now, or need not, in a word or two
	Routine bool   `json:"routine,omitempty"` // programs write it: lock files, generated code
}

// Lines returns the number of lines that differ.
func (f ChangedFile) Lines() int { return f.Added + f.Removed }
