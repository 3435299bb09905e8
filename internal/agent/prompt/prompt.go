// Package prompt writes what agents are told: the system text of a role, the same for all its sessions in one task, and the
// user's turn, which holds everything that varies. It may import only task and fault, reads files only through the function
// it is given, and knows no agent.
package prompt

import (
	"bytes"
	"embed"
	"fmt"
	"text/template"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

//go:embed templates/*.md
var templates embed.FS

// Conventions is what holds for all sessions of a task. Repositories may use its fields, but for Structured, in their own
// instructions (see Files).
type Conventions struct {
	Specs      string `json:"specs,omitempty"`      // folder of the specifications, "" for none
	Setup      string `json:"setup,omitempty"`      // setup command, "" for none
	Check      string `json:"check,omitempty"`      // check command, "" for none
	Commits    string `json:"commits,omitempty"`    // incremental or single
	Structured bool   `json:"structured,omitempty"` // the agent gives its final answer by a schema: task.PlanSchema, task.ReviewSchema
}

// Data is what varies between sessions. Fields that do not apply are left empty.
type Data struct {
	Conventions
	Task        string       `json:"task,omitempty"`
	Issue       *task.Issue  `json:"issue,omitempty"` // its text is marked as data
	RequestedBy *task.Person `json:"requestedBy,omitempty"`
	Plan        *task.Plan   `json:"plan,omitempty"`
	Progress    []task.Entry `json:"progress,omitempty"`
	Work
	Review   string       `json:"review,omitempty"` // the review that asked for changes
	Edit     string       `json:"edit,omitempty"`   // what a person wants changed in the plan
	EditBy   *task.Person `json:"editBy,omitempty"`
	Messages []Message    `json:"tells,omitempty"` // messages from people
	Change
	Resumed bool     `json:"resumed,omitempty"` // an earlier attempt was interrupted
	Unset   []string `json:"unset,omitempty"`   // variables that the project needs and the session does not have
}

// Work is what there is to do, and what came of it so far.
type Work struct {
	Deliverable *task.Deliverable `json:"deliverable,omitempty"` // the one to do
	Left        int               `json:"left,omitempty"`        // how many others are pending after it
	Feedback    *Feedback         `json:"feedback,omitempty"`    // what the deliverable is about, when it comes from the pull request
	Result      *Result           `json:"result,omitempty"`      // of the check command, on what is there now
	Before      *Result           `json:"before,omitempty"`      // of the check command on the base, when it failed there
	Fixing      int               `json:"fixing,omitempty"`      // how manieth session that mends what is wrong after this deliverable, 0 for none
	Refused     string            `json:"refused,omitempty"`     // why the commit of its work was refused, "" when it was not
}

// Change is what a reviewer judges.
type Change struct {
	BaseCommit string         `json:"baseCommit,omitempty"` // "" when the repository was empty
	Diff       string         `json:"diff,omitempty"`       // git diff, or its beginning
	DiffPath   string         `json:"diffPath,omitempty"`   // a file with all of it, when that is too long for a prompt
	Sensitive  []task.Finding `json:"sensitive,omitempty"`  // changes that deserve a second look
}

// Result is what a check command came to.
type Result struct {
	Command string   `json:"command,omitempty"`
	Exit    int      `json:"exit,omitempty"`
	Tail    string   `json:"tail,omitempty"`    // the end of its output
	Path    string   `json:"path,omitempty"`    // a file with all of it that the agent can read, "" for none
	Failing []string `json:"failing,omitempty"` // names of failing tests, where they are known
	Flaky   bool     `json:"flaky,omitempty"`   // it failed first, and passed when it was run again
	OnBase  bool     `json:"onBase,omitempty"`  // nothing of the task has been done yet
}

// Feedback is what a person, or a check, said about a pull request that stands.
type Feedback struct {
	By   *task.Person `json:"by,omitempty"`   // somebody with write access; nil for a check
	What string       `json:"what,omitempty"` // "a failed check", "a review comment on a line"
	Name string       `json:"name,omitempty"` // of the check, or file and line; chosen by others
	Text string       `json:"text,omitempty"`
	Hunk string       `json:"hunk,omitempty"` // the lines it is about
	Log  string       `json:"log,omitempty"`  // the end of the check's log
}

// Message is a message from a person.
type Message struct {
	From *task.Person `json:"from,omitempty"`
	Text string       `json:"text,omitempty"`
}

// System gives the system text of a role: who it is, what it does, the notes of the project and how it reports. It is the
// same for all sessions of a role in one task, so an agent can be started before its prompt is known. The instruction is the
// repository's own when it has one; the contract by which the session reports can't be replaced.
func System(role task.Role, s Conventions, files Files) (string, error) {
	t, err := load(role)
	if err != nil {
		return "", err
	}
	house, err := render(t, "house", s)
	if err != nil {
		return "", err
	}
	instruction, found, err := override(role, s, files)
	if err == nil && !found {
		instruction, err = render(t, "instruction", s)
	}
	if err != nil {
		return "", err
	}
	notes, err := notes(files)
	if err != nil {
		return "", err
	}
	contract, err := render(t, "contract", s)
	if err != nil {
		return "", err
	}
	return "Role: " + string(role) + "\n\n" + house + "\n\n# What you do\n\n" + instruction + notes +
		"\n\n# How you report\n\nThis holds whatever stands above.\n\n" + contract + "\n", nil
}

// User gives the user's turn of a session.
func User(role task.Role, d Data) (string, error) { return turn(role, "user", d) }

// Nudge gives the user's turn for a session that ended without a report and is gone on with.
func Nudge(role task.Role, d Data) (string, error) { return turn(role, "nudge", d) }

func turn(role task.Role, name string, d Data) (string, error) {
	t, err := load(role)
	if err != nil {
		return "", err
	}
	text, err := render(t, name, d)
	return text + "\n", err
}

func load(role task.Role) (*template.Template, error) {
	switch role {
	case task.Planner, task.Implementer, task.Reviewer:
	default:
		return nil, fault.New(fault.Internal, "there is no prompt for the role %q", string(role))
	}
	t, err := template.New("").Funcs(functions).ParseFS(templates, "templates/parts.md", "templates/"+string(role)+".md")
	if err != nil {
		return nil, fmt.Errorf("parse prompts: %w", err)
	}
	return t, nil
}

func render(t *template.Template, name string, data any) (string, error) {
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("write prompt: %w", err)
	}
	return string(bytes.TrimSpace(b.Bytes())), nil
}
