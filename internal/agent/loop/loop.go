// Package loop notices an agent that goes round in circles: it looks at the tool calls of one session and says when to
// warn the agent and when to end the session. It knows no clock, keeps a bounded number of hashes and no texts, and may
// not start, stop or decide anything itself.
package loop

import (
	"crypto/sha256"
	"fmt"
	"sync"
)

// Level is how bad it is.
type Level int

// The levels.
const (
	None Level = iota
	Warn       // let the call through and tell the agent
	Stop       // refuse the call and end the session
)

// Verdict is the answer to one call. Text is one sentence for the model or a person: what was repeated and what to do
// instead. It quotes a piece of the call, so it must pass redaction like the call itself.
type Verdict struct {
	Level Level
	Text  string
}

const (
	warnAt    = 3  // equal calls
	stopAt    = 5  // equal calls
	within    = 16 // calls that equal ones are counted in: rounds of up to three calls are stopped, longer ones are warned about
	patience  = 5  // how many times more often a call may be made that only asks how something is getting on
	remembers = within * patience
)

type call struct {
	hash  [sha256.Size]byte
	epoch int // calls of an earlier epoch are not counted
}

// Detector watches one session. The zero value is ready. It may be used by several goroutines.
//
// Equal calls are the same tool with the same arguments, as JSON values. They are counted among the last 16 calls, and
// need not follow each other: a round of A, B, C, A, B, C is a loop too. The count begins anew after a call that may have
// changed something and was not made before: an edit, a command that writes, an unknown tool. So running the tests after
// each of many different edits is work, and running them after the same edit over and over is a loop.
type Detector struct {
	mu    sync.Mutex
	last  [remembers]call // a ring
	n     int             // calls ever seen
	epoch int
}

// See takes the next call of the session, with its arguments as JSON, and judges it. Arguments that are no JSON are
// compared byte for byte.
func (d *Detector) See(tool string, input []byte) Verdict {
	args := parse(tool, input)
	hash := args.hash(tool)
	kind := kindOf(tool, args)

	d.mu.Lock()
	defer d.mu.Unlock()
	if kind == changes && !d.known(hash) {
		d.epoch++
	}
	d.last[d.n%remembers] = call{hash, d.epoch}
	d.n++
	return d.judge(tool, args, kind, hash)
}

func (d *Detector) judge(tool string, args arguments, kind kind, hash [sha256.Size]byte) Verdict {
	times, factor := d.count(hash, within), 1
	way := "do something else, or report what is in the way"
	if kind == waits {
		times, factor = d.count(hash, remembers), patience
		way = "wait longer in one call"
	}
	switch {
	case times >= stopAt*factor:
		return Verdict{Stop, fmt.Sprintf("%s was called %d times with the same arguments and nothing new in between; the session ends here.", args.shown(tool), times)}
	case times >= warnAt*factor:
		return Verdict{Warn, fmt.Sprintf("%s was called %d times with the same arguments and nothing new in between: %s; at %d times the session ends.", args.shown(tool), times, way, stopAt*factor)}
	case d.alternates():
		return Verdict{Warn, fmt.Sprintf("Two calls take turns without change, the last of them %s: find out why they do not help before repeating either.", args.shown(tool))}
	}
	return Verdict{}
}

// back gives the call i steps back, 0 being the newest.
func (d *Detector) back(i int) (call, bool) {
	if i >= d.n || i >= remembers {
		return call{}, false
	}
	return d.last[(d.n-1-i)%remembers], true
}

// known tells whether the call was made before, in this epoch or an earlier one.
func (d *Detector) known(hash [sha256.Size]byte) bool {
	for i := 0; ; i++ {
		c, ok := d.back(i)
		if !ok {
			return false
		}
		if c.hash == hash {
			return true
		}
	}
}

// count counts the calls of this epoch among the last ones.
func (d *Detector) count(hash [sha256.Size]byte, last int) int {
	times := 0
	for i := range last {
		c, ok := d.back(i)
		if !ok || c.epoch != d.epoch {
			break
		}
		if c.hash == hash {
			times++
		}
	}
	return times
}

// alternates tells whether the last four calls are A, B, A, B.
func (d *Detector) alternates() bool {
	b, _ := d.back(0)
	a, _ := d.back(1)
	b2, _ := d.back(2)
	a2, ok := d.back(3)
	return ok && a.hash == a2.hash && b.hash == b2.hash && a.hash != b.hash
}
