package activities

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/marker"
	"github.com/longshift/longshift/internal/agent/reporting"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/plaintext"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// keptText is how much of the model's text is kept, in bytes, to read a plan from it.
const keptText = 256 << 10

// sessionLog follows a session while it runs: it writes the log that people read, parses markers in the text,
// and keeps the details of the next heartbeat.
type sessionLog struct {
	file    *os.File
	now     func() time.Time
	usage   func() task.Usage
	alive   func()
	worked  func() time.Duration
	hide    func(string) string // removes secrets and terminal control sequences: the log is kept, and people share pieces of it
	next    func()              // called when the session reports progress or the end of its deliverable
	parser  *marker.Parser
	markers []task.Marker
	output  strings.Builder

	mu       sync.Mutex // guards what heartbeats read, and what is reported by tools
	current  signals.Heartbeat
	reported []task.Marker
	answer   []byte // the plan or the review
}

// logFile returns the path of a session's log, relative to the data directory.
func logFile(in SessionInput) string {
	return filepath.Join("tasks", in.TaskID, "logs", fmt.Sprintf("%02d-%s.log", in.N, in.Role))
}

func newSessionLog(r *sessionRun, usage func() task.Usage) (*sessionLog, error) {
	l, err := openSessionLog(r)
	if err != nil {
		return nil, err
	}
	l.usage = usage
	l.begun(r.in)
	return l, nil
}

// openSessionLog opens the log where it ends. It knows of no usage.
func openSessionLog(r *sessionRun) (*sessionLog, error) {
	name := filepath.Join(r.of.data, logFile(r.in))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, fault.New(fault.Infra, "make the log folder: %w", err)
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fault.New(fault.Infra, "open the session's log: %w", err)
	}
	hide := func(s string) string { return r.of.redact.String(plaintext.Of(s)) }
	l := &sessionLog{
		file: f, now: r.of.now, usage: func() task.Usage { return task.Usage{} }, alive: r.rec.alive, worked: r.worked, hide: hide,
		parser: marker.New(r.in.Role), current: firstHeartbeat(r.in, r.start),
	}
	l.next = func() {
		if r.keeps() { // the next session goes on with this one's process
			return
		}
		if most := r.in.CeilingUSD; most == 0 || l.usage().CostUSD < most { // otherwise the task is parked, and then holds no process
			r.of.prestarter.start(r.ctx, r.in.Next)
		}
	}
	return l, nil
}

// begun writes the first line.
func (l *sessionLog) begun(in SessionInput) {
	l.line("session %d: %s, %s %s", in.N, in.Role, in.Agent, in.Model)
}

func (l *sessionLog) event(e agent.Event) {
	switch e.Kind {
	case agent.Started:
		l.activity("Thinking", 0)
		l.line("started %s", excerpt.Line(l.hide(e.Text), 200))
	case agent.Text:
		l.activity("Responding", 0)
		l.say(e.Text)
	case agent.Thinking:
		l.activity("Thinking", 0)
	case agent.ToolCall:
		tool := excerpt.Line(l.hide(e.Tool), 60) // the model names it, and may name a tool that does not exist
		l.activity("Running "+tool, 1)
		l.line("> %s %s", tool, excerpt.Line(l.hide(e.Text), 400))
	case agent.ToolResult:
		l.activity("Thinking", 0)
		mark := "<"
		if e.Failed {
			mark = "<!"
		}
		l.line("%s %s", mark, excerpt.Line(l.hide(e.Text), 400))
	case agent.Denied:
		l.line("! %s was not let through: %s", excerpt.Line(l.hide(e.Tool), 60), excerpt.Line(l.hide(e.Text), 400))
	case agent.Limit:
		l.line("! limit: %s", excerpt.Line(l.hide(e.Text), 200))
	case agent.Retry:
		l.activity("Retrying", 0)
		l.line("! retry: %s", excerpt.Line(l.hide(e.Text), 200))
	case agent.UsageNow:
	}
}

// report takes a report by a tool.
func (l *sessionLog) report(r reporting.Report) {
	l.line("[%s] %s", r.Tool, excerpt.Line(l.hide(string(r.Arguments)), 1000))
	l.collect(r)
	if r.Kind == task.Progress || r.Answer != nil {
		l.next()
	}
}

// collect takes a report that the log has already.
func (l *sessionLog) collect(r reporting.Report) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.Answer != nil {
		l.answer = r.Answer
	}
	if r.Kind != "" {
		l.reported = append(l.reported, task.Marker{Kind: r.Kind, Text: r.Text})
	}
	if r.Tool == "progress" {
		l.current.Activity = excerpt.Line(l.hide(r.Text), 100)
	}
}

// reports returns the plan or review that was handed in, and all markers.
func (l *sessionLog) reports() (answer []byte, markers []task.Marker) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.answer, slices.Concat(l.markers, l.reported)
}

func (l *sessionLog) say(text string) {
	visible, markers := l.parser.Write(text + "\n") // the next message begins a line: what this one left open in it ends here
	l.take(visible, markers)
}

func (l *sessionLog) take(visible string, markers []task.Marker) {
	if l.output.Len() < keptText {
		l.output.WriteString(visible)
	}
	for _, s := range strings.Split(strings.TrimSpace(l.hide(visible)), "\n") {
		if s = strings.TrimSpace(s); s != "" {
			l.line("%s", s)
		}
	}
	for _, m := range markers {
		l.markers = append(l.markers, m)
		l.line("[%s] %s", m.Kind, excerpt.Line(l.hide(m.Text), 1000))
		if m.Kind == task.Progress || m.Kind == task.Done {
			l.next()
		}
	}
}

// text returns the agent's text without its markers.
func (l *sessionLog) text() string {
	visible, markers, unfinished := l.parser.Close()
	for _, m := range unfinished {
		l.line("! the marker %s was not finished", m.Kind)
	}
	l.take(visible, markers)
	return l.output.String()
}

func (l *sessionLog) activity(what string, tools int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.current.Activity = what
	l.current.Tools += tools
}

func (l *sessionLog) heartbeat() any {
	l.mu.Lock()
	b := l.current
	l.mu.Unlock()
	b.Usage, b.Worked = l.usage(), l.worked()
	l.alive()
	if at, err := l.file.Seek(0, 1); err == nil {
		b.Offset = at
	}
	return b
}

func (l *sessionLog) end(res SessionResult) {
	l.line("ended: %s, %d turns, $%.4f", res.Kind, res.Turns, res.Usage.CostUSD)
}

func (l *sessionLog) line(format string, args ...any) {
	// A line that can't be written must not end the session.
	_, _ = fmt.Fprintf(l.file, "%s %s\n", l.now().UTC().Format("15:04:05"), fmt.Sprintf(format, args...))
}

func (l *sessionLog) close() { _ = l.file.Close() }
