package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// taskSession is a session of a task, as its status and its folder on this host tell.
type taskSession struct {
	signals.Session
	task   string            // id of the task's workflow
	state  string            // for people: how it ended, or that it runs; "" when nobody answers
	folder transcript.Folder // "" when this host has no conversation of it
}

// taskSessions are the sessions of a task.
type taskSessions struct {
	task   string
	dir    string          // of the task on this host
	host   string          // whose data folder this is, if known
	status *signals.Status // nil when no worker answers
	all    []taskSession
}

// read puts together what the status and the folders of the sessions tell. A task whose worker does not answer is known by its folders.
func (t *taskSessions) read() error {
	if t.status != nil {
		for _, s := range t.status.Sessions {
			t.all = append(t.all, taskSession{Session: s, task: t.task, state: t.stateOf(s)})
		}
	}
	sessions := transcript.SessionsIn(t.dir)
	entries, err := os.ReadDir(sessions)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Denied, "read sessions: %w", err).WithHint("run as the user of the worker")
	}
	for _, e := range entries {
		folder := transcript.Folder(filepath.Join(sessions, e.Name()))
		about, err := folder.About()
		if errors.Is(err, fs.ErrNotExist) || !e.IsDir() {
			continue
		}
		if err != nil {
			return unreadable(err, t.task, "session "+term.OneLine(e.Name()))
		}
		i := slices.IndexFunc(t.all, func(s taskSession) bool { return s.ID == e.Name() })
		if i < 0 {
			i = len(t.all)
			t.all = append(t.all, taskSession{Session: signals.Session{N: about.N, ID: e.Name(), Role: about.Role}, task: t.task})
			if d := about.Prompt.Deliverable; d != nil {
				t.all[i].Deliverable = d.ID
			}
		}
		t.all[i].folder = folder
	}
	slices.SortFunc(t.all, func(a, b taskSession) int { return a.N - b.N })
	return nil
}

func (t *taskSessions) stateOf(s signals.Session) string {
	switch {
	case s.Outcome != "":
		return s.Outcome
	case tasks.IsEnded(t.status):
		return "cut off"
	}
	return "running"
}

// choose returns the session with a number, or the only one for 0.
func (t *taskSessions) choose(n int) (taskSession, error) {
	here := slices.ContainsFunc(t.all, func(s taskSession) bool { return s.folder != "" })
	i := slices.IndexFunc(t.all, func(s taskSession) bool { return n == 0 || s.N == n })
	switch {
	case !here && t.status != nil && t.status.Agent != "" && t.status.Agent != task.AgentNative:
		return taskSession{}, fault.New(fault.NotFound, "the sessions of task %s are of the agent %s, not of the native one", t.task, term.OneLine(t.status.Agent)).
			WithHint("read their logs with `longshift logs %s`", t.task)
	case len(t.all) == 0 && t.status != nil && !tasks.IsEnded(t.status):
		return taskSession{}, fault.New(fault.NotFound, "task %s has no session yet", t.task).WithHint("see how it stands with `longshift status %s`", t.task)
	case len(t.all) == 0:
		return taskSession{}, t.nothing(fault.New(fault.NotFound, "no session of task %s under %s", t.task, t.dir))
	case n == 0 && len(t.all) > 1:
		return taskSession{}, fault.New(fault.Input, "task %s has %d sessions:\n%s", t.task, len(t.all), t.list()).
			WithHint("name one, such as `longshift session show %s`", signals.SessionID(t.task, t.all[0].N))
	case i < 0:
		return taskSession{}, fault.New(fault.NotFound, "task %s has no session %d", t.task, n).WithHint("see its sessions with `longshift show %s`", t.task)
	}
	s := t.all[i]
	if s.folder != "" {
		return s, nil
	}
	switch {
	case t.isElsewhere(s):
		return s, fault.New(fault.NotFound, "session %d (%s) of task %s ran on host %s", s.N, s.Role, t.task, term.OneLine(s.Host)).
			WithHint("run `longshift session show` there, or set LONGSHIFT_DATA to its data folder")
	case s.state == "running":
		return s, fault.New(fault.NotFound, "session %d of task %s has not begun its conversation", s.N, t.task).WithHint("try again in a moment")
	}
	return s, t.nothing(fault.New(fault.NotFound, "no conversation of session %d of task %s under %s", s.N, t.task, t.dir))
}

// nothing tells where conversations are.
func (t *taskSessions) nothing(err *fault.Error) error {
	return err.WithHint("conversations are on the host that ran the session, until its task's folder is removed; set LONGSHIFT_DATA to its data folder")
}

// isElsewhere tells whether a session was on another host last.
func (t *taskSessions) isElsewhere(s taskSession) bool { return s.Host != "" && s.Host != t.host }

func (t *taskSessions) list() string {
	var b strings.Builder
	for _, s := range t.all {
		fmt.Fprintf(&b, "  %d  %s", s.N, strings.TrimSpace(string(s.Role)+" "+term.OneLine(s.Deliverable)))
		if s.folder == "" && t.isElsewhere(s) {
			fmt.Fprintf(&b, ", on host %s", term.OneLine(s.Host))
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
