// Package loop detects an agent that repeats itself. It looks at the tool calls of one conversation and says when to warn the agent and
// when to end the session. It uses no clock, keeps a bounded number of hashes and no texts, and may not start, stop or decide anything
// itself.
package loop

import (
	"crypto/sha256"
	"fmt"
	"sync"
)

type Level int

const (
	None Level = iota
	Warn       // allow the call and warn the agent
	Stop       // refuse the call and end the session
)

// Verdict is the result for one call. Text is one sentence for the model or a person: what was repeated, and what to do instead. It
// quotes part of the call, so it must be redacted like the call itself.
type Verdict struct {
	Level Level
	Text  string
}

const (
	warnAt    = 3  // equal calls
	stopAt    = 5  // equal calls
	within    = 16 // calls among which equal ones are counted: cycles of up to three calls are stopped, longer ones only warned about
	patience  = 5  // factor by which calls that only poll may be repeated more often
	remembers = within * patience
)

// repeated is what a Verdict says of a call and of how often it was made.
const repeated = "%s was called %d times with the same arguments and nothing new in between"

type call struct {
	hash  [sha256.Size]byte
	epoch int // calls of earlier epochs are not counted
}

// Detector watches one conversation: a session has its own, and one for each sub-agent. The zero value is ready to use. It is safe for
// concurrent use.
//
// Equal calls have the same tool and the same arguments, compared as JSON values. They are counted among the last 16 calls and need not
// be consecutive: the cycle A, B, C, A, B, C is a loop too. The count restarts after a new call that may have changed something: an edit,
// a command that writes, an unknown tool. So running the tests after each of many different edits is work, and running them after the
// same edit again and again is a loop.
type Detector struct {
	mu    sync.Mutex
	last  [remembers]call // a ring
	n     int             // number of all calls
	epoch int
}

// See records the next call of the conversation, with its arguments as JSON, and judges it. Arguments that are not JSON are compared byte
// by byte.
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
		return Verdict{Stop, fmt.Sprintf(repeated+"; the session ends here.", args.shown(tool), times)}
	case times >= warnAt*factor:
		return Verdict{Warn, fmt.Sprintf(repeated+": %s; at %d times the session ends.", args.shown(tool), times, way, stopAt*factor)}
	case kind != waits && d.alternates():
		return Verdict{Warn, "Two calls take turns without change, the last of them " + args.shown(tool) +
			": find out why they do not help before repeating either."}
	}
	return Verdict{}
}

// back returns the call i steps back; 0 is the newest.
func (d *Detector) back(i int) (call, bool) {
	if i >= d.n || i >= remembers {
		return call{}, false
	}
	return d.last[(d.n-1-i)%remembers], true
}

// known reports whether an equal call was made before, in any epoch.
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

// count counts equal calls of this epoch among the last ones.
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

// alternates reports whether the last four calls are A, B, A, B.
func (d *Detector) alternates() bool {
	b, _ := d.back(0)
	a, _ := d.back(1)
	b2, _ := d.back(2)
	a2, ok := d.back(3)
	return ok && a.hash == a2.hash && b.hash == b2.hash && a.hash != b.hash
}
