package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/atomicfile"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// stateFile is the file in a session's state folder that stores its progress.
const stateFile = "script.json"

// state is the progress of a session. It is written after every step.
type state struct {
	Entry  int             `json:"entry"` // index in the scenario
	Steps  string          `json:"steps"` // hash of its steps, to detect a changed scenario
	Next   int             `json:"next"`  // the next step
	Usage  task.Usage      `json:"usage"`
	Turns  int             `json:"turns"`
	Text   string          `json:"text,omitempty"` // last text of the agent
	Answer json.RawMessage `json:"answer,omitempty"`
	Ended  *agent.Outcome  `json:"ended,omitempty"` // outcome of the last attempt
}

// read returns false if there is no state because the session has not started.
func (s *state) read(file string) (bool, error) { return readJSON(file, s) }

// readJSON reads a state file and reports whether it exists. An unreadable file is a fault that a person must fix.
func readJSON(file string, into any) (bool, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fault.New(fault.Infra, "read state: %w", err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return false, fault.New(fault.Input, "%s is damaged: %w", file, err).WithHint("move it away to start the session afresh")
	}
	return true, nil
}

// writeJSON replaces a file atomically.
func writeJSON(file string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("write state: %w", err)
	}
	if err := atomicfile.Write(file, append(data, '\n')); err != nil {
		return fault.New(fault.Infra, "write state: %w", err)
	}
	return nil
}
