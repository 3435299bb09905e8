// Package cputest measures how much processor time code takes, for tests of its bounds on hostile input. Only tests may import it.
package cputest

import (
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// most is how many searches hostile input may take. The slowest of ours takes 60; code without limits takes minutes.
const most = 400

// Bounded fails the test when f takes more than 400 times the processor time of a search through 128 KiB of text. Both are measured on their
// own thread in this run: neither the speed of the machine counts nor its other load, nor whether the race detector looks on.
func Bounded(t testing.TB, what string, f func()) {
	t.Helper()
	bounded(t, what, most, f)
}

func bounded(t testing.TB, what string, most float64, f func()) {
	t.Helper()
	if n := times(f); n > most {
		t.Errorf("%s takes %.0f times the processor time of a search, more than %.0f", what, n, most)
	}
}

func times(f func()) float64 { return float64(of(f)) / float64(unit()) }

var unit = sync.OnceValue(func() time.Duration {
	text, words := strings.Repeat("Some words, and an_address@example.com.\n", 128<<10/40), regexp.MustCompile(`\w+@\w+\.com`)
	search := func() { words.FindAllStringIndex(text, -1) }
	search() // the first one compiles the expression's machine, too
	return max(of(search), time.Millisecond)
})

// of returns the processor time that f takes on its own thread.
func of(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := ofThread()
	f()
	return ofThread() - begin
}
