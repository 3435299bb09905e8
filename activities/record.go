package activities

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/atomicfile"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
)

// record is what a host keeps on disk of one session: that it has begun, how long it ran, and the result of each ask.
// So a finished session never runs again, even when the worker dies before the workflow gets the result.
type record struct {
	dir   string
	state recordState
}

type recordState struct {
	LastAsk int           `json:"lastAsk"`        // the ask that has begun, 0 before the first
	Begun   time.Time     `json:"begun"`          // when it began
	Resumed int           `json:"resumed"`        // how often the session was resumed
	Spent   time.Duration `json:"spent"`          // running time of earlier attempts at the last ask
	Home    string        `json:"home,omitempty"` // the session whose state folder this one goes on in, "" for its own
	Mark    string        `json:"mark,omitempty"` // the session that the process is marked with that this one goes on with, "" for its own
}

func openRecord(data string, in SessionInput) (*record, error) {
	r := &record{dir: sessionDir(data, in.TaskID, in.ID)}
	if err := os.MkdirAll(r.stateDir(), 0o700); err != nil {
		return nil, fault.New(fault.Infra, "make the session's folder: %w", err)
	}
	err := readJSON(filepath.Join(r.dir, "record.json"), &r.state)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return r, nil
}

func taskDir(data, taskID string) string { return filepath.Join(data, "tasks", taskID) }

func sessionDir(data, taskID, session string) string {
	return filepath.Join(transcript.SessionsIn(taskDir(data, taskID)), session)
}

func (r *record) stateDir() string {
	return filepath.Join(filepath.Dir(r.dir), cmp.Or(r.state.Home, filepath.Base(r.dir)), "agent")
}
func (r *record) reportsFile() string { return filepath.Join(r.dir, "reports.jsonl") }
func (r *record) begun() bool         { return r.state.LastAsk > 0 }

// goOn notes which process the session begins with, nil for one of its own. One that it was to go on with may have ended since.
func (r *record) goOn(from *origin) {
	r.state.Home, r.state.Mark = "", ""
	if from != nil {
		r.state.Home, r.state.Mark = from.home, from.mark
	}
}

// reap ends what earlier attempts have left. A process that has gone on from another session is marked with the one it was started for.
func (r *record) reap(ctx context.Context) error {
	for _, session := range []string{filepath.Base(r.dir), r.state.Mark} {
		if session == "" {
			continue
		}
		if _, err := process.ReapSession(ctx, session); err != nil {
			return fault.New(fault.Infra, "end what an earlier attempt left: %w", err)
		}
	}
	return nil
}

// begin records that the ask runs, before its process starts.
func (r *record) begin(ask int) error {
	now := time.Now().UTC()
	if r.state.LastAsk == ask {
		r.state.Spent += max(0, r.lastAlive().Sub(r.state.Begun))
	} else {
		r.state.Spent = 0
	}
	r.state.LastAsk, r.state.Begun = ask, now
	return r.save()
}

// alive records that the session runs. It is called with every heartbeat, so that the running time of a killed attempt ends at its death
// and does not include the time that the machine was off.
func (r *record) alive() {
	_ = os.WriteFile(filepath.Join(r.dir, "alive"), nil, 0o600) // a failure only makes the running time less accurate
}

// lastAlive returns when the attempt before this one was last alive.
func (r *record) lastAlive() time.Time {
	info, err := os.Stat(filepath.Join(r.dir, "alive"))
	if err != nil {
		return r.state.Begun
	}
	return info.ModTime()
}

// elapsed returns the running time of the ask over all its attempts.
func (r *record) elapsed(now time.Duration) time.Duration { return r.state.Spent + now }

// resumed counts the attempt if it has resumed the session, and returns the number so far.
func (r *record) resumed(yes bool) int {
	if yes {
		r.state.Resumed++
	}
	return r.state.Resumed
}

func (r *record) save() error { return writeJSON(filepath.Join(r.dir, "record.json"), r.state) }

func (r *record) folder() transcript.Folder { return transcript.Folder(r.dir) }

func (r *record) resultFile(ask int) string { return r.folder().Result(ask) }

// result returns the kept result of the ask, if there is one.
func (r *record) result(ask int) (SessionResult, bool, error) {
	var res SessionResult
	err := readJSON(r.resultFile(ask), &res)
	if errors.Is(err, fs.ErrNotExist) {
		return res, false, nil
	}
	return res, err == nil, err
}

func (r *record) keep(ask int, res SessionResult) error {
	if err := r.save(); err != nil {
		return err
	}
	if err := r.writeReports(ask, res); err != nil {
		return err
	}
	return writeJSON(r.resultFile(ask), res)
}

// readJSON reads a state file. A corrupt file is renamed, so that nothing is lost, and the error names the new file.
func readJSON(file string, into any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		aside := file + ".corrupt"
		if mv := os.Rename(file, aside); mv != nil {
			aside = file
		}
		return fault.New(fault.Infra, "state file %s is corrupt: %w", filepath.Base(file), err).
			WithHint("its content is kept in %s", filepath.Base(aside))
	}
	return nil
}

// writeJSON replaces a state file atomically: after a crash it has the old content or the new.
func writeJSON(file string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(file, data); err != nil {
		return fault.New(fault.Infra, "write %s: %w", filepath.Base(file), err)
	}
	return nil
}
