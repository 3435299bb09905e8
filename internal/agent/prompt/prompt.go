// Package prompt writes the prompts of agents: the system text of a role, which is the same for all its sessions in one task, and the
// user's turn, which contains everything that varies. It may import only task, fault and excerpt, reads files only through the given
// function, and knows no agent.
package prompt

import (
	"bytes"
	"embed"
	"fmt"
	"strings"
	"text/template"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

//go:embed templates/*.md
var templates embed.FS

// Conventions are the settings that all sessions of a task share. Repositories may use those that open names in their own instructions
// (see Files).
type Conventions struct {
	Specs    string `json:"specs,omitempty"`    // folder of the specifications, "" for none
	Setup    string `json:"setup,omitempty"`    // setup command, "" for none
	Check    string `json:"check,omitempty"`    // check command, "" for none
	Commits  string `json:"commits,omitempty"`  // incremental or single
	MaxLines int    `json:"maxLines,omitempty"` // lines that a pull request should keep to, 0 for no limit
	Tools    bool   `json:"tools,omitempty"`    // the agent reports by tools
}

// Data is what varies between sessions. Fields that do not apply are left empty.
type Data struct {
	Conventions
	Task        string       `json:"task,omitempty"`
	Issue       *task.Issue  `json:"issue,omitempty"` // its text is marked as untrusted data
	RequestedBy *task.Person `json:"requestedBy,omitempty"`
	Spec        []string     `json:"spec,omitempty"`     // files and folders with the specification to carry out
	Recorded    int          `json:"recorded,omitempty"` // how many deliverables the status file of the specification lists
	Sync        bool         `json:"sync,omitempty"`     // only the status file is to change
	Open        []string     `json:"open,omitempty"`     // ids of those among them that are not done
	Others      []string     `json:"others,omitempty"`   // files and folders of other specifications, whose deliverables it lists too
	Images      []task.Image `json:"images,omitempty"`   // that the agent is given with the prompt, in this order
	Plan        *task.Plan   `json:"plan,omitempty"`
	Progress    []task.Entry `json:"progress,omitempty"`
	Work
	Review   string       `json:"review,omitempty"` // the review that asked for changes
	Edit     string       `json:"edit,omitempty"`   // changes to the plan that a person asks for
	EditBy   *task.Person `json:"editBy,omitempty"`
	Messages []Message    `json:"tells,omitempty"` // messages from people
	Change
	Resumed bool     `json:"resumed,omitempty"` // an earlier attempt was interrupted
	Unset   []string `json:"unset,omitempty"`   // variables that the project needs and the session lacks
}

// Work is the work to do and its state so far.
type Work struct {
	Deliverable *task.Deliverable `json:"deliverable,omitempty"` // the deliverable to do
	Left        int               `json:"left,omitempty"`        // number of deliverables pending after it
	Feedback    *Feedback         `json:"feedback,omitempty"`    // origin of a deliverable that comes from the pull request
	Result      *Result           `json:"result,omitempty"`      // of the check command now
	Before      *Result           `json:"before,omitempty"`      // of the check command on the base, if it failed there
	Fixing      int               `json:"fixing,omitempty"`      // number of the session that fixes this deliverable, 0 for none
	Refused     string            `json:"refused,omitempty"`     // why the commit of the work was refused, "" if it was not
}

// Change is what a reviewer reviews.
type Change struct {
	BaseCommit string         `json:"baseCommit,omitempty"` // "" when the repository was empty
	Diff       string         `json:"diff,omitempty"`       // git diff, possibly truncated
	DiffPath   string         `json:"diffPath,omitempty"`   // file with the whole diff if it does not fit into a prompt
	Sensitive  []task.Finding `json:"sensitive,omitempty"`  // changes that deserve a second look
}

// Result is the result of a check command.
type Result struct {
	Command string   `json:"command,omitempty"`
	Exit    int      `json:"exit,omitempty"`
	Tail    string   `json:"tail,omitempty"`    // end of its output
	Path    string   `json:"path,omitempty"`    // file with the whole output for the agent, "" for none
	Failing []string `json:"failing,omitempty"` // names of failing tests, if known
	Flaky   bool     `json:"flaky,omitempty"`   // it failed and then passed when it was repeated
	OnBase  bool     `json:"onBase,omitempty"`  // the task has changed nothing yet

	Ran       *task.Ran `json:"ran,omitempty"`       // tests, if the output says how many
	RanBefore *task.Ran `json:"ranBefore,omitempty"` // on the base, when they were more
}

// Feedback is what a person or a check has said about an open pull request.
type Feedback struct {
	By   *task.Person `json:"by,omitempty"`   // a person with write access; nil for a check
	What string       `json:"what,omitempty"` // "a failed check", "a review comment on a line"
	Name string       `json:"name,omitempty"` // name of the check, or file and line; untrusted
	Text string       `json:"text,omitempty"`
	Hunk string       `json:"hunk,omitempty"` // lines that it refers to
	Log  string       `json:"log,omitempty"`  // end of the check's log
}

type Message struct {
	From *task.Person `json:"from,omitempty"`
	Text string       `json:"text,omitempty"`
}

// Quote is the message with whoever has sent it, on its own.
func (m Message) Quote() string {
	if m.From != nil && m.From.Name != "" {
		return m.From.Name + " says: " + m.Text
	}
	return "A person says: " + m.Text
}

// System returns the system text of a role: who it is, what it does, the project's notes, and how it reports. It is the same for all
// sessions of a role in one task, so an agent can be started before its prompt is known. A repository can replace the instruction, but
// not the contract for reports.
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
		"\n\n# How you report\n\nThis applies whatever is written above.\n\n" + contract + "\n", nil
}

// User returns the user's turn of a session.
func User(role task.Role, d Data) (string, error) { return turn(role, "user", d) }

// Nudge returns the user's turn that continues a session which ended without a report.
func Nudge(role task.Role, d Data) (string, error) { return turn(role, "nudge", d) }

// Again returns the user's turn that continues an interrupted session whose conversation holds the first one.
func Again(role task.Role, d Data) (string, error) { return turn(role, "again", d) }

// SoFar is what a session is told of the task so far: the plan, then the progress log. It is "" for the first session.
func SoFar(d Data) string {
	var parts []string
	if d.Plan != nil {
		parts = append(parts, "# Plan\n\n"+strings.TrimSpace(d.Plan.Markdown()))
	}
	if len(d.Progress) > 0 {
		parts = append(parts, "# Progress log (oldest first)\n\n"+progressLog(d.Progress))
	}
	return strings.Join(parts, "\n\n")
}

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
