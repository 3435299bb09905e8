package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// ledger is a session's usage on disk. It is append-only, and locked while it is open.
type ledger struct {
	file    *os.File
	now     func() time.Time
	size    int64  // of the complete lines
	last    uint64 // number of the last call
	pending []byte // settlements that could not be written yet
}

// openLedger opens or creates a ledger, truncates a torn last line, and sums up what it holds.
func openLedger(path, session string, now func() time.Time) (*ledger, past, error) {
	l := &ledger{now: now}
	p, err := l.open(path, session)
	if err != nil {
		if l.file != nil {
			_ = l.file.Close()
		}
		return nil, past{}, fmt.Errorf("open usage ledger: %w", err)
	}
	return l, p, nil
}

func (l *ledger) open(path, session string) (past, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return past{}, err
	}
	var err error
	if l.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600); err != nil {
		return past{}, err
	}
	if err := lock(l.file); err != nil {
		return past{}, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return past{}, err
	}
	r, err := replay(path, session, data)
	if err != nil {
		return past{}, err
	}
	l.size, l.last = r.size, r.last
	if r.size < int64(len(data)) { // a write that a crash has torn
		if err := l.file.Truncate(r.size); err != nil {
			return past{}, err
		}
	}
	if err := l.append(line{Type: lineOpen, Session: session}); err != nil {
		return past{}, err
	}
	return r.past, l.settleLost(&r)
}

// settleLost books the calls that an earlier process left open: their input was sent, and of their answer is known what arrived.
func (l *ledger) settleLost(r *replayed) error {
	for _, n := range slices.Sorted(maps.Keys(r.open)) {
		b := r.open[n]
		st := settlement{model: b.Model, counts: counts{Input: b.Tokens, Output: b.Output}, cost: b.Guess + b.Cost, billed: true, flags: []string{flagLost}}
		if err := l.settle(n, st); err != nil {
			return err
		}
		r.past.add(st)
	}
	return nil
}

// reserve records that a call is about to be sent, and returns its number.
func (l *ledger) reserve(b bid) (uint64, error) {
	n := l.last + 1
	err := l.append(line{Type: lineReserve, Call: n, Model: b.model, Bytes: b.bytes, Worst: b.worst(), Tokens: b.tokens, Guess: b.guess})
	if err != nil {
		return 0, err
	}
	l.last = n
	return n, nil
}

// arrived records how much output of a call has arrived, in tokens. The call's settlement counts instead when it comes.
func (l *ledger) arrived(n uint64, output int64, each nanos) error {
	return l.append(line{Type: lineArrived, Call: n, counts: counts{Output: output}, Cost: nanos(output) * each})
}

// settle records how a call ended. A line that can't be written is kept and written before the next one.
func (l *ledger) settle(n uint64, st settlement) error {
	ln := line{Type: lineSettle, Call: n, Model: st.model, Status: st.status, counts: st.counts,
		Cost: st.cost, Billed: st.billed, Flags: st.flags}
	err := l.append(ln)
	if err != nil {
		ln.Time = l.now().UTC()
		text, _ := json.Marshal(ln)
		l.pending = append(append(l.pending, text...), '\n')
	}
	return err
}

// append writes the pending lines and one more. It undoes a partial write, since half a line would corrupt the next one.
func (l *ledger) append(ln line) error {
	ln.Time = l.now().UTC()
	text, err := json.Marshal(ln)
	if err != nil {
		return err
	}
	whole := append(append(append([]byte(nil), l.pending...), text...), '\n')
	n, err := l.file.Write(whole)
	if err != nil {
		if n > 0 {
			err = errors.Join(err, l.file.Truncate(l.size))
		}
		return err
	}
	l.size += int64(n)
	l.pending = nil
	return nil
}

// close unlocks the file explicitly: a process that another goroutine is just starting holds a copy of the descriptor
// until its exec, and without the unlock the lock would last as long as that copy.
func (l *ledger) close() error {
	if len(l.pending) > 0 {
		_, _ = l.file.Write(l.pending)
	}
	return errors.Join(syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN), l.file.Close())
}

// lock takes an exclusive lock on the file. The kernel releases it when the process ends.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return fault.New(fault.Conflict, "%s is in use by another session", f.Name()).
			WithHint("each session needs a ledger of its own; if an earlier worker still runs, stop it first")
	}
	return err
}
