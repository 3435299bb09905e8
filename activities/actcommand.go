package activities

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/tools"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/confine/sandbox"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/plaintext"
	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/task"
)

// Limits of a command.
const (
	keptOutput  = 50 << 10 // bytes of output that are kept
	shownOutput = 4 << 10  // bytes of it that the model is shown
	mostFile    = 64 << 20 // bytes of the file with all of it
)

// command is a call of run_command.
type command struct {
	Command string `json:"command"`
	Timeout int    `json:"timeout"` // seconds
	Dir     string `json:"cwd"`
	Beside  bool   `json:"background"`
}

func commandOf(arguments json.RawMessage, longest time.Duration) (in command, err error) {
	if err := task.DecodeAnswer("the call", arguments, &in); err != nil {
		return in, err
	}
	switch most := seconds(longest); {
	case strings.TrimSpace(in.Command) == "":
		return in, fault.New(fault.Work, "command is empty: give a command line for bash")
	case strings.ContainsRune(in.Command, 0):
		return in, fault.New(fault.Work, "command holds a zero byte: take it out")
	case len(in.Command) > policy.MaxScript:
		return in, fault.New(fault.Work, "command is longer than %d KiB: write a file and run it", policy.MaxScript>>10)
	case in.Timeout < 0 || in.Timeout > most:
		return in, fault.New(fault.Work, "timeout is %d: give seconds from 1 to %d", in.Timeout, most)
	}
	return in, nil
}

// shell makes the calls of commands: it runs them in the session's box, shows their output, and knows those in the background.
type shell struct {
	callRules
	kept    *keptAct
	act     Act
	root    *os.Root
	outputs string // folder with whole outputs, outside of what commands may write: the worker reads it
	limits  limits
	box     sandbox.Spec
	env     []string

	boxes     *boxes
	processes *processes
	redact    *redact.Redactor
	now       func() time.Time
}

// command runs a command in the session's box. One that an earlier attempt has begun is not run again.
func (s *shell) command(ctx context.Context, c transcript.Call) callResult {
	in, err := commandOf(c.Arguments, s.limits.longest)
	if err != nil {
		return refused(fmt.Sprintf(`%v. A call looks like this: {"command": "go test ./...", "timeout": 120}`, err))
	}
	dir, err := s.folder(in.Dir)
	if err != nil {
		return refused(err.Error())
	}
	file := filepath.Join(s.outputs, fmt.Sprintf("%.16s.log", s.act.Head))
	if len(s.kept.Begun) > 0 {
		return s.cutOff(ctx, file)
	}
	asked := agent.Call{ID: c.ID, Tool: "Bash", Dir: dir, Input: json.RawMessage(asJSON(map[string]any{"command": in.Command}))}
	if no := s.permit(ctx, asked); no != nil {
		return *no
	}
	if err := s.begin(in.Command, file); err != nil {
		s.record(c, noEnd)
		return callResult{err: err}
	}
	if in.Beside {
		return s.inBackground(c, in, dir, file)
	}
	wall := s.limits.timeout
	if in.Timeout > 0 {
		wall = time.Duration(in.Timeout) * time.Second
	}
	res, err := s.run(ctx, in.Command, dir, file, wall)
	switch cut := interrupted(ctx); {
	case err != nil && res.Duration == 0:
		s.record(c, noEnd)
		return callResult{err: errors.Join(cmp.Or(cut, err), s.kept.takeBack())} // the next try starts it
	case err != nil && cut != nil:
		s.record(c, noEnd)
		return callResult{err: cut}
	case err != nil: // it has run to its end and is not run again, so what it came to counts
		s.log.line("! the output is not kept whole: %s", s.log.hide(err.Error()))
	}
	s.record(c, res.Recorded())
	return commandResult(in.Command, res, err == nil, file, s.limits.longest)
}

// begin makes ready to start a command, and notes that it is begun.
func (s *shell) begin(line, file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fault.New(fault.Infra, "make the folder for output: %w", err)
	}
	return s.kept.begin(line)
}

// noEnd is the exit code in the command log of a command that was not started, or was interrupted.
const noEnd = -1

// record writes the end of a call's command to the command log. A record without an end is one of a worker that has died.
func (s *shell) record(c transcript.Call, exit int) {
	s.enforcer.event(agent.Event{Kind: agent.ToolResult, ID: c.ID, Failed: exit != 0, Text: fmt.Sprintf("exit code %d", exit)})
}

// output shows lines of the whole output of an earlier command.
func (s *shell) output(ctx context.Context, c transcript.Call) callResult {
	var in struct {
		File string `json:"file"`
		From int    `json:"from"`
		To   int    `json:"to"`
	}
	if err := task.DecodeAnswer("the call", c.Arguments, &in); err != nil {
		return refused(fmt.Sprintf(`%v. A call looks like this: {"file": "0123456789abcdef.log", "from": 1, "to": 100}`, err))
	}
	root, err := os.OpenRoot(s.outputs)
	if err != nil {
		return refused("no command of this session has left a longer output")
	}
	defer root.Close()
	w := &tools.Workspace{Tree: tools.Tree{Root: root}}
	res := w.Do(ctx, "read_lines", json.RawMessage(asJSON(map[string]any{"path": in.File, "from": in.From, "to": in.To})))
	return callResult{content: string(res.Content), failed: res.Failed}
}

