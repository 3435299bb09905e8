package httpclient

import "time"

const (
	patience  = 10 * time.Second       // the waits of one Tries, all together
	firstWait = 500 * time.Millisecond // then doubled
)

// Tries bounds the waits between the tries of a request. The zero value is for a first try.
type Tries struct {
	waited time.Duration
	n      int
}

// Next returns how long to wait before another try; ok is false when there should be none. asked is what the server asks for, 0 if it
// does not say.
func (t *Tries) Next(asked time.Duration) (wait time.Duration, ok bool) {
	wait = asked
	if wait <= 0 {
		wait = firstWait << t.n
	}
	if t.waited+wait > patience {
		return 0, false
	}
	t.waited += wait
	t.n++
	return wait, true
}
