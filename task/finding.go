package task

// Finding is a change of a file that people should look at before all others, because it starts something by itself, leads
// elsewhere, or is easily overlooked.
type Finding struct {
	ID     string        `json:"id"` // of the kind, the file and its content: an approval is bound to it
	Kind   string        `json:"kind"`
	Path   string        `json:"path,omitempty"` // with every hidden character written out; empty where it stands for several
	What   string        `json:"what"`
	Action FindingAction `json:"action"`
}

// FindingAction is what the operator wants done about a kind of findings.
type FindingAction string

// The actions, from the laxest to the strictest.
const (
	AllowFinding  FindingAction = "allow"  // nothing is said
	NameFinding   FindingAction = "name"   // the pull request and the reviewer are told
	AskFinding    FindingAction = "ask"    // a person decides before the branch is pushed
	RefuseFinding FindingAction = "refuse" // it has to go before the branch is pushed
)

// String is one line for people.
func (f Finding) String() string {
	text := f.Kind
	if f.Path != "" {
		text += " " + f.Path
	}
	return text + ": " + f.What
}