// folder returns the absolute folder of a command.
func (s *shell) folder(name string) (string, error) {
	if name == "" {
		return s.enforcer.root, nil
	}
	rel, err := agent.InTree(s.enforcer.root, name)
	if err != nil {
		return "", fmt.Errorf("cwd %q: %w; give a folder below the workspace", name, err)
	}
	if !s.enforcer.mayRead(rel) {
		return "", fmt.Errorf("cwd %q may not be read by this session; give another folder", name)
	}
	if info, err := s.root.Stat(rel); err != nil || !info.IsDir() {
		return "", fmt.Errorf("cwd %q is no folder of the workspace", name)
	}
	return filepath.Join(s.enforcer.root, rel), nil
}

// cutOff tells the model of a command that an earlier attempt has begun, whose end nobody has seen.
func (s *shell) cutOff(ctx context.Context, file string) callResult {
	s.processes.end(s.act.Session)
	if _, err := process.ReapSession(ctx, s.act.Session); err != nil {
		return callResult{err: fault.New(fault.Infra, "end what an earlier attempt left: %w", err)}
	}
	output, _ := os.ReadFile(file) // it may not have come to any output
	return callResult{failed: true, line: "run_command was interrupted", content: forModel(map[string]any{
		"success": false, "interrupted": true, "output": headAndTail(string(output), 0),
		"error": "what this command came to is not recorded: the worker was replaced while it ran, or had a fault of its own, " +
			"such as a full disk. It was ended, and what ran in the background too; it is not run again by itself, " +
			"and what it had done by then stays. Look at the state of the workspace, and run it again if that is right.",
	})}
}

// run runs the command to its end. With an error the result is empty when it was not started.
func (s *shell) run(ctx context.Context, line, dir, file string, wall time.Duration) (process.Result, error) {
	spec := process.Bash(line)
	spec.Dir, spec.Session, spec.OutputFile, spec.Grace = dir, s.act.Session, file, 2*time.Second
	spec.Filter = func(to io.Writer) io.WriteCloser { return plaintext.Writer(redact.FileWriter(to, s.redact)) }
	spec.Env = s.env
	res, err := s.boxes.run(ctx, spec, process.Limits{Wall: wall, Keep: keptOutput, File: mostFile}, s.box)
	if err != nil {
		err = fmt.Errorf("run the command: %w", err)
	}
	res.Output = s.redact.Secrets(plaintext.Of(res.Output))
	return res, err
}

// commandResult is what the model is told of a command that has ended, and whose output is kept whole in the file or not.
func commandResult(line string, res process.Result, whole bool, file string, longest time.Duration) callResult {
	out := map[string]any{"success": res.Exit.Code == 0 && !res.TimedOut, "exit_code": res.Exit.Code,
		"output": headAndTail(res.Output, res.Cut), "seconds": res.Duration.Round(10 * time.Millisecond).Seconds()}
	if len(res.Output) > shownOutput || res.Cut > 0 {
		out["output_file"] = filepath.Base(file)
		out["note"] = "the output is longer; command_output shows any lines of output_file"
	}
	if !whole {
		out["note"] = "the output could not be kept whole, which happens when the disk is full; output_file, if there is one, lacks a part of it"
	}
	end := fmt.Sprintf("-> %d in %s", res.Exit.Code, res.Duration.Round(100*time.Millisecond))
	switch {
	case res.TimedOut:
		out["error"] = fmt.Sprintf("it was ended after %s; give a longer timeout (at most %s), or run less",
			res.Duration.Round(time.Second), longest)
		end = "-> ended after " + res.Duration.Round(time.Second).String()
	case res.Exit.Signal != "":
		out["error"] = "it was ended by " + res.Exit.Signal
	case res.Exit.Code != 0:
		out["error"] = fmt.Sprintf("it ended with exit code %d; the output says why", res.Exit.Code)
	}
	return callResult{content: forModel(out), failed: out["success"] == false, line: excerpt.Line("run_command "+line, 120) + " " + end}
}

// headAndTail is the beginning and the end of an output. So many bytes of its middle were cut out before.
func headAndTail(output string, cut int64) string {
	if len(output) <= shownOutput {
		return output
	}
	if cut > 0 { // a line stands for them, and is left out too
		cut -= int64(len(process.LeftOut(cut)))
	}
	head, tail := excerpt.Cut(output, shownOutput/2), excerpt.Tail(output, shownOutput/2)
	return head + process.LeftOut(int64(len(output)-shownOutput)+cut) + tail
}

// commandEnvOf is the environment of a session's commands: that of all commands, what the operator gives to agents, and what the task sets,
// which has none of the operator's secrets. The home folder is the session's own: checks have another, which no session can prepare for them.
func commandEnvOf(all []string, s agent.Session) []string {
	return withVariables(withVariables(withVariables(all, s.Env), s.CommandEnv), map[string]string{"HOME": s.StateDir})
}
