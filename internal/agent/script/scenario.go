package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// Scenario lists what agents do, session by session, in YAML or JSON.
type Scenario struct {
	Pace     *float64 `yaml:"pace"` // factor for all pauses; 1 by default
	Sessions []Entry  `yaml:"sessions"`
}

// Entry is what the sessions that it matches play. The first matching entry is used. Missing conditions match everything.
type Entry struct {
	Role        task.Role `yaml:"role"`
	Deliverable string    `yaml:"deliverable"` // id of the deliverable that the prompt asks for
	Match       string    `yaml:"match"`       // text that the prompt contains
	Nth         int       `yaml:"nth"`         // the nth session that matches the rest, from 1; counted in the git workspace
	Steps       []Step    `yaml:"steps"`
}

// Step is one action. Exactly one field is set.
type Step struct {
	Say    string `yaml:"say"`    // text of the agent; may contain markers
	Write  *File  `yaml:"write"`  // writes a file
	Edit   *Edit  `yaml:"edit"`   // replaces text in a file
	Run    string `yaml:"run"`    // bash command in the workspace; its failure is reported and does not end the session
	Pause  string `yaml:"pause"`  // a duration
	Usage  *Usage `yaml:"usage"`  // usage of one model call, added to the session's
	Answer any    `yaml:"answer"` // the structured answer
	End    *End   `yaml:"end"`    // ends the session; later steps are played when the session is resumed
}

// File is a file to write. Its path is relative to the workspace.
type File struct {
	Path    string `yaml:"path"`
	Content string `yaml:"content"`
}

// Edit replaces the only occurrence of Old.
type Edit struct {
	Path string `yaml:"path"`
	Old  string `yaml:"old"`
	New  string `yaml:"new"`
}

// Usage is the usage of one model call.
type Usage struct {
	Input      int64   `yaml:"input"`
	Output     int64   `yaml:"output"`
	CacheRead  int64   `yaml:"cacheRead"`
	CacheWrite int64   `yaml:"cacheWrite"`
	CostUSD    float64 `yaml:"costUsd"`
}

// End is how a session ends: "completed", or in the long form {kind: quota, in: 2m, text: ...}.
type End struct {
	Kind agent.OutcomeKind `yaml:"kind"`
	In   string            `yaml:"in"`   // for quota: time until it is available again; unknown by default
	Text string            `yaml:"text"` // text of the outcome
}

func (e *End) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return n.Decode(&e.Kind)
	}
	type plain End
	return n.Decode((*plain)(e))
}

// Parse parses a scenario. Unknown keys, steps with no or several actions, and invalid values are errors.
func Parse(data []byte) (Scenario, error) {
	var sc Scenario
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&sc); err != nil && !errors.Is(err, io.EOF) {
		return Scenario{}, fault.New(fault.Input, "scenario: %s", strings.ReplaceAll(err.Error(), "\n", " ")).
			WithHint("a scenario is a list of sessions, each with steps")
	}
	if len(sc.Sessions) == 0 {
		return Scenario{}, fault.New(fault.Input, "scenario: has no sessions").WithHint("list at least one under sessions")
	}
	for i, e := range sc.Sessions {
		if err := e.check(); err != nil {
			return Scenario{}, fault.New(fault.Input, "scenario: sessions[%d]%s", i, err).WithHint("correct the scenario")
		}
	}
	return sc, nil
}

func (e Entry) check() error {
	switch e.Role {
	case "", task.Planner, task.Implementer, task.Reviewer:
	default:
		return fmt.Errorf(".role is %q; use planner, implementer or reviewer", e.Role)
	}
	if e.Nth < 0 {
		return fmt.Errorf(".nth is %d; count from 1", e.Nth)
	}
	if len(e.Steps) == 0 {
		return errors.New(".steps is empty")
	}
	for i, s := range e.Steps {
		if err := s.check(); err != nil {
			return fmt.Errorf(".steps[%d] %w", i, err)
		}
	}
	return nil
}

func (s Step) check() error {
	n := 0
	for _, set := range []bool{s.Say != "", s.Write != nil, s.Edit != nil, s.Run != "",
		s.Pause != "", s.Usage != nil, s.Answer != nil, s.End != nil} {
		if set {
			n++
		}
	}
	if n != 1 {
		return fmt.Errorf("has %d things to do; one of say, write, edit, run, pause, usage, answer and end makes a step", n)
	}
	switch {
	case s.Write != nil:
		return local(s.Write.Path)
	case s.Edit != nil && (s.Edit.Old == "" || s.Edit.Old == s.Edit.New):
		return errors.New("edits nothing; give old and new")
	case s.Edit != nil:
		return local(s.Edit.Path)
	case s.Pause != "":
		if d, err := time.ParseDuration(s.Pause); err != nil || d < 0 {
			return fmt.Errorf("pauses for %q; give a duration such as 2s", s.Pause)
		}
	case s.Answer != nil:
		if _, err := json.Marshal(s.Answer); err != nil {
			return fmt.Errorf("answers what is no JSON: %w", err)
		}
	case s.End != nil:
		return s.End.check()
	}
	return nil
}

func (e End) check() error {
	switch e.Kind {
	case agent.Completed, agent.Budget, agent.Turns, agent.Quota, agent.Errored, agent.AuthFailed, agent.NeedsApproval, agent.Looped:
	default:
		return fmt.Errorf("ends with %q; use completed, budget, turns, quota, error, auth, needs_approval or loop", e.Kind)
	}
	if d, err := time.ParseDuration(e.In); e.In != "" && (err != nil || d < 0 || e.Kind != agent.Quota) {
		return fmt.Errorf("ends in %q; give a duration such as 2m, with the kind quota", e.In)
	}
	return nil
}

// local rejects paths outside of the workspace or in .git.
func local(path string) error {
	first, _, _ := strings.Cut(filepath.ToSlash(filepath.Clean(path)), "/")
	if path == "" || !filepath.IsLocal(path) || first == ".git" {
		return fmt.Errorf("has the path %q; give one inside the workspace", path)
	}
	return nil
}

// load reads the session's scenario: "demo", a file (a relative path is in the workspace), or the text itself.
func load(s agent.Session) (Scenario, error) {
	name := s.Scenario
	switch {
	case name == "":
		return Scenario{}, fault.New(fault.Input, "the script agent has no scenario").
			WithHint(`set scenario to "demo" or to the path of a scenario file`)
	case name == "demo":
		return Parse(Demo())
	case strings.Contains(name, "\n") || strings.HasPrefix(name, "{"):
		return Parse([]byte(name))
	case !filepath.IsAbs(name):
		name = filepath.Join(s.Dir, name)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return Scenario{}, fault.New(fault.Input, "read scenario: %w", err).WithHint(`set scenario to "demo" or to the path of a scenario file`)
	}
	return Parse(data)
}
