package task

// Finding is a change of a file that people should review first, because it starts something automatically, points elsewhere, or is easy
// to overlook.
type Finding struct {
	ID     string        `json:"id"` // hash of the kind, the file and its content; an approval is bound to it
	Kind   string        `json:"kind"`
	Path   string        `json:"path,omitempty"` // with hidden characters escaped; empty if it stands for several files
	What   string        `json:"what"`
	Action FindingAction `json:"action"`
}

// PathsFinding is the kind of findings about files that the settings let no agent change. They are always refused.
const PathsFinding = "paths"

// Kinds of findings by which others tell what a change is about.
const (
	LocksFinding = "locks" // in lock files
	TestsFinding = "tests" // removed, skipped or changed tests, and what decides which run
)

// FindingAction is what the operator wants done about a kind of finding.
type FindingAction string

// The actions, from the laxest to the strictest.
const (
	AllowFinding  FindingAction = "allow"  // nothing is reported
	NameFinding   FindingAction = "name"   // the pull request and the reviewer are informed
	AskFinding    FindingAction = "ask"    // a person decides before the branch is pushed
	RefuseFinding FindingAction = "refuse" // it must be removed before the branch is pushed
)

// String formats the finding on one line for people.
func (f Finding) String() string {
	text := f.Kind
	if f.Path != "" {
		text += " " + f.Path
	}
	return text + ": " + f.What
}
