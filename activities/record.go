package activities

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// record is what a host remembers of one session: that it has begun, how long it ran, and the result of each ask.
// It is what makes a finished session finished, whatever dies before the workflow hears of it.
type record struct {
	dir   string
	state recordState
}

type recordState struct {
	LastAsk int           `json:"lastAsk"` // the ask that has begun, 0 before the first
	Begun   time.Time     `json:"begun"`   // when it did
	Resumed int           `json:"resumed"` // how often the session was gone on with
	Spent   time.Duration `json:"spent"`   // of the last ask, in earlier attempts
}

func openRecord(data string, in SessionInput) (*record, error) {
	r := &record{dir: filepath.Join(taskDir(data, in.TaskID), "sessions", in.ID)}
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

func (r *record) stateDir() string { return filepath.Join(r.dir, "agent") }
func (r *record) begun() bool      { return r.state.LastAsk > 0 }

// begin notes that the ask is under way, before its process starts.
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

// alive notes that the session runs. It is called with every heartbeat, so that an attempt that was killed counts as long as
// it ran, and not as long as the machine was off.
func (r *record) alive() {
	_ = os.WriteFile(filepath.Join(r.dir, "alive"), nil, 0o600) // a missed note costs a little accuracy
}

// lastAlive is when the attempt before this one was last seen alive.
func (r *record) lastAlive() time.Time {
	info, err := os.Stat(filepath.Join(r.dir, "alive"))
	if err != nil {
		return r.state.Begun
	}
	return info.ModTime()
}

// elapsed is the running time of the ask over all its attempts.
func (r *record) elapsed(now time.Duration) time.Duration { return r.state.Spent + now }

// resumed counts the attempt and gives the number so far.
func (r *record) resumed(yes bool) int {
	if yes {
		r.state.Resumed++
	}
	return r.state.Resumed
}

func (r *record) save() error { return writeJSON(filepath.Join(r.dir, "record.json"), r.state) }

func (r *record) resultFile(ask int) string {
	return filepath.Join(r.dir, fmt.Sprintf("result-%d.json", ask))
}

// result gives the kept result of the ask, if it has one.
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
	return writeJSON(r.resultFile(ask), res)
}

// readJSON reads a state file. One that can't be read is set aside under another name, so that nothing is lost,
// and the error names it.
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

// writeJSON replaces a state file in one step: a crash leaves the old content or the new, never half of it.
func writeJSON(file string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*")
	if err != nil {
		return fault.New(fault.Infra, "write %s: %w", filepath.Base(file), err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return fault.New(fault.Infra, "write %s: %w", filepath.Base(file), err)
	}
	return nil
}
