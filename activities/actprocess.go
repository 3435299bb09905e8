package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/plaintext"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/task"
)

// Limits of commands in the background.
const (
	mostProcesses  = 5 // of one session at a time
	longestProcess = 30 * time.Minute
	usualLog       = 50 // lines
	longestLog     = 200
	readLog        = 256 << 10 // bytes of the end of the output that lines are taken from
)

// processes are the commands that sessions have left running in the background. They end with the ask of their session, and with the worker.
type processes struct {
	mu  sync.Mutex
	all map[string][]*background // by session
}

// background is a command in the background.
type background struct {
	name    string // for the model: p1, p2
	command string
	file    string // with its output
	started time.Time
	running *process.Process
	timer   *time.Timer
}

// start starts a command, unless as many run already.
func (p *processes) start(session, command, file string, now time.Time, run func() (*process.Process, error)) (*background, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list, n := p.all[session], p.live(session)
	if n >= mostProcesses {
		return nil, fault.New(fault.Work, "%d commands run in the background already, which is the most: end one by manage_process", n)
	}
	running, err := run()
	if err != nil {
		return nil, err
	}
	b := &background{name: fmt.Sprintf("p%d", len(list)+1), command: command, file: file, started: now, running: running}
	b.timer = time.AfterFunc(longestProcess, running.Stop)
	if p.all == nil {
		p.all = map[string][]*background{}
	}
	p.all[session] = append(list, b)
	return b, nil
}

// live is how many commands of a session run. It is called with the lock.
func (p *processes) live(session string) (n int) {
	for _, b := range p.all[session] {
		if !b.ended() {
			n++
		}
	}
	return n
}

// busy tells whether a command of a session runs.
func (p *processes) busy(session string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.live(session) > 0
}

func (p *processes) of(session string) []*background {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all[session]
}

// end ends the commands of a session, and forgets them.
func (p *processes) end(session string) {
	p.mu.Lock()
	list := p.all[session]
	delete(p.all, session)
	p.mu.Unlock()
	for _, b := range list {
		b.timer.Stop()
		b.running.Stop()
	}
}

func (b *background) ended() bool {
	select {
	case <-b.running.Done():
		return true
	default:
		return false
	}
}

// state is what the model is told of the command.
func (b *background) state(now time.Time) map[string]any {
	s := map[string]any{"process": b.name, "command": b.command, "running": !b.ended(), "seconds": int(now.Sub(b.started).Seconds())}
	if b.ended() {
		s["exit_code"] = b.running.Wait().Code
	}
	return s
}

// tail returns the last lines of its output.
func (b *background) tail(lines int) string {
	f, err := os.Open(b.file)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > readLog {
		_, _ = f.Seek(-readLog, io.SeekEnd)
	}
	text, _ := io.ReadAll(io.LimitReader(f, readLog))
	all := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// inBackground starts a command that goes on while the session does other things. Its end is recorded whenever it comes, also after that of
// the session.
func (s *shell) inBackground(c transcript.Call, in command, dir, file string) callResult {
	b, err := s.processes.start(s.act.Session, in.Command, file, s.now(), func() (*process.Process, error) {
		return s.startInBackground(in.Command, dir, file)
	})
	if err != nil {
		s.record(c, noEnd)
	}
	if fault.KindOf(err) == fault.Work {
		return refused(err.Error())
	}
	if err != nil {
		return callResult{err: errors.Join(err, s.kept.takeBack())} // the next try starts it
	}
	go func() { s.record(c, b.running.Wait().Code) }()
	out := b.state(s.now())
	out["success"], out["note"] = true, "manage_process shows and ends it; it ends with the session, when the session waits, and after "+
		longestProcess.String()
	return callResult{content: forModel(out), line: excerpt.Line("run_command "+in.Command, 120) + " -> " + b.name + " in the background"}
}

// startInBackground starts the command in the session's box, and writes its output to a file.
func (s *shell) startInBackground(line, dir, file string) (*process.Process, error) {
	out, err := os.OpenFile(file, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fault.New(fault.Infra, "make the file for output: %w", err)
	}
	spec := process.Bash("exec 2>&1\n" + line)
	spec.Dir, spec.Session, spec.Env, spec.Grace = dir, s.act.Session, s.env, 2*time.Second
	p, err := s.boxes.start(context.Background(), spec, s.box) // it outlives the act, and its processes are ended by name
	if err != nil {
		_ = out.Close()
		return nil, fmt.Errorf("start the command: %w", err)
	}
	to := plaintext.Writer(redact.Writer(out, s.redact)) // read while it is written
	go func() {
		_, _ = io.Copy(to, io.LimitReader(p.Stdout(), mostFile))
		_, _ = io.Copy(io.Discard, p.Stdout())
		_ = to.Close()
		_ = out.Close()
	}()
	return p, nil
}

// manage shows and ends commands in the background.
func (s *shell) manage(c transcript.Call) callResult {
	var in struct {
		Action  string `json:"action"`
		Process string `json:"process"`
		Lines   int    `json:"lines"`
	}
	if err := task.DecodeAnswer("the call", json.RawMessage(c.Arguments), &in); err != nil {
		return refused(fmt.Sprintf(`%v. A call looks like this: {"action": "log", "process": "p1", "lines": 50}`, err))
	}
	now, list := s.now(), s.processes.of(s.act.Session)
	if in.Action == "list" {
		all := []any{}
		for _, b := range list {
			all = append(all, b.state(now))
		}
		return callResult{content: forModel(map[string]any{"success": true, "processes": all})}
	}
	var b *background
	for _, one := range list {
		if one.name == in.Process {
			b = one
		}
	}
	if b == nil {
		return refused(fmt.Sprintf("process %q does not run, and has not run since the session began or last waited; list shows those that there are",
			in.Process))
	}
	switch in.Action {
	case "poll":
	case "kill":
		b.running.Stop()
	case "log":
		if in.Lines < 0 || in.Lines > longestLog {
			return refused(fmt.Sprintf("lines is %d: give 1 to %d", in.Lines, longestLog))
		}
		if in.Lines == 0 {
			in.Lines = usualLog
		}
	default:
		return refused(fmt.Sprintf("action is %q: use list, poll, log or kill", in.Action))
	}
	out := b.state(now)
	out["success"] = true
	if in.Action == "log" {
		out["output"] = excerpt.Tail(s.redact.Secrets(b.tail(in.Lines)), 4*shownOutput)
	}
	return callResult{content: forModel(out)}
}
