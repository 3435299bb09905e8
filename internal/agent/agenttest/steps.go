package agenttest

import (
	"cmp"
	"encoding/json"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/task"
)

// Step is one thing that an agent does in a session of the suite. Exactly one field is set.
type Step struct {
	Say     string          // say this; as the last step it is the final text
	Write   *File           // write a file with the agent's own file tool
	Command string          // run this with bash in the workspace
	Answer  json.RawMessage // end with this structured answer
	Silent  bool            // never come back: the model is silent
}

// File is a file to be written, its path relative to the workspace.
type File struct{ Path, Content string }

// Fixture is a driver with a session whose agent takes the given steps, each once over all attempts. A resumed attempt takes the
// remaining steps; an interrupted step may be repeated.
type Fixture struct {
	Agent   agent.Agent
	Session agent.Session // with fresh folders, ready to run
	Crash   func()        // kills the running agent with signal 9; nil when it has no process of its own
	Model   *Server       // that the agent asks; nil when it asks none

	driver Driver
}

// Factory makes a fixture for a session in the role. It cleans up through t.
type Factory func(t *testing.T, role task.Role, steps ...Step) Fixture

// Turns are the steps as turns of a scripted model, for agents that write files with Write and run commands with Bash.
func Turns(steps []Step) []Turn {
	var turns []Turn
	said := ""
	for _, s := range steps {
		t := Turn{Text: said}
		switch {
		case s.Say != "":
			if said != "" {
				turns = append(turns, t)
			}
			said = s.Say
			continue
		case s.Write != nil:
			t.Tools = []Tool{{Name: "Write", Input: map[string]any{"file_path": s.Write.Path, "content": s.Write.Content}}}
		case s.Command != "":
			t.Tools = []Tool{{Name: "Bash", Input: map[string]any{"command": s.Command, "description": "a step"}}}
		case s.Answer != nil:
			t.Answer = s.Answer
		case s.Silent:
			t.Fault = &Fault{Hang: true}
			t.Text = cmp.Or(t.Text, "never said")
		}
		turns, said = append(turns, t), ""
	}
	if said != "" {
		turns = append(turns, Turn{Text: said})
	}
	return turns
}
