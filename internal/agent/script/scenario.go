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

// Scenario is what agents do, session by session. It is written in YAML or JSON.
type Scenario struct {
	Pace     *float64 `yaml:"pace"` // pauses are multiplied by it; 1 when left out
	Sessions []Entry  `yaml:"sessions"`
}

// Entry is what is played in the sessions it is for: the first entry that fits a session is played. What is left out fits all.
type Entry struct {
	Role        task.Role `yaml:"role"`
	Deliverable string    `yaml:"deliverable"` // id of the deliverable that the prompt asks for
	Match       string    `yaml:"match"`       // is in the prompt
	Nth         int       `yaml:"nth"`         // only the nth session that fits the rest, from 1; needs a git workspace, where they are counted
	Steps       []Step    `yaml:"steps"`
}

// Step is one thing that is done. Exactly one field is set.
type Step struct {
	Say    string `yaml:"say"`    // said by the agent; markers are written as agents write them
	Write  *File  `yaml:"write"`  // writes a file
	Edit   *Edit  `yaml:"edit"`   // replaces text in a file
	Run    string `yaml:"run"`    // run by bash in the workspace; its failure is told and does not end the session
	Pause  string `yaml:"pause"`  // a duration
	Usage  *Usage `yaml:"usage"`  // of one model call, added to the session's
	Answer any    `yaml:"answer"` // the structured answer
	End    *End   `yaml:"end"`    // ends the session; steps after it are for a session that is gone on with
}

// File is a file to write. Its path is relative to the workspace.
type File struct {
	Path    string `yaml:"path"`
	Content string `yaml:"content"`
}

// Edit replaces the one place where Old stands.
type Edit struct {
	Path string `yaml:"path"`
	Old  string `yaml:"old"`
	New  string `yaml:"new"`
}

// Usage is what one model call used.
type Usage struct {
	Input      int64   `yaml:"input"`
	Output     int64   `yaml:"output"`
	CacheRead  int64   `yaml:"cacheRead"`
	CacheWrite int64   `yaml:"cacheWrite"`
	CostUSD    float64 `yaml:"costUsd"`
}

// End is how a session ends: "completed", or with more words {kind: quota, in: 2m, text: ...}.
type End struct {
	Kind agent.OutcomeKind `yaml:"kind"`
	In   string            `yaml:"in"`   // for quota: after which time it comes back; unknown when left out
	Text string            `yaml:"text"` // what is said about it
}

// UnmarshalYAML reads both forms.
func (e *End) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return n.Decode(&e.Kind)
	}
	type plain End
	return n.Decode((*plain)(e))
}

// Parse reads a scenario. Unknown keys, steps that do nothing or two things, and wrong values are errors.
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
	for _, set := range []bool{s.Say != "", s.Write != nil, s.Edit != nil, s.Run != "", s.Pause != "", s.Usage != nil, s.Answer != nil, s.End != nil} {
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

// local refuses paths that leave the workspace or belong to git.
func local(path string) error {
	first, _, _ := strings.Cut(filepath.ToSlash(filepath.Clean(path)), "/")
	if path == "" || !filepath.IsLocal(path) || first == ".git" {
		return fmt.Errorf("has the path %q; give one inside the workspace", path)
	}
	return nil
}

// load reads the scenario that a session names: "demo", a file (a relative one in the workspace), or the text itself.
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
