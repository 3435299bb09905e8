package cputest

import (
	"testing"
	"time"
)

// Waiting takes no processor time, and four times the work about four times the time.
func TestTimes(t *testing.T) {
	if n := times(func() { time.Sleep(20 * time.Millisecond) }); n > 1 {
		t.Errorf("waiting is %.2f", n)
	}
	if one, four := times(work(1)), times(work(4)); four < 2*one || four > 8*one {
		t.Errorf("work is %.2f, four times the work is %.2f", one, four)
	}
}

// What takes too long fails its test.
func TestBounded(t *testing.T) {
	short, long := &noted{TB: t}, &noted{TB: t}
	bounded(short, "little", 100, work(1))
	bounded(long, "much", 0.01, work(1))
	if short.failed || !long.failed {
		t.Errorf("little work fails: %t, much work fails: %t", short.failed, long.failed)
	}
}

var sum int // so that the compiler does not drop the work

func work(n int) func() {
	return func() {
		for i := range n * 5_000_000 {
			sum += i * i % 7
		}
	}
}

type noted struct {
	testing.TB
	failed bool
}

func (n *noted) Helper()               {}
func (n *noted) Errorf(string, ...any) { n.failed = true }
