package httpclient

import (
	"testing"
	"time"
)

func TestTries(t *testing.T) {
	var tries Tries
	for n, want := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second} { // 7.5 s
		if wait, ok := tries.Next(0); wait != want || !ok {
			t.Errorf("wait %d: %s, %t, want %s", n, wait, ok, want)
		}
	}
	if wait, ok := tries.Next(3 * time.Second); ok {
		t.Errorf("%s beyond the patience", wait)
	}
	if wait, ok := tries.Next(2500 * time.Millisecond); wait != 2500*time.Millisecond || !ok {
		t.Errorf("what is left: %s, %t", wait, ok)
	}
	if wait, ok := tries.Next(time.Millisecond); ok {
		t.Errorf("%s with nothing left", wait)
	}
	var patient Tries
	if _, ok := patient.Next(11 * time.Second); ok {
		t.Error("waits longer than its patience")
	}
}
