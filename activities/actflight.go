package activities

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"

	"github.com/longshift/longshift/internal/fault"
)

// flights are the acts that are being carried out in this process. An act belongs to the process and not to the attempt that began it:
// when the server has given an attempt up, the next one joins the act.
type flights struct {
	mu  sync.Mutex
	all map[string]*flight
}

type flight struct {
	act  Act
	says func() any    // details of its heartbeats
	done chan struct{} // closed when it has ended; res and err are set then
	res  ActResult
	err  error
	end  context.CancelCauseFunc

	// guarded by flights.mu
	begun    bool // it has a slot
	attempts int
}

// actOf carries out an act, and calls begin when it has a slot.
type actOf func(ctx context.Context, begin func()) (ActResult, error)

// fly carries out an act, or joins it. The end of the last attempt ends the act too, unless the server has only lost sight of one that has
// begun. One that waits for a slot ends then: its task may have been terminated, and nothing would hold it back when it gets the slot.
func (f *flights) fly(ctx context.Context, act Act, kind string, run actOf) (ActResult, error) {
	mine, key := heartbeatOf(ctx), act.Session+"/"+act.Head+"/"+kind
	mine.alone.Store(true)
	if err := f.endBelow(ctx, act.TaskID, act.Fence); err != nil {
		return ActResult{}, err
	}
	f.mu.Lock()
	one := f.all[key]
	if one != nil {
		setHeartbeatDetails(ctx, one.says)
	} else {
		one = &flight{act: act, says: mine.says, done: make(chan struct{})}
		var work context.Context
		work, one.end = context.WithCancelCause(context.WithoutCancel(ctx))
		if f.all == nil {
			f.all = map[string]*flight{}
		}
		f.all[key] = one
		go f.carry(work, key, one, run)
	}
	one.attempts++
	f.mu.Unlock()
	select {
	case <-one.done:
		return one.res, one.err
	case <-ctx.Done():
	}
	why := context.Cause(ctx)
	f.mu.Lock()
	one.attempts--
	goesOn := errors.Is(why, errGone) && one.begun || one.attempts > 0
	f.mu.Unlock()
	if goesOn {
		return ActResult{}, ctx.Err()
	}
	one.end(why)
	<-one.done
	return one.res, one.err
}

// endBelow ends the acts of a task that run under a lower fence, and waits until they have ended.
func (f *flights) endBelow(ctx context.Context, taskID string, fence int) error {
	f.mu.Lock()
	var old []*flight
	for _, one := range f.all {
		if one.act.TaskID == taskID && one.act.Fence < fence {
			old = append(old, one)
		}
	}
	f.mu.Unlock()
	for _, one := range old {
		if err := supersede(ctx, one.end, one.done); err != nil {
			return err
		}
	}
	return nil
}

func (f *flights) carry(ctx context.Context, key string, one *flight, run actOf) {
	defer func() {
		if p := recover(); p != nil {
			one.err = panicked(p)
		}
		f.mu.Lock()
		delete(f.all, key)
		f.mu.Unlock()
		one.end(nil)
		close(one.done)
	}()
	one.res, one.err = run(ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		one.begun = true
	})
}

// panicked is the fault of one act or call. The worker has other sessions, which go on.
func panicked(with any) error {
	return fault.New(fault.Internal, "the act panicked: %v\n%s", with, debug.Stack())
}

// keptAct is what a host keeps of one act: that it was begun, and its result.
type keptAct struct {
	Input  string     `json:"input"` // hash of what it was asked for
	Begun  []string   `json:"begun,omitempty"`
	Result *ActResult `json:"result,omitempty"`

	file string
}

// openAct reads what is kept of an act on this host. It is known by the conversation that it goes on with, so an act that was begun is found
// again whoever asks for it later: another attempt, another ask, or the task when it has come back to this host.
func (a *Acts) openAct(act Act, kind string, input any) (*keptAct, error) {
	k := &keptAct{file: a.recordOf(act).folder().Act(act.Head, kind)}
	if err := os.MkdirAll(filepath.Dir(k.file), 0o700); err != nil {
		return nil, fault.New(fault.Infra, "make the folder of the session's acts: %w", err)
	}
	data, err := json.Marshal(input)
	if err != nil {
		return nil, fault.New(fault.Internal, "%w", err)
	}
	sum := sha256.Sum256(data)
	was := keptAct{}
	if err := readJSON(k.file, &was); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if k.Input = hex.EncodeToString(sum[:]); was.Input == k.Input {
		k.Begun, k.Result = was.Begun, was.Result
	}
	return k, nil
}

// begin notes on disk what is begun, before it is.
func (k *keptAct) begin(what ...string) error {
	k.Begun = what
	return writeJSON(k.file, k)
}

// takeBack forgets what was begun when nothing has come of it. The file is removed, not written anew: on a full disk that takes no room.
func (k *keptAct) takeBack() error {
	k.Begun = nil
	if err := os.Remove(k.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Infra, "take back what was begun: %w", err)
	}
	return nil
}

// end keeps the result of the act. One that could not be carried out now is not done, and is tried again when the session goes on.
func (k *keptAct) end(res ActResult) (ActResult, error) {
	if res.Kind != "" {
		return res, nil
	}
	k.Result = &res
	return res, writeJSON(k.file, k)
}
