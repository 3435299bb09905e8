package gateway

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/longshift/longshift/internal/fault"
)

// replayed is the state that the lines of a ledger add up to.
type replayed struct {
	past past
	size int64           // of the complete lines; the rest is torn
	last uint64          // number of the last call
	open map[uint64]line // reservations without a settlement
}

func (r *replayed) openCalls() []uint64 { return slices.Sorted(maps.Keys(r.open)) }

// replay sums up the lines of a ledger. A torn last line is ignored. A bad line before it is an error, because then the
// session's spending is unknown.
func replay(path, session string, data []byte) (replayed, error) {
	r := replayed{open: map[uint64]line{}}
	for number := 1; len(data) > 0; number++ {
		text, rest, whole := bytes.Cut(data, []byte{'\n'})
		if !whole {
			break
		}
		var ln line
		if err := json.Unmarshal(text, &ln); err != nil {
			if torn(rest) {
				break
			}
			return r, fault.New(fault.Infra, "%s, line %d: not a ledger line: %w", path, number, err).
				WithHint("move the file aside to start the session's count from nothing")
		}
		if err := r.take(path, session, ln); err != nil {
			return r, err
		}
		r.size += int64(len(text)) + 1
		data = rest
	}
	return r, nil
}

// torn reports whether the rest holds no complete line: a power failure can leave zeros or half a line at the end.
func torn(rest []byte) bool {
	return len(bytes.Trim(rest, "\x00\n")) == 0
}

func (r *replayed) take(path, session string, ln line) error {
	switch ln.Type {
	case lineOpen:
		if ln.Session != session {
			return fault.New(fault.Conflict, "%s belongs to session %s, not to %s", path, ln.Session, session).
				WithHint("each session needs a ledger of its own")
		}
	case lineReserve:
		r.open[ln.Call] = ln
		r.last = max(r.last, ln.Call)
	case lineSettle:
		if _, ok := r.open[ln.Call]; ok { // a second settlement of a call must not count twice
			delete(r.open, ln.Call)
			r.past.add(settlement{counts: ln.counts, cost: ln.Cost, billed: ln.Billed})
		}
	}
	return nil
}
