package inbound

import (
	"sync"
	"time"
)

// Counter lets something be reported once a minute for each name, and counts the reports that were left out. The zero value is ready. It is
// safe for concurrent use and bounded: beyond ten thousand names all others share one.
type Counter struct {
	lock     sync.Mutex
	reported map[string]report
}

type report struct {
	at   time.Time
	more int // left out since then
}

// reportEvery is the period in which a name is reported once.
const reportEvery = time.Minute

// others is the name that all share beyond the bound.
const others = ""

// Next reports whether it is time to report a name, and how many reports of it were left out since the last one.
func (c *Counter) Next(name string, now time.Time) (more int, due bool) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if _, known := c.reported[name]; !known && len(c.reported) >= maxNames {
		for other, r := range c.reported {
			if now.Sub(r.at) >= reportEvery {
				delete(c.reported, other)
			}
		}
		if len(c.reported) >= maxNames {
			name = others
		}
	}
	last, known := c.reported[name]
	if known && now.Sub(last.at) < reportEvery {
		c.reported[name] = report{last.at, last.more + 1}
		return 0, false
	}
	if c.reported == nil {
		c.reported = map[string]report{}
	}
	c.reported[name] = report{at: now}
	return last.more, true
}
